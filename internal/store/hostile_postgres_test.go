package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestHostileHandlersOnPostgreSQL: the engine alone refuses what a capability does not
// declare. What it makes of every kind of statement is tested beside it.
func TestHostileHandlersOnPostgreSQL(t *testing.T) {
	url := storetest.Postgres(t)
	h := &hostile{db: storetest.Database{Name: "postgres", At: url}.Open(t, notes())}
	for _, id := range []string{"a", "b"} {
		if _, err := add(t.Context(), h.db, id); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Exec(t, url, `CREATE TABLE notes_trap (id TEXT NOT NULL PRIMARY KEY);
		CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE notes_note SET text = 'trapped'; RETURN NEW; END $$;
		CREATE TRIGGER notes_trap_in AFTER INSERT ON notes_trap FOR EACH ROW EXECUTE FUNCTION trap()`)
	h.db.UnguardedForTest()
	h.door, h.log = doorOf(t, packOf(h.db))
	stored := func() string {
		var b strings.Builder
		if err := h.db.Export(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const touch = `UPDATE notes_note SET text = text`
	before := stored()
	for _, a := range []attack{
		{name: "inserts", capability: readIt, in: statement{SQL: `INSERT INTO notes_note (id, text, version) VALUES ('x', 'x', 1) RETURNING id`, How: "get"}},
		{name: "deletes behind WITH", capability: readIt, in: statement{SQL: `WITH gone AS (DELETE FROM notes_note RETURNING id) SELECT id FROM gone`, How: "select"}},
		{name: "opens the transaction", capability: readIt, in: statement{SQL: `SELECT set_config('transaction_read_only', 'off', false)`, How: "get"}},
		{name: "ends the read", capability: readIt, in: statement{SQL: `COMMIT`, How: "get"}},
		{name: "reads the ledger", capability: readIt, in: statement{SQL: `SELECT count(*) FROM operations`, How: "get"}},
		{name: "says two things", capability: readIt, in: statement{SQL: `SELECT 1; DELETE FROM notes_note`, How: "get"}},
		{name: "inserts and passes over the error", capability: readIt, in: statement{SQL: `DELETE FROM notes_note`, How: "get", Quiet: true}},
		{name: "updates", capability: appendIt, in: statement{SQL: `UPDATE notes_note SET text = 'amended'`, How: "exec"}},
		{name: "inserts or updates", capability: appendIt, in: statement{SQL: `INSERT INTO notes_note (id, text, version) VALUES ('a', 'x', 1) ON CONFLICT (id) DO UPDATE SET text = 'upserted'`, How: "exec"}},
		{name: "updates behind WITH", capability: appendIt, in: statement{SQL: `WITH gone AS (UPDATE notes_note SET text = 'x' RETURNING id) INSERT INTO notes_note (id, text, version) SELECT 'y' || id, '', 1 FROM gone`, How: "exec"}},
		{name: "inserts where a trigger updates", capability: appendIt, in: statement{SQL: `INSERT INTO notes_trap (id) VALUES ('x')`, How: "exec"}},
		{name: "commits", capability: appendIt, in: statement{SQL: `COMMIT`, How: "exec"}},
		{name: "lets go of the savepoint", capability: appendIt, in: statement{SQL: `RELEASE job`, How: "exec"}},
		{name: "updates and passes over the error", capability: appendIt, in: statement{SQL: `UPDATE notes_note SET text = 'amended'`, How: "exec", Quiet: true}},
		{name: "runs what another capability prepared", capability: appendIt, first: &statement{SQL: touch, How: "exec"}, in: statement{SQL: touch, How: "exec"}},
		{name: "gives numbers out again", capability: amendIt, in: statement{SQL: `UPDATE log_head SET seq = 0`, How: "exec"}},
		{name: "truncates", capability: amendIt, in: statement{SQL: `TRUNCATE notes_note`, How: "exec"}},
		{name: "makes a table", capability: amendIt, in: statement{SQL: `CREATE TABLE notes_x AS SELECT 1 AS x`, How: "exec"}},
		{name: "lets commits be lost", capability: amendIt, in: statement{SQL: `SELECT set_config('synchronous_commit', 'off', false)`, How: "get"}},
	} {
		t.Run(strings.TrimPrefix(a.capability, "hostile_")+" "+a.name, func(t *testing.T) {
			if a.first != nil {
				if err := h.call(t.Context(), amendIt, *a.first); err != nil {
					t.Fatal(err)
				}
				before = stored()
			}
			h.log.take()
			err := h.call(t.Context(), a.capability, a.in)
			if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.InternalError {
				t.Errorf("it is answered %v, want an internal error", err)
			}
			if log := h.log.take(); !strings.Contains(log, "capability="+a.capability) || !strings.Contains(log, "hostile_fixture_test.go:") {
				t.Errorf("the log names neither the capability nor its place:\n%s", log)
			}
			if d := cmp.Diff(before, stored()); d != "" {
				t.Errorf("it changed something (-before +after):\n%s", d)
			}
			if s := h.db.State(); s.Err != nil {
				t.Errorf("the store is in trouble because of it: %v", s.Err)
			}
		})
	}
	for capability, in := range map[string]statement{
		readIt:   {SQL: `SELECT count(*) FROM notes_note`, How: "get"},
		appendIt: {SQL: `INSERT INTO notes_note (id, text, version) VALUES ('y', '', 1)`, How: "exec"},
		amendIt:  {SQL: `DELETE FROM notes_note WHERE id = 'b'`, How: "exec"},
	} {
		if err := h.call(t.Context(), capability, in); err != nil {
			t.Errorf("what %s declares is answered %v", capability, err)
		}
	}
}
