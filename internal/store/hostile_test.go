package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	readIt   = "hostile_read"
	appendIt = "hostile_append"
	amendIt  = "hostile_amend"
)

// attack is one statement that a handler must not get through.
type attack struct {
	name       string
	capability string
	in         statement
	// first is what another capability prepared before.
	first *statement
	// engine marks what a look at the statement cannot show: what the tables do
	// themselves. No schema of a pack gets that far, see TestSchemasOfPacks.
	engine bool
}

func attacks(elsewhere string) []attack {
	const add = `INSERT INTO notes_note (id, text, version) VALUES ('x', 'x', 1)`
	const amend = `UPDATE notes_note SET text = 'amended'`
	get := func(name, query string) attack {
		return attack{name: name, capability: readIt, in: statement{SQL: query, How: "get"}}
	}
	exec := func(name, query string) attack {
		return attack{name: name, capability: appendIt, in: statement{SQL: query, How: "exec"}}
	}
	amends := func(name, query string) attack {
		return attack{name: name, capability: amendIt, in: statement{SQL: query, How: "exec"}}
	}
	all := []attack{
		get("inserts", add+` RETURNING id`),
		get("inserts and asks for nothing", add),
		get("updates", amend+` RETURNING id`),
		get("deletes", `DELETE FROM notes_note RETURNING id`),
		get("inserts behind WITH", `WITH v AS (SELECT 'x' AS id) INSERT INTO notes_note (id, text, version) SELECT id, '', 1 FROM v RETURNING id`),
		get("attaches a file", `ATTACH DATABASE '`+elsewhere+`' AS other`),
		get("makes a copy elsewhere", `VACUUM INTO '`+elsewhere+`'`),
		get("opens the schema", `PRAGMA writable_schema = 1`),
		get("sets a number", `PRAGMA user_version = 7`),
		get("leaves the log of the file", `PRAGMA journal_mode = DELETE`),
		get("asks for settings as a table", `SELECT * FROM pragma_table_info('notes_note')`),
		get("says two things", `SELECT 1; DELETE FROM notes_note`),
		get("makes a trigger", `CREATE TEMP TRIGGER t AFTER INSERT ON notes_note BEGIN DELETE FROM changes; END`),
		get("makes a table", `CREATE TABLE notes_x (id TEXT)`),
		get("loads code", `SELECT load_extension('evil')`),
		get("reads the ledger", `SELECT count(*) FROM operations`),
		get("reads the tables of the engine", `SELECT count(*) FROM sqlite_master`),
		get("ends the read", `COMMIT`),
		{name: "writes", capability: readIt, in: statement{SQL: add, How: "write"}},
		{name: "inserts and passes over the error", capability: readIt, in: statement{SQL: add, How: "get", Quiet: true}},

		exec("updates", amend),
		exec("deletes", `DELETE FROM notes_note`),
		exec("replaces", `REPLACE INTO notes_note (id, text, version) VALUES ('a', 'replaced', 1)`),
		exec("inserts or replaces", `INSERT OR REPLACE INTO notes_note (id, text, version) VALUES ('a', 'replaced', 1)`),
		exec("inserts or updates", add+` ON CONFLICT (id) DO UPDATE SET text = 'upserted'`),
		exec("replaces what nothing names", `REPLACE INTO notes_plain (id, text) VALUES ('a', 'replaced')`),
		exec("inserts or replaces what nothing names", `INSERT OR REPLACE INTO notes_plain (id, text) VALUES ('a', 'replaced')`),
		exec("replaces a parent", `INSERT OR REPLACE INTO notes_note (id, text, version) VALUES ('a', 'replaced', 2)`),
		exec("updates behind WITH", `WITH v AS (SELECT 'x' AS id) UPDATE notes_note SET text = (SELECT id FROM v)`),
		exec("makes a trigger", `CREATE TRIGGER t AFTER INSERT ON notes_note BEGIN DELETE FROM changes; END`),
		exec("drops a table", `DROP TABLE notes_note`),
		exec("renames a table", `ALTER TABLE notes_note RENAME TO notes_other`),
		exec("attaches a file", `ATTACH DATABASE '`+elsewhere+`' AS other`),
		exec("commits", `COMMIT`),
		exec("rolls back", `ROLLBACK`),
		exec("lets go of the savepoint", `RELEASE job`),
		exec("says two things", add+`; DELETE FROM notes_note`),
		exec("writes into the log", `INSERT INTO changes (stream, seq) VALUES ('main', 99)`),
		{name: "asks for what it inserts", capability: appendIt, in: statement{SQL: amend + ` RETURNING text`, How: "get"}},
		{name: "takes something out of the search", capability: appendIt, in: statement{How: "unindex"}},
		{name: "removes bytes", capability: appendIt, in: statement{How: "drop", SQL: "00"}},
		{name: "updates and passes over the error", capability: appendIt, in: statement{SQL: amend, How: "exec", Quiet: true}},
		{
			name: "runs what another capability prepared", capability: appendIt, first: &statement{SQL: `UPDATE notes_note SET text = text`, How: "exec"},
			in: statement{SQL: `UPDATE notes_note SET text = text`, How: "exec"},
		},

		amends("changes the log", `UPDATE changes SET body = ''`),
		amends("forgets operations", `DELETE FROM operations`),
		amends("gives numbers out again", `UPDATE log_head SET seq = 0`),
		amends("opens the schema", `PRAGMA writable_schema = 1`),
		amends("changes the schema", `UPDATE sqlite_master SET sql = ''`),
		amends("begins anew", `VACUUM`),
		amends("changes the search", `INSERT INTO search_fts (search_fts) VALUES ('delete-all')`),
	}
	trap := exec("inserts where a trigger updates", `INSERT INTO notes_trap (id) VALUES ('x')`)
	trapOut := amends("inserts where a trigger empties the log", `INSERT INTO notes_trap_out (id) VALUES ('x')`)
	trap.engine, trapOut.engine = true, true
	return append(all, trap, trapOut)
}

