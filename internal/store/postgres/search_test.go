package postgres_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// corpus is what is searched on both engines.
func corpus() []store.Doc {
	texts := []string{
		"login loops", "Login page loops after a reset", "LOGIN", "log in", "it's broken", "Über die Brücke gehen", "uber brucke", "naïve façade", "ＦＵＬＬ width",
		"Αθήνα και Σάμος", "ΑΘΗΝΑ", "Ёлка", "елка", "日本語 テキスト", "日本", "हिन्दी में लिखा", "हिन्दीभाषा", "न्द", "שָׁלוֹם עולם", "x² and x2", "100% sure (really) - AND NOT OR NEAR",
		`quotes "inside" and 'around' \ back\slash`, "semi;colon:weights:A & | ! <-> *", "emoji😀between", "Tiếng Việt", "tieng viet", "straße", "strasse",
		"İstanbul", "istanbul", "a.b.c", "a b c", "c b a", strings.Repeat("long", 900), strings.Repeat("long", 901), "word " + strings.Repeat("filler ", 400) + "end",
	}
	var docs []store.Doc
	for i, text := range texts {
		docs = append(docs, store.Doc{Kind: []string{"note", "page"}[i%2], ID: fmt.Sprint(i), Scope: []string{"s", "t", "u"}[i%3], Title: text, Body: texts[(i+7)%len(texts)]})
	}
	return docs
}

// TestBothEnginesFindTheSame: the order of what is found is an engine's own, and the
// set is not.
func TestBothEnginesFindTheSame(t *testing.T) {
	docs := corpus()
	var queries []store.Query
	for _, d := range docs {
		queries = append(queries, store.Query{Text: d.Title}, store.Query{Text: strings.ToUpper(d.Title), Scopes: []string{"s", "u"}}, store.Query{Text: d.Title + " " + d.Body, Kinds: []string{"note"}})
		for w := range strings.FieldsSeq(d.Title) {
			queries = append(queries, store.Query{Text: w})
		}
	}
	for _, text := range []string{"", " ", "\u0301", "login OR broken", "log*", `"login loops"`, "NOT login", "-login", "title:login", "NEAR(login loops)", "in", "loop", "ल", "x²", "b", "b a", "login loops login", "' OR 1=1 --", "\\", "a & b", "!a", "a <-> b"} {
		queries = append(queries, store.Query{Text: text})
	}
	found := map[string][][]string{}
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t)
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			for _, doc := range docs {
				if err := tx.Index(store.Doc{Kind: doc.Kind, ID: doc.ID, Title: "earlier"}); err != nil {
					return noted{}, err
				}
				if err := tx.Index(doc); err != nil {
					return noted{}, err
				}
			}
			return noted{}, tx.Change(store.Change{Kind: "note", ID: "all"})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			q.Limit = 100
			var ids []string
			err := store.Read(t.Context(), db, func(r *store.Reader) error {
				f, err := r.Search(q)
				if f.Mode != store.Keyword || f.Degraded != "" {
					t.Errorf("the search is served as %q, %q", f.Mode, f.Degraded)
				}
				for _, h := range f.Hits {
					ids = append(ids, h.ID)
				}
				return err
			})
			if err != nil {
				t.Fatalf("searching %q: %v", q.Text, err)
			}
			slices.Sort(ids)
			found[d.Name] = append(found[d.Name], append([]string{q.Text}, ids...))
		}
		faults, err := db.Check(t.Context())
		if err != nil || len(faults) > 0 {
			t.Errorf("the check finds %q, %v", faults, err)
		}
	})
	if len(found["postgres"]) == 0 {
		t.Skip("there is one engine")
	}
	if d := cmp.Diff(found["sqlite"], found["postgres"]); d != "" {
		t.Errorf("the engines find others (-sqlite +postgres):\n%s", d)
	}
	hits := 0
	for _, f := range found["sqlite"] {
		hits += len(f) - 1
	}
	if hits < len(queries) {
		t.Errorf("%d queries find %d documents: they compare nothing", len(queries), hits)
	}
}

// TestTheNewestAreRanked: a word that stands in everything costs no look at all of it.
func TestTheNewestAreRanked(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t)
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			for i := range store.MostRanked + 2 {
				doc := store.Doc{Kind: "note", ID: strconv.Itoa(i), Scope: "s", Title: "other", Body: "a word"}
				switch i {
				case 0: // the best of all, and too old
					doc.Title = "word"
				case 1: // older still than those of its scope
					doc.Scope, doc.Title = "rare", "word"
				case 2:
					doc.Title = "word"
				}
				if err := tx.Index(doc); err != nil {
					return noted{}, err
				}
			}
			return noted{}, tx.Change(store.Change{Kind: "note", ID: "all"})
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			q    store.Query
			hits int
			best string
		}{
			{store.Query{Text: "word", Limit: 10_000}, store.MostRanked, "2"},
			{store.Query{Text: "word", Limit: 10_000, Scopes: []string{"rare"}}, 1, "1"},
			{store.Query{Text: "word", Limit: 1, Scopes: []string{"s"}}, 1, "2"},
		} {
			err := store.Read(t.Context(), db, func(r *store.Reader) error {
				f, err := r.Search(c.q)
				if err == nil && (len(f.Hits) != c.hits || f.Hits[0].ID != c.best) {
					t.Errorf("%+v finds %d, the best of them %+v; want %d and %s", c.q, len(f.Hits), f.Hits[:1], c.hits, c.best)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestTitlesGoFirst(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		db := d.Open(t)
		_, err := store.Write(t.Context(), db, func(tx *store.Tx) (noted, error) {
			for _, doc := range []store.Doc{{ID: "body", Title: "other", Body: "a word"}, {ID: "title", Title: "a word", Body: "other"}, {ID: "later", Title: "other", Body: "a word"}} {
				doc.Kind = "note"
				if err := tx.Index(doc); err != nil {
					return noted{}, err
				}
			}
			return noted{}, tx.Change(store.Change{Kind: "note", ID: "all"})
		})
		if err != nil {
			t.Fatal(err)
		}
		err = store.Read(t.Context(), db, func(r *store.Reader) error {
			f, err := r.Search(store.Query{Text: "word", Limit: 1})
			if err == nil && (len(f.Hits) != 1 || f.Hits[0].ID != "title") {
				t.Errorf("the best is %+v", f.Hits)
			}
			rest, err := r.Search(store.Query{Text: "word", Limit: 5, Offset: 1})
			if err == nil && len(rest.Hits) != 2 {
				t.Errorf("behind the best there are %+v", rest.Hits)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestCheckFindsWhatTheSearchLost: a document whose words are not those of its text.
func TestCheckFindsWhatTheSearchLost(t *testing.T) {
	url := storetest.Postgres(t)
	db := storetest.Database{Name: "postgres", At: url}.Open(t, notes())
	for _, id := range []string{"a", "b"} {
		if _, err := add(t.Context(), db, id); err != nil {
			t.Fatal(err)
		}
	}
	storetest.Exec(t, url, `UPDATE search_docs SET words = NULL WHERE id = 'b'`)
	faults, err := db.Check(t.Context())
	if err != nil || len(faults) != 1 || !strings.Contains(faults[0], "note b") {
		t.Errorf("the check finds %q, %v", faults, err)
	}
}
