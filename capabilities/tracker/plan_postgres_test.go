package tracker

import (
	"maps"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestEveryStatementHasAnIndexOnPostgres: what has an index on SQLite may have none there.
func TestEveryStatementHasAnIndexOnPostgres(t *testing.T) {
	d := storetest.Database{Name: "postgres", At: storetest.Postgres(t)}
	d.Open(t, Schema())
	all := statements(t)
	maps.Copy(all, selections())
	queries := slices.Sorted(maps.Values(all))
	if len(queries) < 80 {
		t.Fatalf("only %d statements were found", len(queries))
	}
	for _, s := range storetest.PostgresScans(t, d.At, queries) {
		t.Error(s)
	}
}
