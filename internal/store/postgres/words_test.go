package postgres

import (
	"database/sql"
	"strings"
	"testing"
	"unicode"

	_ "github.com/mattn/go-sqlite3" // the tokenizer that this one is like
)

// sqliteWords answers the words that SQLite makes of texts, by their number.
func sqliteWords(t *testing.T, texts []string) [][]string {
	t.Helper()
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(`CREATE VIRTUAL TABLE f USING fts5(x, tokenize='unicode61 remove_diacritics 2')`)
	run(`CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')`)
	run(`BEGIN`)
	stmt, err := db.PrepareContext(t.Context(), `INSERT INTO f (rowid, x) VALUES (?, ?)`)
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	for i, text := range texts {
		if _, err := stmt.ExecContext(t.Context(), i, text); err != nil {
			t.Fatal(err)
		}
	}
	run(`COMMIT`)
	rows, err := db.QueryContext(t.Context(), `SELECT doc, term FROM v ORDER BY doc, offset`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	all := make([][]string, len(texts))
	for rows.Next() {
		var doc int
		var term string
		if err := rows.Scan(&doc, &term); err != nil {
			t.Fatal(err)
		}
		all[doc] = append(all[doc], term)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func wordsOf(text string) (all []string) {
	for _, r := range runs(text) {
		all = append(all, r.words...)
	}
	return all
}

// later reports whether Unicode, since version 6.1, added a character that SQLite does
// not know: it takes such a one for a letter that has no other form.
func later(r rune, sqlite []string) bool {
	alone := len(sqlite) == 1 && sqlite[0] == "q"+string(r)+"w"
	return alone && (unicode.ToLower(r) != r || unicode.In(r, unicode.M, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf))
}

// reclassified are the characters that were marks in Unicode 6.1 and are letters now,
// and those that are none.
func reclassified(r rune) bool {
	return r >= 0x19B0 && r <= 0x19C9 || r == 0x1CF2 || r == 0x1CF3 || r == 0xFFFE || r == 0xFFFF
}

// TestEveryCharacterIsReadAsInSQLite: but for those of later versions of Unicode.
func TestEveryCharacterIsReadAsInSQLite(t *testing.T) {
	var texts []string
	var of []rune
	for r := rune(1); r <= unicode.MaxRune; r++ {
		ideograph := r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r < 0xD800 || r > 0x1FFFF && r < 0xE0000
		if r >= 0xD800 && r < 0xE000 || ideograph && r%61 != 0 || r >= 0x10000 && r < 0x1FFFF && r%3 != 0 || r >= 0xF0000 && r%997 != 0 {
			continue // no characters, and vast planes of characters that are alike
		}
		texts, of = append(texts, "q"+string(r)+"w"), append(of, r)
	}
	differ, excused := 0, 0
	for i, want := range sqliteWords(t, texts) {
		r := of[i]
		got := wordsOf(texts[i])
		switch {
		case strings.Join(got, " ") == strings.Join(want, " "):
		case later(r, want) || reclassified(r):
			excused++
			// In what people write every day there is no excuse.
			if r < 0x370 || r >= 0x400 && r < 0x528 || r >= 0x5D0 && r < 0x5EB || r >= 0x3041 && r < 0x30FB || r >= 0x4E00 && r < 0x9FCD || r >= 0xAC00 && r < 0xD7A4 {
				t.Errorf("%U is read as %q, and by SQLite as %q", r, got, want)
			}
		default:
			if differ++; differ < 20 {
				t.Errorf("%U is read as %q, and by SQLite as %q", r, got, want)
			}
		}
	}
	if excused > 4000 {
		t.Errorf("%d characters are excused", excused)
	}
}

func TestTextsAreReadAsInSQLite(t *testing.T) {
	texts := []string{
		"", " ", "plain", "Two Words", "don't e-mail me@example.com v1.2_3", "Über die Brücke", "U\u0308ber", "a\u0301\u0302b", "\u0301x", "x\u0301",
		"naïve façade", "Ångström Ǻ", "İstanbul ıI", "ΑΘΗΝΑ Αθήνα ς σ Σ", "Ёлка йод", "日本語 テキスト", "ｆｕｌｌ Ｗｉｄｔｈ", "हिन्दी में", "שָׁלוֹם", "مُحَمَّد",
		"x² ½ Ⅷ ①", "100% №5 §3 €7", "a\u200bb a\u00adb", "tab\tnew\nline\r\n", "emoji😀between", "\ufeffbom", "ﬁ ﬂ", "straße STRASSE", "Tiếng Việt đường", "e\u0323\u0302",
	}
	for i, want := range sqliteWords(t, texts) {
		if got := wordsOf(texts[i]); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q is read as %q, and by SQLite as %q", texts[i], got, want)
		}
	}
}

func TestRebind(t *testing.T) {
	e := &Engine{}
	for _, c := range []struct{ name, query, want string }{
		{"none", `SELECT 1`, `SELECT 1`},
		{"several", `SELECT ? + ?, ?`, `SELECT $1 + $2, $3`},
		{"in a string", `SELECT '?' || ?`, `SELECT '?' || $1`},
		{"behind a doubled quote", `SELECT 'it''s ?' || ?`, `SELECT 'it''s ?' || $1`},
		{"in a name", `SELECT "?" || ?`, `SELECT "?" || $1`},
		{"in a comment", "SELECT ? -- why?\n, ?", "SELECT $1 -- why?\n, $2"},
		{"in comments that nest", `SELECT /* ? /* ? */ ? */ ?`, `SELECT /* ? /* ? */ ? */ $1`},
		{"in what does not end", `SELECT ?, '?`, `SELECT $1, '?`},
		{"beyond nine", strings.Repeat("?", 11), "$1$2$3$4$5$6$7$8$9$10$11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := e.Rebind(c.query); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

func TestCallsOfAnExpression(t *testing.T) {
	for text, want := range map[string]string{
		`set_config('a(b'::text, $1, false)`:                     "set_config",
		`((x.id)::text ~~ 'f(x)'::text)`:                         "",
		`(lower(x."odd(name") = E'it\'s f(\\'::text AND g(1))`:   "lower g",
		`public."my ""f"(COALESCE(a, 'x''y('::text))`:            `my "f COALESCE`,
		`'unterminated f(`:                                       "",
		`count(*) FILTER (WHERE (n > 1)) OVER (?) || fooE'(' f(`: "count f",
	} {
		if got := strings.Join(calls(text), " "); got != want {
			t.Errorf("%s calls %q, want %q", text, got, want)
		}
	}
}

func TestVectorOfALongTextStaysInItsBounds(t *testing.T) {
	var b strings.Builder
	for i := range 200_000 {
		b.WriteString("w")
		for n := i; n > 0; n /= 26 {
			b.WriteByte(byte('a' + n%26))
		}
		b.WriteByte(' ')
	}
	for name, c := range map[string]struct {
		text  string
		least int
	}{
		"many words":       {b.String(), heaviestVector / 2},
		"one word often":   {strings.Repeat("again ", 50_000), 100},
		"one endless word": {strings.Repeat("x", 1<<20), 64},
	} {
		v := vector("title", c.text)
		if !strings.HasPrefix(v, "'title'") || len(v) < c.least || len(v) > 2*heaviestVector {
			t.Errorf("%s: the vector has %d bytes and begins with %.40q", name, len(v), v)
		}
	}
}
