package tracker

import (
	"regexp"
	"slices"
)

var (
	// What stands in code is not said to anybody.
	codeSpan = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")
	// An @ within a word is part of an address.
	mention = regexp.MustCompile(`(?:^|[^A-Za-z0-9._@/-])@([A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?)`)
)

// maxMentions is how many names a comment mentions at most; more are not looked up.
const maxMentions = 50

// mentioned answers the ids that a text mentions with @, each once and in their order,
// and the names that are nobody's, or more than one's.
func (d Deps) mentioned(text string) (ids, unresolved []string) {
	seen := map[string]bool{}
	for _, m := range mention.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, " "), -1) {
		name := m[1]
		if seen[name] || len(seen) >= maxMentions {
			continue
		}
		seen[name] = true
		found := []string{name}
		if d.Roster != nil {
			found = d.Roster.Find(name)
		}
		switch {
		case len(found) != 1:
			unresolved = append(unresolved, name)
		case !slices.Contains(ids, found[0]):
			ids = append(ids, found[0])
		}
	}
	return ids, unresolved
}
