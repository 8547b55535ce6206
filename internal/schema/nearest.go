package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Bounds on a search for the nearest name; beyond them there is no useful suggestion.
const (
	maxNearestName  = 64
	maxNearestKnown = 2000
)

// Nearest answers the known name that a misspelt name most likely meant: equal but for case and separators, or within one
// edit in three characters (an insertion, a deletion, a substitution or a swap of neighbours), at most three. Of equally near
// names the first in known wins. It answers false when nothing is near, and for an exact match.
func Nearest(name string, known []string) (string, bool) {
	if name == "" || len(name) > maxNearestName || len(known) > maxNearestKnown {
		return "", false
	}
	folded := fold(name)
	best, bestDistance := "", min(3, max(1, len(name)/3))+1
	for _, candidate := range known {
		if candidate == name {
			return "", false
		}
		if len(candidate) > maxNearestName {
			continue
		}
		distance := 0
		if other := fold(candidate); other != folded {
			distance = editDistance(folded, other)
		}
		// An edit must leave more of the name than it changes: "id" is no misspelling of "at".
		if distance < bestDistance && distance < len(candidate) && 2*distance < max(len(folded), 3) {
			best, bestDistance = candidate, distance
		}
	}
	return best, best != ""
}

// nearestOf answers some of the known names, those first that are the fewest edits away. Of equally near names the first in
// known comes first.
func nearestOf(name string, known []string, some int) []string {
	name = cut(name, maxNearestName)
	known = slices.Clone(known[:min(len(known), maxNearestKnown)])
	far := make(map[string]int, len(known))
	for _, k := range known {
		far[k] = editDistance(fold(name), fold(cut(k, maxNearestName)))
	}
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return known[:min(len(known), some)]
}

// fold drops what writers vary without meaning: case and separators.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ', '.':
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// editDistance is the optimal string alignment distance, by bytes, of two names of at most maxNearestName bytes.
func editDistance(a, b string) int {
	var rows [3][4 * maxNearestName]int // lower-casing may lengthen a name
	if len(a) >= len(rows[0]) || len(b) >= len(rows[0]) {
		return maxNearestName
	}
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
