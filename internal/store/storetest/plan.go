package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// Explain answers the steps by which SQLite runs a statement on the database at path
// (https://www.sqlite.org/eqp.html). Every ? stands for some number.
func Explain(t testing.TB, path, query string) (steps []string) {
	t.Helper()
	e, err := sqlite.New(path)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := e.Open(t.Context(), store.Readers, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	args := make([]any, strings.Count(query, "?"))
	for i := range args {
		args[i] = 1
	}
	rows, err := pool.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("explaining %s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

// Recorder keeps the statements that packs run. Its methods may be called by many
// goroutines.
type Recorder struct {
	mu      sync.Mutex
	queries map[string]bool
}

// Record lets a recorder see the statements of the store that is opened with o.
func Record(o *store.Options) *Recorder {
	r := &Recorder{queries: map[string]bool{}}
	before := o.Seen
	o.Seen = func(query string, args []any) {
		if before != nil {
			before(query, args)
		}
		r.Add(query)
	}
	return r
}

// Add notes a statement.
func (r *Recorder) Add(query string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queries == nil {
		r.queries = map[string]bool{}
	}
	r.queries[query] = true
}

// Statements answers every statement that was seen, once, in order.
func (r *Recorder) Statements() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.queries))
}

// Scans answers, in a sentence each, which of the statements look at every row of a
// table, on the SQLite database at path. small are the tables that do not grow, by the
// names that the statements have for them.
func (r *Recorder) Scans(t testing.TB, path string, small ...string) (found []string) {
	t.Helper()
	for _, query := range r.Statements() {
		for _, step := range Explain(t, path, query) {
			if scans(step, small) {
				found = append(found, fmt.Sprintf("%s: %s", step, strings.Join(strings.Fields(query), " ")))
			}
		}
	}
	return found
}

// scans reports whether a step of a plan looks at every row of a table that grows. An
// index that is read from end to end is no better. A virtual table has its own.
func scans(step string, small []string) bool {
	rest, ok := strings.CutPrefix(step, "SCAN ")
	if !ok || strings.Contains(step, "CONSTANT ROW") || strings.Contains(step, "VIRTUAL TABLE") {
		return false
	}
	table, _, _ := strings.Cut(rest, " ")
	return !slices.Contains(small, table)
}
