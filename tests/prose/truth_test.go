package prose_test

import (
	"fmt"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// refutes answers why a claim is not true, with the nearest name that is; "" when it
// is true.
func (p *product) refutes(c claim) string {
	switch c.kind {
	case kindName:
		return missing("tool, code, key, member or event", c.text, p.names)
	case kindBridged:
		return missing("tool of a recorded server", c.text, p.recorded)
	case kindRefusal:
		return missing("code", c.text, p.codes)
	case kindTarget:
		if c.text == "" {
			return ""
		}
		return missing("target of the Makefile", c.text, p.targets)
	case kindFlag:
		text, _, _ := strings.Cut(strings.ReplaceAll(c.text, "=", " "), " ")
		return missing("flag", text, p.flags())
	case kindCommand:
		return p.refutesCommand(c.text)
	case kindRoute:
		return p.refutesRoute(c.text)
	case kindDecision:
		return p.refutesDecision(c.text)
	case kindFile:
		return p.refutesFile(c.file, c.text)
	case kindWord:
		return fmt.Sprintf("%q is not the word here: say %q, or say in the list what else it means", c.text, p.synonyms[c.text])
	case kindSymbol:
		m := symbolShaped.FindStringSubmatch(c.text)
		if known, ours := p.symbols[m[1]]; ours {
			return missing("name in package "+m[1], m[2], known)
		}
		return "" // a package of somebody else
	}
	return fmt.Sprintf("nobody knows how to look up a %s", c.kind)
}

// maxKnown is how many names are looked through for the nearest one.
const maxKnown = 2000

// missing answers "" for a name that is known.
func missing(what, name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	if near, ok := schema.Nearest(name, known[:min(len(known), maxKnown)]); ok {
		return fmt.Sprintf("there is no %s %q: the nearest is %q", what, name, near)
	}
	return fmt.Sprintf("there is no %s %q", what, name)
}

// flags answers every flag of every command, and of every tool as a command.
func (p *product) flags() []string {
	var all []string
	for _, of := range slices.Sorted(maps.Keys(p.commands)) {
		all = append(all, p.commands[of]...)
	}
	for _, tool := range p.tools {
		all = append(all, p.toolFlag(tool)...)
	}
	return all
}

// refutesCommand reads a command line: the command, its flags, the tool it calls.
func (p *product) refutesCommand(text string) string {
	_, text, _ = strings.Cut(strings.TrimPrefix(text, "$ "), "holotype")
	words := strings.Fields(text)
	at, flags := "", p.commands[""]
	tool := ""
	for i, word := range words {
		switch {
		case word == "--" || word == "|" || word == ">":
			return ""
		case strings.HasPrefix(word, "-") && word != "-":
			if strings.Contains(tool, "__") {
				continue // its flags come from a schema that is not here
			}
			word, _, _ = strings.Cut(word, "=")
			if why := missing(fmt.Sprintf("flag of %q", strings.TrimSpace("holotype "+at)), word, flags); why != "" {
				return why
			}
		case at == "" && i == 0:
			known, ok := p.commands[word]
			if !ok && word == strings.ToLower(word) {
				return missing("command", word, slices.Sorted(maps.Keys(p.commands)))
			}
			at, flags = word, slices.Concat(flags, known)
		case i == 1 && word == strings.ToLower(word) && p.isGroup(at):
			known, ok := p.commands[at+" "+word]
			if !ok {
				return missing("command of holotype "+at, word, p.within(at))
			}
			at, flags = at+" "+word, slices.Concat(flags, known)
		case i == 1 && (at == "call" || at == "tools"):
			tool = word
			switch {
			case bridgedShaped.MatchString(word):
				if why := missing("tool of a recorded server", word, p.recorded); why != "" {
					return why
				}
			case toolShaped.MatchString(word):
				if why := missing("tool", word, p.tools); why != "" {
					return why
				}
				flags = slices.Concat(flags, p.toolFlag(word))
			}
		}
	}
	return ""
}

// within answers the commands of a group, without its name.
func (p *product) within(group string) []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(p.commands)) {
		if name, ok := strings.CutPrefix(path, group+" "); ok {
			all = append(all, name)
		}
	}
	return all
}

