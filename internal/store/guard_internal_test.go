package store

import (
	"fmt"
	"strings"
	"testing"
)

// TestGuardTakes: the statements that packs are made of.
func TestGuardTakes(t *testing.T) {
	for _, c := range []struct {
		rights Rights
		verb   verb
		query  string
	}{
		{Reading, reads, `SELECT id, text FROM notes_note WHERE id = ?`},
		{Reading, reads, "SELECT n.id AS a, 'it''s; -- \" ok' AS b\n\tFROM notes_note n LEFT JOIN notes_note m ON m.id = n.id AND m.version <> n.version, notes_tag t WHERE n.id IN (?, ?) ORDER BY n.id DESC NULLS LAST LIMIT ? OFFSET ?"},
		{Reading, reads, `SELECT (SELECT coalesce(max(num), 0) FROM notes_key WHERE a = ?) AS num, (SELECT count(*) FROM notes_key) AS seq`},
		{Reading, reads, `WITH RECURSIVE up (id, depth) AS (SELECT id, 0 FROM notes_note WHERE id = ? UNION ALL SELECT n.parent, up.depth + 1 FROM up JOIN notes_note n ON n.id = up.id) SELECT id FROM up WHERE depth > 1.5`},
		{Reading, reads, `WITH a AS (SELECT 1 AS x), b AS NOT MATERIALIZED (SELECT x FROM a) SELECT x FROM (SELECT x FROM b) c`},
		{Reading, reads, `SELECT id FROM notes_note WHERE lower(text) LIKE ? ESCAPE '!' AND lower(coalesce(text, '')) NOT LIKE '%a' AND version IS NOT NULL AND id IS DISTINCT FROM ?`},
		{Reading, reads, `SELECT seq, row_number() OVER (PARTITION BY kind ORDER BY seq) AS n FROM changes WHERE NOT EXISTS (SELECT 1 FROM notes_note)`},
		{Reading, reads, `SELECT CASE WHEN version > 1 THEN 'new' ELSE 'old' END FROM notes_note n JOIN (notes_tag t JOIN notes_tag u ON u.id = t.id) ON t.id = n.id`},
		{Appending, reads, `SELECT count(*) FROM notes_note`},
		{Appending, writes, `INSERT INTO notes_note (id, text, version) VALUES (?, ?, 1)`},
		{Appending, writes, `INSERT INTO notes_note (id, text) SELECT id, 'update delete replace' FROM notes_tag WHERE id = ? ON CONFLICT (id) DO NOTHING`},
		{Changing, writes, `INSERT INTO notes_note (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET text = excluded.text`},
		{Changing, writes, `UPDATE notes_note SET text = ?, version = version + 1 WHERE id = ? AND version = ?`},
		{Changing, writes, `WITH old AS (SELECT id FROM notes_note) DELETE FROM notes_note WHERE id IN (SELECT id FROM old)`},
	} {
		if fault := judge([]string{"notes"}, c.rights, c.query, c.verb); fault != "" {
			t.Errorf("%s\nis refused: it %s", c.query, fault)
		}
	}
}

