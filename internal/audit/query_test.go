package audit_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// queries are some of every kind.
func queries() map[string]audit.Query {
	return map[string]audit.Query{
		"all":                            {Limit: 1000},
		"some":                           {Limit: 7},
		"the oldest":                     {Limit: 7, Oldest: true},
		"before":                         {Limit: 7, Before: 50},
		"after":                          {Limit: 7, After: 50, Oldest: true},
		"since":                          {Limit: 1000, Since: time.UnixMilli(60)},
		"an outcome":                     {Limit: 9, Outcome: "conflict"},
		"the oldest of an outcome":       {Limit: 9, Outcome: audit.OK, Oldest: true},
		"a principal":                    {Limit: 11, Principal: "p3"},
		"a principal, before":            {Limit: 11, Principal: "p3", Before: 80},
		"a principal, after":             {Limit: 3, Principal: "p3", After: 20, Oldest: true},
		"a principal and an outcome":     {Limit: 11, Principal: "p1", Outcome: "conflict", Since: time.UnixMilli(30)},
		"a capability":                   {Limit: 20, Capability: "act"},
		"all but a capability":           {Limit: 20, Except: "act"},
		"a principal, but no capability": {Limit: 20, Principal: "p1", Except: "act"},
		"nobody":                         {Limit: 20, Principal: "nobody"},
	}
}

// chosen answers the rows that a query chooses, of all rows, the oldest first.
func chosen(all []audit.Row, q audit.Query) (rows []audit.Row) {
	for _, r := range all {
		if (q.Capability == "" || r.Capability == q.Capability) && (q.Except == "" || r.Capability != q.Except) &&
			(q.Principal == "" || r.Principal == q.Principal) && (q.Outcome == "" || r.Outcome == q.Outcome) &&
			(q.Before == 0 || r.ID < q.Before) && (q.After == 0 || r.ID > q.After) && (q.Since.IsZero() || r.At >= q.Since.UnixMilli()) {
			rows = append(rows, r)
		}
	}
	if !q.Oldest {
		slices.Reverse(rows)
	}
	return rows[:min(len(rows), q.Limit)]
}

// TestQueriesChooseRows reads what more than one statement wrote, in ways that the rows
// of several kinds are merged for.
func TestQueriesChooseRows(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		var ticks atomic.Int64 // the writer looks at the clock as well
		door, l := audited(t, d, audit.Options{Now: func() time.Time { return time.UnixMilli(ticks.Add(1) / 3) }})
		const calls = 2*audit.Together + 5
		for i := range calls {
			p := &capabilities.Principal{ID: fmt.Sprintf("p%d", i%5), Kind: capabilities.Person, Scopes: []string{"*"}}
			call(door, p, []string{"well", "refuse", "well", "fail"}[i%4], capabilities.Operation{DryRun: i%3 == 0})
		}
		all, err := l.List(t.Context(), audit.Query{Limit: 1000, Oldest: true})
		if err != nil || len(all) != calls {
			t.Fatalf("%d rows of %d calls (%v)", len(all), calls, err)
		}
		for i, r := range all {
			if want := fmt.Sprintf("p%d", i%5); r.ID != int64(i+1) || r.Principal != want || r.DryRun != (i%3 == 0) || i > 0 && r.At < all[i-1].At {
				t.Fatalf("row %d is %+v", i, r)
			}
		}
		for name, q := range queries() {
			rows, err := l.List(t.Context(), q)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(chosen(all, q), rows); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

// TestNoQuerySorts: a large audit is read in the order of its rows, as far as it takes.
func TestNoQuerySorts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	audited(t, storetest.Database{Name: "sqlite", At: path}, audit.Options{})
	for name, q := range queries() {
		for i, statement := range audit.Statements(q) {
			for _, step := range storetest.Explain(t, filepath.Join(filepath.Dir(path), "audit.db"), statement) {
				if i != 1 && strings.Contains(step, "TEMP B-TREE") {
					t.Errorf("%s: %s: %s", name, statement, step)
				}
				if i == 2 && strings.Contains(step, "SCAN") {
					t.Errorf("%s: %s: %s", name, statement, step)
				}
			}
		}
	}
}