func (p *product) isGroup(name string) bool { return len(p.within(name)) > 0 }

// refutesRoute looks a route up by method and path, or by its path alone. What
// capabilities declare stands below /api/v1 and is declared without it.
func (p *product) refutesRoute(text string) string {
	method, where, ok := strings.Cut(text, " ")
	if !ok {
		method, where = "", text
	}
	where, _, _ = strings.Cut(strings.TrimSuffix(where, "/*"), "?")
	for _, served := range p.routes {
		m, pattern, _ := strings.Cut(served, " ")
		if method == "" && strings.HasPrefix(pattern, strings.TrimSuffix(where, "/")+"/") {
			return "" // what several routes begin with
		}
		if (method == "" || method == m || method == "HEAD" && m == "GET") && (fits(pattern, where) || fits(pattern, "/api/v1"+where)) {
			return ""
		}
	}
	// What is mounted whole says no patterns, and answers.
	if method == "" || method == "GET" {
		for _, value := range []string{p.tools[0], p.codes[0]} {
			if p.answers(field.ReplaceAllString(where, "/"+value)) {
				return ""
			}
		}
	}
	known := slices.Clone(p.routes)
	if method == "" {
		for i, served := range known {
			_, known[i], _ = strings.Cut(served, " ")
		}
	}
	return missing("route", text, known)
}

// field is a segment of a path that stands for a value: {name}, <code>, X.
var field = regexp.MustCompile(`/(?:\{[^/]*\}|<[^/]*>|[A-Z]+)(?:$|\b)`)

// fits says whether a path is of a pattern. A field stands for a field or a value.
func fits(pattern, where string) bool {
	a, b := strings.Split(pattern, "/"), strings.Split(where, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		switch isField := strings.HasPrefix(a[i], "{"); {
		case a[i] == b[i]:
		case !isField, strings.HasPrefix(b[i], "{") && strings.HasSuffix(b[i], "}"):
			return false // a fixed word, or a field that is called otherwise
		}
	}
	return true
}

func (p *product) refutesDecision(number string) string {
	var known []string
	for name := range p.files {
		if n, ok := strings.CutPrefix(name, "docs/decisions/"); ok {
			known = append(known, n[:min(len(n), 4)])
		}
	}
	slices.Sort(known)
	if slices.Contains(known, number) {
		return ""
	}
	return fmt.Sprintf("there is no decision %s", number)
}

// refutesFile looks a path up from the root, from the text's own folder or the one
// above, or, for a name without a folder, anywhere. A <field> and a * stand for any
// name, /... for everything below. A method of MCP and a package of the standard library
// are spelt like paths too.
func (p *product) refutesFile(in, text string) string {
	pattern := strings.TrimSuffix(strings.TrimSuffix(text, "/"), "/...")
	pattern = placeholder.ReplaceAllString(pattern, "*")
	if slices.Contains(p.methods, pattern) || p.standard(packagePath.FindString(pattern)) {
		return ""
	}
	var known []string
	for _, all := range []iter.Seq[string]{maps.Keys(p.files), maps.Keys(p.folders)} {
		for at := range all {
			if !strings.Contains(pattern, "/") {
				at = path.Base(at)
			}
			for _, dir := range []string{"", path.Dir(in), path.Dir(path.Dir(in))} {
				if ok, err := path.Match(path.Join(dir, pattern), at); ok && err == nil {
					return ""
				}
			}
			if ok, err := path.Match(pattern, at); ok && err == nil {
				return ""
			}
			known = append(known, at)
		}
	}
	slices.Sort(known)
	return missing("file", text, slices.Compact(known))
}

var (
	placeholder = regexp.MustCompile(`<[^/]*>`)
	packagePath = regexp.MustCompile(`^[a-z0-9/]+`) // of net/http.ServeMux
)
