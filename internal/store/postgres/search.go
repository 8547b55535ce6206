package postgres

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Degraded answers "": nothing is missing.
func (e *Engine) Degraded() string { return "" }

// Index answers the statement that puts a document into the search, or replaces it.
func (e *Engine) Index(d store.Doc) (query string, args []any) {
	return `INSERT INTO search_docs (kind, id, scope, title, body, words) VALUES (?, ?, ?, ?, ?, CAST(? AS TSVECTOR))
		ON CONFLICT (kind, id) DO UPDATE SET scope = excluded.scope, title = excluded.title, body = excluded.body, words = excluded.words`,
		[]any{d.Kind, d.ID, d.Scope, d.Title, d.Body, vector(d.Title, d.Body)}
}

// Match answers the search for documents that hold every word. A word in a title counts
// four times one in a body, as in the other engine.
func (e *Engine) Match(words []string, q store.Query) (query string, args []any) {
	asked := question(words)
	var b strings.Builder
	b.WriteString(`SELECT d.kind, d.id, d.scope, d.title FROM (SELECT * FROM search_docs d WHERE d.words @@ CAST(? AS TSQUERY)`)
	args = append(args, asked)
	args = among(&b, "d.kind", q.Kinds, args)
	args = among(&b, "d.scope", q.Scopes, args)
	b.WriteString(` ORDER BY d.doc DESC LIMIT ?) d ORDER BY ts_rank('{0, 0, 0.25, 1}', d.words, CAST(? AS TSQUERY)) DESC, d.doc DESC LIMIT ? OFFSET ?`)
	return b.String(), append(args, store.MostRanked, asked, q.Limit, q.Offset)
}

// among writes the condition that a column is one of some values; none is any.
func among(b *strings.Builder, column string, values []string, args []any) []any {
	if len(values) == 0 {
		return args
	}
	b.WriteString(" AND " + column + " IN (?" + strings.Repeat(", ?", len(values)-1) + ")")
	for _, v := range values {
		args = append(args, v)
	}
	return args
}

// Limits of the type tsvector (https://www.postgresql.org/docs/current/textsearch-limitations.html).
const (
	mostPosition   = 16383
	mostPositions  = 256     // of one word
	heaviestVector = 1 << 20 // of all words and their positions, each a little more than it is
)

// vector writes the words of a document as the server takes them, each with where it
// stands: A is the title, B the body.
//
// What is beyond the limits of the type is left out: where the words of a very long text
// stand first, so that they are found and words in a row are not, and then its last
// words.
func vector(title, body string) string {
	v := vectorWriter{at: map[string]*places{}}
	v.add(title, 'A')
	v.next++ // the last word of the title is not before the first of the body
	v.add(body, 'B')
	return v.text()
}

type vectorWriter struct {
	at    map[string]*places
	order []string
	next  int
}

// places are where a word stands, as they are written.
type places struct {
	text string
	n    int
}

func (v *vectorWriter) add(text string, weight byte) {
	for _, run := range runs(text) {
		from := v.next
		for _, w := range run.words {
			v.next++
			v.put(w, v.next, weight)
		}
		// A run that is parted is found as a whole however often its parts occur.
		if len(run.words) > 1 {
			v.put(run.whole(), from+1, weight)
		}
	}
}

func (v *vectorWriter) put(word string, position int, weight byte) {
	p, ok := v.at[word]
	if !ok {
		p = &places{}
		v.at[word] = p
		v.order = append(v.order, word)
	}
	if position > mostPosition && p.n > 0 || p.n >= mostPositions {
		return
	}
	if p.n > 0 {
		p.text += ","
	}
	p.text += strconv.Itoa(min(position, mostPosition)) + string(weight)
	p.n++
}

func (v *vectorWriter) text() string {
	words, all := 0, 0
	for w, p := range v.at {
		words += len(w) + 4
		all += len(w) + 8 + 2*p.n
	}
	var b strings.Builder
	b.Grow(2 * all)
	weight := 0
	for _, w := range v.order {
		if weight += len(w) + 4; weight > heaviestVector-(1<<10) {
			break
		}
		b.WriteString(literal(w))
		if all < heaviestVector-(1<<10) {
			b.WriteString(":" + v.at[w].text)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// question writes the words that are asked for as the server takes them.
func question(words []string) string {
	var all []string
	for _, w := range words {
		for _, run := range runs(w) {
			parts := make([]string, len(run.words))
			for i, p := range run.words {
				parts[i] = literal(p)
			}
			one := strings.Join(parts, " <-> ")
			if len(parts) > 1 {
				one = "((" + one + ") | " + literal(run.whole()) + ")"
			}
			all = append(all, one)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " & ")
}

// literal quotes a word for both types.
func literal(word string) string {
	if strings.ContainsAny(word, `'\`) {
		word = strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(word)
	}
	return "'" + word + "'"
}
