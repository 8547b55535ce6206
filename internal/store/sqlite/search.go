package sqlite

import (
	"strings"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Degraded says that a binary without FTS5 searches without ranking.
func (e *Engine) Degraded() string {
	if e.fts {
		return ""
	}
	return "this server was built without full-text search: it looks for the words anywhere in the text, and does not rank"
}

// Index answers the statement that puts a document into the search, or replaces it; the
// triggers do the rest.
func (e *Engine) Index(d store.Doc) (query string, args []any) {
	return `INSERT INTO search_docs (kind, id, scope, title, body) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, id) DO UPDATE SET scope = excluded.scope, title = excluded.title, body = excluded.body`,
		[]any{d.Kind, d.ID, d.Scope, d.Title, d.Body}
}

// Match answers the search for documents that hold every word.
func (e *Engine) Match(words []string, q store.Query) (query string, args []any) {
	var b strings.Builder
	if e.fts {
		b.WriteString(`SELECT d.kind, d.id, d.scope, d.title FROM search_fts f JOIN search_docs d ON d.doc = f.rowid WHERE search_fts MATCH ?`)
		args = append(args, matchText(words))
	} else {
		b.WriteString(`SELECT d.kind, d.id, d.scope, d.title FROM search_docs d WHERE 1 = 1`)
		for _, w := range words {
			b.WriteString(` AND instr(lower(d.title || ' ' || d.body), lower(?)) > 0`)
			args = append(args, w)
		}
	}
	args = among(&b, "d.kind", q.Kinds, args)
	args = among(&b, "d.scope", q.Scopes, args)
	if e.fts {
		// The oldest of those that are ranked: a match is cheap to pass over by its number,
		// and expensive to rank.
		b.WriteString(` AND f.rowid >= coalesce((SELECT o.rowid FROM search_fts o JOIN search_docs p ON p.doc = o.rowid WHERE o.search_fts MATCH ?`)
		args = append(args, matchText(words))
		args = among(&b, "p.kind", q.Kinds, args)
		args = among(&b, "p.scope", q.Scopes, args)
		b.WriteString(` ORDER BY o.rowid DESC LIMIT 1 OFFSET ?), 0)`)
		args = append(args, store.MostRanked-1)
		b.WriteString(` ORDER BY bm25(search_fts, 4.0, 1.0), f.rowid DESC`)
	} else {
		b.WriteString(` ORDER BY d.doc DESC`)
	}
	b.WriteString(` LIMIT ? OFFSET ?`)
	return b.String(), append(args, q.Limit, q.Offset)
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

// matchText quotes every word, so that none is syntax of FTS5.
func matchText(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(`"` + strings.ReplaceAll(w, `"`, `""`) + `"`)
	}
	return b.String()
}
