package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The rules of names. What a client adds before a name ("mcp__holotype__" is 15
// characters) has to fit with it into the 64 that model APIs take.
const (
	maxExposed    = 49
	cutExposed    = 42 // then "_" and 6 hex digits
	maxServerName = 64 // characters
	maxDerived    = 19
	cutDerived    = 12 // then "-" and 6 hex digits
)

var prefixGrammar = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,20}$`)

// checkServerName answers why a server may not have this name, or "".
func checkServerName(name string) string {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return "a server needs a name"
	case n > maxServerName:
		return fmt.Sprintf("the name has %d characters, at most %d are taken", n, maxServerName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "the name has characters that cannot be printed"
	}
	return ""
}

// derivePrefix answers the prefix of a server that declares none: its name in
// lower case, everything outside [a-z0-9_-] replaced, an "s" before what does not
// begin with a letter or a digit, and, where that changed anything or is long, cut
// and told apart by a hash of the name. Two names never share one.
func derivePrefix(server string) string {
	p := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(server))
	if strings.HasPrefix(p, "-") || strings.HasPrefix(p, "_") {
		p = "s" + p
	}
	if p != server || len(p) > maxDerived {
		p = p[:min(len(p), cutDerived)] + "-" + shortHash(server)
	}
	return p + "__"
}

// exposedName answers the name a tool is offered under: prefix and wire name,
// or, where the wire name has other characters than [A-Za-z0-9_-] or the whole is
// long, cleaned, cut and told apart by a hash. It depends on nothing but its
// arguments, so a name never changes because another tool came or went.
func exposedName(server, prefix, wire string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, wire)
	whole := prefix + clean
	if clean == wire && len(whole) <= maxExposed {
		return whole
	}
	return whole[:min(len(whole), cutExposed)] + "_" + shortHash(server, wire)
}

// shortHash answers 6 hex digits of a hash of the parts. A server's name cannot
// hold the separator.
func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:3])
}

// prefixClash answers why two prefixes cannot stand beside each other, or "": a
// name must tell its server.
func prefixClash(a, b string) string {
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case a == b:
		return fmt.Sprintf("both have the prefix %q", a)
	case strings.HasPrefix(b, a):
		return fmt.Sprintf("the prefix %q is the start of %q", a, b)
	}
	return ""
}

// A Wire is what a tool is known by at its server.
type Wire struct {
	Server string // the configured name
	Tool   string // the name the server knows the tool by
}

// A Table maps the exposed names of one listing to what they stand for. It is the
// only source of names for lists and calls, and immutable.
type Table struct {
	entries map[string]Wire
	skipped []Skipped
}

// tabulate makes the table of one server's tools. Of two tools that would get one
// exposed name, the one whose name needed no cleaning keeps it, else the first in
// the order of wire names; the other is skipped. taken reports names that are not
// to be had, such as builtins'.
func tabulate(server, prefix string, tools []string, taken func(string) bool) *Table {
	t := &Table{entries: map[string]Wire{}}
	order := slices.Clone(tools)
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(cleaned(server, prefix, a), cleaned(server, prefix, b)), cmp.Compare(a, b))
	})
	for i, wire := range order {
		name := exposedName(server, prefix, wire)
		other, clash := t.entries[name]
		switch {
		case i > 0 && order[i-1] == wire:
			t.skip(wire, "the server lists it twice; the first one counts")
		case clash:
			t.skip(wire, fmt.Sprintf("its name would be %q, which is that of tool %q", name, other.Tool))
		case taken != nil && taken(name):
			t.skip(wire, fmt.Sprintf("its name would be %q, which is that of a builtin; give the server another tool_prefix", name))
		default:
			if tool, same := strings.CutPrefix(name, prefix); same && tool == wire {
				wire = tool // of the bytes of name, which are kept in any case
			}
			t.entries[name] = Wire{server, wire}
		}
	}
	return t
}

func cleaned(server, prefix, wire string) int {
	if exposedName(server, prefix, wire) == prefix+wire {
		return 0
	}
	return 1
}

func (t *Table) skip(tool, reason string) {
	t.skipped = append(t.skipped, Skipped{tool, reason})
}

// Lookup answers what an exposed name stands for.
func (t *Table) Lookup(exposed string) (Wire, bool) {
	w, ok := t.entries[exposed]
	return w, ok
}

// names answers the exposed names in order.
func (t *Table) names() []string {
	all := make([]string, 0, len(t.entries))
	for name := range t.entries {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
