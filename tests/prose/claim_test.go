package prose_test

import (
	"regexp"
	"strings"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// What texts of this module claim beside what a registry knows.
const (
	kindTarget   prose.Kind = "target"   // make test
	kindDecision prose.Kind = "decision" // decision 0003
	kindFile     prose.Kind = "file"     // capabilities/effect.go, tests/arch
	kindSymbol   prose.Kind = "symbol"   // capabilities.Declare
	kindWord     prose.Kind = "word"     // a synonym that docs/vocabulary.md rules out
	kindTest     prose.Kind = "test"     // a link that is called like a test
	kindExcerpt  prose.Kind = "excerpt"  // a block that stands in a file
)

var (
	makeSpan      = regexp.MustCompile(`^make(?: +([a-z][a-z-]*))?(?:$|\s)`)
	decisionIn    = regexp.MustCompile(`\b(?:[Dd]ecisions?|[Rr]ecords?|see|and) (0\d{3})\b|decisions/(\d{4})[-a-z0-9]*`)
	fileSpan      = regexp.MustCompile(`^\.?[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.*<>-]+)*/?$`)
	fileExtension = regexp.MustCompile(`[A-Za-z0-9_>*]\.(?:go|md|mod|sum|ya?ml|json|txt|mjs|html|css)$`)
	symbolShaped  = regexp.MustCompile(`^\*?\[?([a-z][a-z0-9]*)\.([A-Z][A-Za-z0-9]*)`)
)

// ours answers what a passage claims that is about this module. A code span is one thing:
// what the library reads is not read again.
func ours(p prose.Passage, isRead bool) []prose.Claim {
	switch p.Form {
	case prose.Code:
		if isRead {
			return nil
		}
		return ofCode(p.Text)
	case prose.Shell:
		if m := makeSpan.FindStringSubmatch(strings.TrimSpace(p.Text)); m != nil {
			return []prose.Claim{{Kind: kindTarget, Text: m[1]}}
		}
	case prose.Prose:
		var all []prose.Claim
		for _, m := range decisionIn.FindAllStringSubmatch(p.Text, -1) {
			all = append(all, prose.Claim{Kind: kindDecision, Text: m[1] + m[2]})
		}
		return all
	case prose.YAML, prose.JSON:
	}
	return nil
}

func ofCode(text string) []prose.Claim {
	is := func(k prose.Kind, text string) []prose.Claim { return []prose.Claim{{Kind: k, Text: text}} }
	switch m := makeSpan.FindStringSubmatch(text); {
	case m != nil:
		return is(kindTarget, m[1])
	case symbolShaped.MatchString(text):
		return is(kindSymbol, text)
	case fileExtension.MatchString(text) && fileSpan.MatchString(text), strings.Contains(text, "/") && fileSpan.MatchString(text):
		return is(kindFile, text)
	}
	return nil
}
