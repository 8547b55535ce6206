package prose_test

import (
	"fmt"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/codegen/prose"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// judged answers why a claim of our own kinds is not true, with the nearest name that is.
func (p *product) judged(in string, c prose.Claim) (why, nearest string) {
	switch c.Kind {
	case kindTarget:
		if c.Text != "" {
			return missing("target of the Makefile", c.Text, p.targets)
		}
	case kindDecision:
		return p.judgedDecision(c.Text)
	case kindFile:
		return p.judgedFile(in, c.Text)
	case kindSymbol:
		m := symbolShaped.FindStringSubmatch(c.Text)
		if known, ours := p.symbols[m[1]]; ours {
			return missing("name in package "+m[1], m[2], known)
		}
	default:
	}
	return "", "" // a package of somebody else
}

// missing answers "" for a name that is known.
func missing(what, name string, known []string) (why, nearest string) {
	if slices.Contains(known, name) {
		return "", ""
	}
	nearest, _ = schema.Nearest(name, known[:min(len(known), 2000)])
	return "there is no such " + what, nearest
}

func (p *product) judgedDecision(number string) (why, nearest string) {
	var known []string
	for name := range p.files {
		if n, ok := strings.CutPrefix(name, "docs/decisions/"); ok {
			known = append(known, n[:min(len(n), 4)])
		}
	}
	if slices.Contains(known, number) {
		return "", ""
	}
	return fmt.Sprintf("there is no decision %s", number), ""
}

// judgedFile looks a path up from the root, from the text's own folder or the one above,
// or, for a name without a folder, anywhere. A <field> and a * stand for any name, /... for
// everything below. A method of MCP and a package of the standard library are spelt like
// paths too.
func (p *product) judgedFile(in, text string) (why, nearest string) {
	pattern := strings.TrimSuffix(strings.TrimSuffix(text, "/"), "/...")
	pattern = strings.TrimPrefix(placeholder.ReplaceAllString(pattern, "*"), module)
	if slices.Contains(p.methods, pattern) || p.standard(packagePath.FindString(pattern)) {
		return "", ""
	}
	var known []string
	for _, all := range []iter.Seq[string]{maps.Keys(p.files), maps.Keys(p.folders)} {
		for at := range all {
			if !strings.Contains(pattern, "/") {
				at = path.Base(at)
			}
			for _, dir := range []string{"", path.Dir(in), path.Dir(path.Dir(in))} {
				if ok, err := path.Match(path.Join(dir, pattern), at); ok && err == nil {
					return "", ""
				}
			}
			if ok, err := path.Match(pattern, at); ok && err == nil {
				return "", ""
			}
			known = append(known, at)
		}
	}
	slices.Sort(known)
	return missing("file", text, slices.Compact(known))
}

// module is what the import path of a package of ours begins with.
const module = "github.com/seed-89b9419b/holotype/"

var (
	placeholder = regexp.MustCompile(`<[^/]*>`)
	packagePath = regexp.MustCompile(`^[a-z0-9/]+`) // of net/http.ServeMux
)
