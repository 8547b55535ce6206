package prose_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// vocabulary is the page that says which words are used, and may name the others.
const vocabulary = "docs/vocabulary.md"

var bracketed = regexp.MustCompile(`\([^)]*\)`)

// synonyms reads the last column of the vocabulary's tables: a word that is not used,
// and the one that is.
func synonyms(page string) map[string]string {
	all, used := map[string]string{}, map[string]bool{}
	for line := range strings.SplitSeq(page, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[3]) == "not" {
			continue
		}
		used[strings.TrimSpace(cells[1])] = true
		for not := range strings.SplitSeq(bracketed.ReplaceAllString(cells[3], ""), ",") {
			if not = strings.TrimSpace(not); not != "" {
				all[not] = strings.TrimSpace(cells[1])
			}
		}
	}
	for is := range used {
		delete(all, is) // a word of one thing, wrong for another
	}
	return all
}

var (
	word = regexp.MustCompile(`[a-z]+`)
	span = regexp.MustCompile("``(.+?)``|`([^`]+)`")
)

// words answers the synonyms that the sentences of a page use, alone or in the plural.
func (p *product) words(d *prose.Document) []prose.Finding {
	var all []prose.Finding
	for _, passage := range d.Passages {
		if passage.Form != prose.Prose {
			continue
		}
		line := " " + strings.Join(word.FindAllString(strings.ToLower(span.ReplaceAllString(passage.Text, ".")), -1), " ") + " "
		for not, is := range p.synonyms {
			if strings.Contains(line, " "+not+" ") || strings.Contains(line, " "+not+"s ") {
				why := fmt.Sprintf("it is not the word here: say %q, or say in the list what else it means", is)
				all = append(all, prose.Finding{Line: passage.Line, Kind: kindWord, Claim: not, Why: why})
			}
		}
	}
	return all
}