// TestGuardRefuses: one case a rule, and the ways around it.
func TestGuardRefuses(t *testing.T) {
	const write = "INSERT INTO notes_note (id) VALUES (1)"
	for _, c := range []struct {
		rights Rights
		verb   verb
		query  string
		says   string
	}{
		{Reading, reads, write, "does not begin with SELECT"},
		{Changing, reads, write + " RETURNING id", "run what writes with Exec"},
		{Reading, writes, write, "declares that it reads"},
		{Reading, writes, "SELECT 1", "does not begin with INSERT"},
		{Reading, reads, "", "does not begin with SELECT"},
		{Reading, reads, "VALUES (1)", "does not begin with SELECT"},
		{Reading, reads, "(SELECT 1)", "does not begin with SELECT"},
		{Reading, reads, "WITH x AS (SELECT 1) " + write, "does not begin with SELECT"},
		{Reading, reads, "WITH x AS (DELETE FROM notes_note RETURNING id) SELECT id FROM x", "inside of another statement"},
		{Reading, reads, "WITH x AS (INSERT INTO notes_note (id) VALUES (1) RETURNING id) SELECT id FROM x", "inside of another statement"},
		{Changing, writes, "WITH x AS (DELETE FROM notes_note RETURNING id) " + write, "inside of another statement"},
		{Appending, writes, "UPDATE notes_note SET text = ''", "only adds"},
		{Appending, writes, "DELETE FROM notes_note", "only adds"},
		{Appending, writes, "WITH x AS (SELECT 1) UPDATE notes_note SET text = ''", "only adds"},
		{Appending, writes, write + " ON CONFLICT (id) DO UPDATE SET text = ''", "only adds"},
		{Appending, writes, write + " ON CONFLICT (id)\tdo\n uPdAtE SET text = ''", "only adds"},
		{Appending, writes, "REPLACE INTO notes_note (id) VALUES (1)", "REPLACE"},
		{Changing, writes, "INSERT OR REPLACE INTO notes_note (id) VALUES (1)", "INSERT OR"},
		{Changing, writes, "INSERT OR IGNORE INTO notes_note (id) VALUES (1)", "INSERT OR"},
		{Changing, writes, "UPDATE OR FAIL notes_note SET id = 1", "UPDATE OR"},
		{Changing, writes, write + "; DELETE FROM notes_note", `";`},
		{Reading, reads, "SELECT 1;", `";"`},
		{Reading, reads, "SELECT 1 -- , 2", "not portable"},
		{Reading, reads, "SELECT 1 /* , 2 */", "not portable"},
		{Reading, reads, `SELECT "id" FROM notes_note`, "not portable"},
		{Reading, reads, "SELECT `id` FROM notes_note", "not portable"},
		{Reading, reads, "SELECT [id] FROM notes_note", "not portable"},
		{Reading, reads, "SELECT id::text FROM notes_note", "not portable"},
		{Reading, reads, "SELECT id FROM notes_note WHERE id = $1", "not portable"},
		{Reading, reads, "SELECT id FROM notes_note WHERE id = ?1", "not portable"},
		{Reading, reads, "SELECT id FROM notes_note WHERE id = :id", "not portable"},
		{Reading, reads, "SELECT body -> 'a' FROM changes", "not portable"},
		{Reading, reads, "SELECT id FROM notes_note WHERE id == 1", "not portable"},
		{Reading, reads, "SELECT id FROM notes_nöte", "not portable"},
		{Reading, reads, "SELECT 'a", "without an end"},
		{Reading, reads, "SELECT 'a\x00'", "without an end"},
		{Reading, reads, "SELECT 0x10", "no plain number"},
		{Reading, reads, "SELECT x'00'", "behind a word"},
		{Reading, reads, "SELECT E'\\n'", "behind a word"},
		{Reading, reads, "SELECT regclass 'pg_class'", "behind a word"},
		{Reading, reads, "SELECT (1", "open"},
		{Reading, reads, "SELECT 1)", "not open"},
		{Reading, reads, "SELECT id FROM notes_note WHERE text ILIKE 'a'", "ILIKE"},
		{Reading, reads, "SELECT id FROM notes_note WHERE text LIKE 'a'", "without lower"},
		{Reading, reads, "SELECT id FROM notes_note WHERE upper(text) LIKE 'a'", "without lower"},
		{Reading, reads, "SELECT id FROM notes_note WHERE id IS ?", "IS without NULL"},
		{Reading, reads, "SELECT id FROM notes_note LIMIT ?, ?", "LIMIT with a comma"},
		{Reading, reads, "SELECT max(1, 2)", "say CASE"},
		{Reading, reads, "SELECT id FROM notes_note WHERE a = TRUE", "TRUE"},
		{Reading, reads, "SELECT CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"},
		{Reading, reads, "SELECT load_extension ('x')", "calls load_extension"},
		{Reading, reads, "SELECT pg_sleep(1)", "calls pg_sleep"},
		{Reading, reads, "SELECT id FROM notes_note FOR UPDATE", "FOR"},
		{Reading, reads, "SELECT id INTO notes_copy FROM notes_note", "INTO without INSERT"},
		{Reading, reads, "WITH x AS (TABLE pg_shadow) SELECT 1 FROM x", "TABLE"},
		{Reading, reads, "SELECT 1 FROM (WITH x AS (SELECT 1) SELECT 1 FROM x) y", "WITH inside"},
		{Reading, reads, "SELECT 1 FROM operations", "no table of a pack"},
		{Reading, reads, "SELECT 1 FROM notes_note, operations", "no table of a pack"},
		{Reading, reads, "SELECT 1 FROM notes_note n JOIN notes_note m ON m.id IN (1, 2), operations", "no table of a pack"},
		{Reading, reads, "SELECT 1 FROM (notes_note n JOIN operations o ON 1 = 1)", "no table of a pack"},
		{Reading, reads, "SELECT 1 WHERE 1 IN (SELECT 1 FROM Sqlite_Master)", "no table of a pack"},
		{Reading, reads, "WITH operations AS (SELECT 1 FROM operations) SELECT 1 FROM operations", "name that it may not have"},
		{Reading, reads, "WITH pg_shadow AS (SELECT 1) SELECT 1 FROM pg_shadow", "name that it may not have"},
		{Reading, reads, "SELECT 1 FROM main.notes_note", "names a schema"},
		{Reading, reads, "SELECT 1 FROM pragma_table_info('notes_note')", "calls pragma_table_info"},
		{Reading, reads, "SELECT 1 FROM 'sqlite_master'", "no plain name"},
		{Reading, reads, "SELECT DISTINCT FROM pg_shadow", "without IS"},
		{Reading, reads, "SELECT 1 FROM notes", "no table of a pack"},
		{Changing, writes, "DELETE FROM changes", "no table of a pack"},
		{Changing, writes, "UPDATE log_head SET seq = 0", "no table of a pack"},
		{Changing, writes, "INSERT INTO search_docs (id) VALUES (1)", "no table of a pack"},
		{Changing, writes, "WITH x AS (SELECT 1) DELETE FROM x", "no table of a pack"},
		{Changing, writes, "PRAGMA writable_schema = 1", "PRAGMA"},
		{Changing, writes, "ATTACH 'x' AS y", "ATTACH"},
		{Changing, writes, "CREATE TABLE notes_x (id TEXT)", "CREATE"},
		{Changing, writes, "COMMIT", "COMMIT"},
		{Reading, reads, "SELECT " + strings.Repeat("1 + ", longestQuery/4) + "1", "are taken"},
	} {
		fault := judge([]string{"notes"}, c.rights, c.query, c.verb)
		if !strings.Contains(fault, c.says) || fault == "" {
			t.Errorf("%.200s\nis refused with %q, want one that says %q", c.query, fault, c.says)
		}
	}
}

