package prose

import (
	"slices"
	"strings"
)

// A count is a number of something that a sentence says.
type count struct {
	n       int
	at, end int    // its words within the sentence
	noun    string // what is counted, in the singular; "" where that is left out
	builtin bool   // whether only what no server brings is counted
	more    bool   // "twelve more"
	scope   string // the pack or the server whose it is; "" for none that is named
	text    string // as it is written
	line    int
}

// nounOf answers what a word counts.
func nounOf(t, before word) string {
	if t.code || t.mark {
		return ""
	}
	switch t.text {
	case "tools", "tool", "capabilities", "capability":
		return "tool"
	case "packs", "pack":
		return "pack"
	case "refusals", "refusal":
		return "code"
	case "codes", "code":
		if before.is("refusal", "error", "problem", "of") || before.n >= 0 {
			return "code"
		}
	case "routes", "route", "endpoints":
		return "route"
	case "commands", "command", "subcommands":
		return "command"
	case "keys", "key":
		if before.is("configuration", "config", "top-level") {
			return "key"
		}
	case "events", "event":
		return "event"
	case "hints", "hint":
		return "hint"
	}
	return ""
}

// neutral are the words that may stand between a number and its noun and leave the count
// what it is.
func neutral(t word) bool {
	return t.is("more", "further", "additional", "native", "builtin", "built-in", "own", "different", "distinct", "declared", "refusal", "error", "problem", "http",
		"mcp", "configuration", "config", "top-level", "cli", "log")
}

// countsIn answers the numbers of a sentence that count something, or whose noun is left
// out.
func (j *judge) countsIn(s []word) (all []count) {
	for i, t := range s {
		if t.n < 0 {
			continue
		}
		c := count{n: t.n, at: i, end: i + 1, line: t.line}
		before := t
		for k := i + 1; k < len(s) && k < i+5; k++ {
			next := s[k]
			if noun := nounOf(next, before); noun != "" && (c.n == 1) != strings.HasSuffix(next.text, "s") {
				c.noun, c.end = noun, k+1
				break
			}
			if j.group(next.text) {
				c.scope = next.text
			} else if next.mark || next.code || !neutral(next) {
				break
			}
			c.more = c.more || next.is("more", "further", "additional")
			c.builtin = c.builtin || next.is("native", "builtin", "built-in", "own", "declared")
			before = next
			if c.more {
				c.end = k + 1
			}
		}
		c.text = joined(s[i:c.end])
		all = append(all, c)
	}
	return all
}

func joined(s []word) string {
	all := make([]string, len(s))
	for i, w := range s {
		all[i] = w.text
	}
	return strings.Join(all, " ")
}

// group reports whether a name is that of a pack or of a bridged server.
func (j *judge) group(name string) bool {
	return slices.Contains(j.truth.Packs, name) || slices.ContainsFunc(j.truth.Tools, func(t Tool) bool { return t.Server && t.Group == name })
}
