package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// node is one step of a plan of PostgreSQL.
type node struct {
	Type  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Index string `json:"Index Name"`
	Cond  string `json:"Index Cond"`
	Plans []node `json:"Plans"`
}

// PostgresScans answers, in a sentence each, which of the statements look at every row
// of a table in the database of a URL, whatever their arguments are. small are the tables
// that do not grow. On a small table the best way is to read it, so that the server is told to do
// so only where it knows no other.
func PostgresScans(t testing.TB, url string, queries []string, small ...string) (found []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), execTime)
	defer cancel()
	conn, err := pgconn.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan").ReadAll(); err != nil {
		t.Fatal(err)
	}
	e := EngineAt(t, url)
	for _, query := range queries {
		d, err := conn.Prepare(ctx, "asked", e.Rebind(query), nil)
		if err != nil {
			t.Errorf("preparing %s: %v", query, err)
			continue
		}
		call := "asked"
		if n := len(d.ParamOIDs); n > 0 {
			call += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
		}
		all, err := conn.Exec(ctx, "EXPLAIN (COSTS OFF, FORMAT JSON) EXECUTE "+call+"; DEALLOCATE asked").ReadAll()
		if err != nil {
			t.Fatalf("explaining %s: %v", query, err)
		}
		var plans []struct {
			Plan node `json:"Plan"`
		}
		if err := json.Unmarshal(all[0].Rows[0][0], &plans); err != nil {
			t.Fatalf("reading the plan of %s: %v", query, err)
		}
		for _, p := range plans {
			for _, step := range p.Plan.scans(small) {
				found = append(found, fmt.Sprintf("%s: %s", step, strings.Join(strings.Fields(query), " ")))
			}
		}
	}
	return found
}

// scans answers the steps that look at every row of a table that grows. An index that
// is read from end to end is no better.
func (n node) scans(small []string) (found []string) {
	for _, below := range n.Plans {
		found = append(found, below.scans(small)...)
	}
	of := n.Table
	switch n.Type {
	case "Seq Scan":
	case "Index Scan", "Index Only Scan", "Bitmap Index Scan":
		if n.Cond != "" {
			return found
		}
		of += " " + n.Index
	default:
		return found
	}
	if slices.Contains(small, n.Table) {
		return found
	}
	return append(found, n.Type+" of "+of)
}
