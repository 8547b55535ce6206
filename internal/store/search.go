package store

import (
	"strings"
	"unicode"
)

// Query asks for documents that hold every word of a text.
type Query struct {
	// Text is words. No character of it has a meaning of its own.
	Text string
	// Kinds and Scopes are those to look in; none is all.
	Kinds, Scopes []string
	// Limit is the most hits, Offset how many of the best to leave out.
	Limit, Offset int
}

// Hit is one document that was found.
type Hit struct {
	Kind  string `db:"kind"`
	ID    string `db:"id"`
	Scope string `db:"scope"`
	Title string `db:"title"`
}

// Mode is how a search was served.
type Mode string

// Keyword search ranks by the words of the query. It is the one mode there is.
const Keyword Mode = "keyword"

// Found is the answer of a search, best first.
type Found struct {
	Hits []Hit
	Mode Mode
	// Degraded says in a sentence what the answer lacks; "" is nothing.
	Degraded string
}

// MostRanked is how many documents a search ranks: of more than that, the newest ones. A
// word that stands in everything tells nothing about which is best, and would cost a look
// at all of them.
const MostRanked = 2000

// mostTerms bounds the words of a query: further ones are not looked at.
const mostTerms = 32

// terms answers the words of a text as the engines index them: runs of letters, marks
// and digits.
func terms(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return all[:min(len(all), mostTerms)]
}

// Search answers the documents that hold every word of the query, of the newest
// [MostRanked]. A text without a word finds nothing.
func (r *Reader) Search(q Query) (Found, error) {
	found := Found{Mode: Keyword, Degraded: r.session.engine.Degraded()}
	words := terms(q.Text)
	if len(words) == 0 {
		return found, nil
	}
	query, args := r.session.engine.Match(words, q)
	return found, r.own(&found.Hits, query, args...)
}