// TestHostileHandlers: what a capability does not declare it cannot do. The guard of
// statements and the engine hold together, and each alone.
func TestHostileHandlers(t *testing.T) {
	for _, mode := range []struct {
		name             string
		guarded, granted bool
	}{{"guard and engine", true, true}, {"engine alone", false, true}, {"guard alone", true, false}} {
		t.Run(mode.name, func(t *testing.T) {
			h := openHostile(t, mode.guarded, mode.granted)
			elsewhere := filepath.Join(t.TempDir(), "elsewhere.db")
			before := dump(t, h.path)
			for _, a := range attacks(elsewhere) {
				if a.engine && !mode.granted {
					continue
				}
				t.Run(strings.TrimPrefix(a.capability, "hostile_")+" "+a.name, func(t *testing.T) {
					if a.first != nil {
						if err := h.call(t.Context(), amendIt, *a.first); err != nil {
							t.Fatal(err)
						}
						before = dump(t, h.path)
					}
					h.log.take()
					err := h.call(t.Context(), a.capability, a.in)
					if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.InternalError {
						t.Errorf("it is answered %v, want an internal error", err)
					}
					if log := h.log.take(); !strings.Contains(log, "capability="+a.capability) || !strings.Contains(log, "hostile_fixture_test.go:") {
						t.Errorf("the log names neither the capability nor its place:\n%s", log)
					}
					if d := cmp.Diff(before, dump(t, h.path)); d != "" {
						t.Errorf("it changed something (-before +after):\n%s", d)
					}
				})
			}
			t.Run("and what is declared works", func(t *testing.T) {
				for capability, in := range map[string]statement{
					readIt:   {SQL: `SELECT count(*) FROM notes_note`, How: "get"},
					appendIt: {SQL: `INSERT INTO notes_note (id, text, version) VALUES ('y', '', 1)`, How: "exec"},
					amendIt:  {SQL: `DELETE FROM notes_note WHERE id = 'b'`, How: "exec"},
				} {
					if err := h.call(t.Context(), capability, in); err != nil {
						t.Errorf("%s: %v", capability, err)
					}
				}
			})
		})
	}
}
