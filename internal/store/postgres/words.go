package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The search of the other engine parts and folds text by the rules of SQLite's tokenizer
// unicode61 with remove_diacritics=2, which are those of Unicode 6.1. This is the same for
// every character of Unicode 6.1. It differs for later ones: SQLite takes the signs and
// the marks among them for letters, and knows no capitals of theirs, so that more is
// found here.

// run is a row of letters, digits and marks, and the words that it is parted into.
type run struct{ words []string }

// whole answers the run as one word.
func (r run) whole() string { return bounded(strings.Join(r.words, " ")) }

// runs answers the words of a text, by the runs that they are of.
func runs(text string) []run {
	var all []run
	var words []string
	var word strings.Builder
	endWord := func() {
		if word.Len() > 0 {
			words = append(words, bounded(word.String()))
			word.Reset()
		}
	}
	endRun := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, run{words})
			words = nil
		}
	}
	for _, r := range text {
		switch {
		case diacritic(r): // it neither stands for something nor parts
		case !separates(r):
			word.WriteRune(fold(r))
		case unicode.IsMark(r):
			endWord()
		default:
			endRun()
		}
	}
	endRun()
	return all
}

// longestWord is the longest that the server indexes, less what marks a longer one.
const longestWord = 1024

// bounded answers a word that is not too long to be indexed: in place of a longer one
// its beginning and its digest stand, in the index and in what is asked for.
func bounded(word string) string {
	if len(word) <= longestWord {
		return word
	}
	sum := sha256.Sum256([]byte(word))
	return strings.ToValidUTF8(word[:64], "") + " " + hex.EncodeToString(sum[:])
}

// separates reports whether a character stands between words. Those that are not
// assigned do not.
func separates(r rune) bool {
	if r < 0x80 {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	return unicode.In(r, unicode.M, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf)
}

// diacritic reports whether a mark is taken off the letter before it.
func diacritic(r rune) bool {
	if r < 0x300 || r > 0x331 {
		return false
	}
	switch {
	case r <= 0x304, r >= 0x306 && r <= 0x30C, r >= 0x323 && r <= 0x328:
		return true
	}
	switch r {
	case 0x30F, 0x311, 0x31B, 0x32D, 0x32E, 0x330, 0x331:
		return true
	}
	return false
}

// fold answers the small letter without what stands above and below it, where it is a
// Latin one.
func fold(r rune) rune {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	r = unicode.ToLower(r)
	switch r {
	case 'µ':
		return 'μ'
	case 'ſ', 'ẛ':
		return 's'
	case 'ς':
		return 'σ'
	case 'ϐ':
		return 'β'
	case 'ϑ':
		return 'θ'
	case 'ϕ':
		return 'φ'
	case 'ϖ':
		return 'π'
	case 'ϰ':
		return 'κ'
	case 'ϱ':
		return 'ρ'
	case 'ϵ':
		return 'ε'
	case '\u1fbe':
		return 'ι'
	case 'ǡ':
		return r // SQLite leaves it
	}
	if r < 0xE0 || r > 0x1EFF || r > 0x24F && r < 0x1E00 {
		return r // none beyond has a Latin base
	}
	parts := []rune(norm.NFD.String(string(r)))
	if parts[0] >= 0x80 {
		return r
	}
	for _, mark := range parts[1:] {
		if !diacritic(mark) {
			return r
		}
	}
	return parts[0]
}
