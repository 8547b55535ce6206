package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Grant limits what is prepared on the connection from now on. Before a statement with
// less than every right is prepared, the server is asked how it would run it, and what
// it says is judged: which tables are read, which are written and how, and which
// functions are called. It is the server's own reading of the statement, so that it
// finds what is behind a view, a WITH or an ON CONFLICT; and what it has no plan for,
// such as SET or COMMIT, no pack may run. Reads have a second limit, the transaction:
// see [Engine.Snapshot].
//
// Roles would not do: who may set one may set another, with set_config in the middle of
// a SELECT. Nor would triggers that look at a setting, for the same reason.
func (e *Engine) Grant(_ context.Context, c *sql.Conn, r store.Rights) error {
	return c.Raw(func(dc any) error {
		own, ok := dc.(*conn)
		if !ok {
			return fmt.Errorf("a connection of PostgreSQL is a %T", dc)
		}
		own.rights = r
		return nil
	})
}

// verdicts remembers what was judged: a plan depends on the tables, which change when
// the program starts, and on nothing that changes later.
type verdicts struct {
	mu   sync.Mutex
	said map[verdictKey]string
}

type verdictKey struct {
	rights store.Rights
	schema string
	query  string
}

// mostVerdicts and longestQuery bound what is remembered. Packs compose few statements;
// those of one that composes many are judged again.
const (
	mostVerdicts = 2048
	longestQuery = 16 << 10
)

func (v *verdicts) of(key verdictKey) (fault string, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fault, known = v.said[key]
	return fault, known
}

func (v *verdicts) note(key verdictKey, fault string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.said == nil || len(v.said) >= mostVerdicts {
		v.said = map[verdictKey]string{}
	}
	if len(key.query) <= longestQuery {
		v.said[key] = fault
	}
}

// judge refuses a statement that would do more than the rights of the connection allow.
func (c *conn) judge(ctx context.Context, s *stmt) error {
	if c.rights == store.Keeping {
		return nil
	}
	key := verdictKey{c.rights, c.schema, s.query}
	fault, known := c.engine.verdicts.of(key)
	if !known {
		var err error
		if fault, err = c.fault(ctx, s); err != nil {
			return c.failed(ctx, err)
		}
		c.engine.verdicts.note(key, fault)
	}
	if fault != "" {
		return &deniedError{s.query, fault}
	}
	return nil
}

// fault says what is wrong with a statement, as the end of a sentence; "" is nothing.
func (c *conn) fault(ctx context.Context, s *stmt) (string, error) {
	const neither = "is none that reads or writes rows"
	// What makes a table of a SELECT, runs what is prepared, or opens a cursor has the
	// plan of that.
	if !dml(s.query) {
		return neither, nil
	}
	plan, err := c.plan(ctx, s)
	if err != nil {
		return "", err
	}
	// A SELECT INTO has the plan of a SELECT and answers no rows.
	writes := slices.ContainsFunc(plan.touched, func(t touched) bool { return t.how != "" })
	if !plan.found || !writes && len(s.d.Fields) == 0 {
		return neither, nil
	}
	for _, t := range plan.touched {
		if fault := c.touches(t); fault != "" {
			return fault, nil
		}
	}
	if fault, err := c.volatile(ctx, plan.calls); fault != "" || err != nil {
		return fault, err
	}
	return c.triggers(ctx, plan.touched)
}

// touches judges how one table is used.
func (c *conn) touches(t touched) string {
	shown := strings.ToLower(t.table)
	switch own := t.schema != c.schema || store.OwnTable(t.table); {
	case own && t.how == "":
		if t.schema != c.schema || !store.Readable(t.table) {
			return "reads " + shown + ", which is no table of a pack"
		}
	case t.how == "":
	case own:
		return "writes " + shown + ", which is no table of a pack"
	case c.rights < store.Appending:
		return "writes, and may only read"
	case c.rights < store.Changing && (t.how != "Insert" || t.upserts):
		return "changes rows, and may only add some"
	}
	return ""
}

// volatile judges the functions that are called: what the server calls volatile may
// change something, whatever the statement is. Numbers may be given out.
func (c *conn) volatile(ctx context.Context, calls []string) (string, error) {
	if len(calls) == 0 {
		return "", nil
	}
	names, err := json.Marshal(calls)
	if err != nil {
		return "", err
	}
	rows, err := ask(ctx, c.pg, "SELECT proname FROM pg_catalog.pg_proc WHERE provolatile = 'v' AND proname <> 'nextval' AND proname IN "+
		"(SELECT pg_catalog.json_array_elements_text("+quoted(string(names))+"::json)) LIMIT 1")
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return "calls " + rows[0][0] + ", which may change something", nil
}

// triggers judges the tables that are written: one with a trigger does what no plan
// shows.
func (c *conn) triggers(ctx context.Context, all []touched) (string, error) {
	var names []string
	for _, t := range all {
		if t.how != "" {
			names = append(names, quoted(t.table))
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	rows, err := ask(ctx, c.pg, "SELECT c.relname FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid "+
		"JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal AND n.nspname = "+quoted(c.schema)+
		" AND c.relname IN ("+strings.Join(slices.Compact(names), ", ")+") LIMIT 1")
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return "writes " + rows[0][0] + ", which has triggers", nil
}

// quoted answers a literal of SQL.
func quoted(text string) string {
	literal := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if strings.Contains(text, `\`) {
		return " E" + strings.ReplaceAll(literal, `\`, `\\`)
	}
	return literal
}

// dml reports whether a statement begins with one of the words that read and write rows.
func dml(query string) bool {
	for {
		query = strings.TrimLeft(query, " \t\r\n\f\v(")
		switch {
		case strings.HasPrefix(query, "--"):
			query = query[through(query, "\n"):]
		case strings.HasPrefix(query, "/*"):
			query = query[comment(query):]
		default:
			end := 0
			for end < len(query) && inName(query[end]) {
				end++
			}
			switch strings.ToUpper(query[:end]) {
			case "SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE":
				return true
			}
			return false
		}
	}
}