func TestGuardRemembersFew(t *testing.T) {
	g := &guard{owners: []string{"notes"}}
	for i := range 3 * mostJudged {
		query := fmt.Sprintf(`SELECT %d FROM notes_note`, i)
		for range 2 {
			if err := g.allow(Reading, query, reads); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(g.judged) > mostJudged {
		t.Errorf("the guard remembers %d statements, at most %d are wanted", len(g.judged), mostJudged)
	}
	const bad = `SELECT 1 FROM operations`
	for range 2 {
		if err := g.allow(Reading, bad, reads); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("the refusal %v does not name the statement", err)
		}
	}
}

// FuzzGuard: no text makes the guard fail, and what it lets through has one of few
// forms.
func FuzzGuard(f *testing.F) {
	for _, q := range []string{
		`SELECT (a) FROM notes_note`, `WITH x (y) AS (SELECT 1) SELECT y FROM x`, `INSERT INTO notes_note (a) VALUES ('x''')`, `WITH`, `WITH x`, `SELECT a FROM`,
		`WITH x AS (`, `SELECT max(`, `SELECT lower(a) LIKE`, `IS`, `SELECT 1 FROM (`, `FROM DISTINCT FROM`,
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		for _, v := range []verb{reads, writes} {
			if judge([]string{"notes"}, Appending, query, v) != "" {
				continue
			}
			tokens, _ := sqlTokens(query)
			for _, word := range tokens {
				if word.kind == sqlWord && (word.text == "DELETE" || word.text == "UPDATE" || word.text == "REPLACE" || v == reads && word.text == "INSERT") {
					t.Errorf("%q is allowed as an append", query)
				}
			}
		}
	})
}
