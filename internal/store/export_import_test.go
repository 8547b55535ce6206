package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

var position = regexp.MustCompile(`"position":"[^"]*"`)

func TestExportIsImported(t *testing.T) {
	dir := t.TempDir()
	db := storetest.OpenAt(t, filepath.Join(dir, "from.db"), notes())
	digest := fill(t, db, "a", "b\x00 <é> \" '; --", "c")
	var first, second bytes.Buffer
	if err := db.Export(t.Context(), &first); err != nil {
		t.Fatal(err)
	}
	to := storetest.OpenAt(t, filepath.Join(dir, "to.db"), notes())
	if err := to.Import(t.Context(), bytes.NewReader(first.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := to.Export(t.Context(), &second); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(position.ReplaceAllString(first.String(), ""), position.ReplaceAllString(second.String(), "")); d != "" {
		t.Errorf("the export of what was imported differs (-want +got):\n%.2000s", d)
	}
	if from, head := db.Head(), to.Head(); head.Seq != from.Seq || head.Incarnation == from.Incarnation {
		t.Errorf("the head is %s, that of the other %s", head, from)
	}
	if err := to.Import(t.Context(), bytes.NewReader(first.Bytes())); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a second import answers %v", err)
	}
	wellKept(t, to, digest, 3)
}

func TestImportIsAllOrNothing(t *testing.T) {
	db := storetest.Open(t, notes())
	fill(t, db, "a")
	var whole bytes.Buffer
	if err := db.Export(t.Context(), &whole); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(whole.String(), "\n")
	last := len(lines) - 2
	empty := storetest.Open(t, notes())
	before, err := exportOf(t, empty)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"nothing":               "",
		"no header":             strings.Join(lines[1:], ""),
		"another format":        strings.Replace(whole.String(), `"format":1`, `"format":2`, 1),
		"another schema":        strings.Replace(whole.String(), `"notes":1`, `"notes":2`, 1),
		"without its end":       strings.Join(lines[:last], ""),
		"without a row":         strings.Join(lines[:last-1], "") + lines[last],
		"a row twice":           strings.Join(lines[:last], "") + lines[last-1] + `{"rows":` + fmt.Sprint(last) + "}\n",
		"a table of the engine": lines[0] + `{"table":"sqlite_master","row":{"sql":"x"}}` + "\n",
		"a table of its life":   lines[0] + `{"table":"store_meta","row":{"k":"x","v":"y"}}` + "\n",
		"a hostile table":       lines[0] + `{"table":"notes_note; DROP TABLE notes_note","row":{"sql":"x"}}` + "\n",
		"a hostile column":      lines[0] + `{"table":"notes_note","row":{"id) VALUES ('x'); --":"x"}}` + "\n",
		"no column":             lines[0] + `{"table":"notes_note","row":{}}` + "\n",
		"a value of no kind":    lines[0] + `{"table":"notes_note","row":{"id":["x"]}}` + "\n",
		"rows after its end":    whole.String() + lines[last-1],
		"noise after its end":   whole.String() + "noise",
		"no head":               lines[0] + `{"rows":0}` + "\n",
		"another stream's head": lines[0] + `{"table":"log_head","row":{"stream":"other","seq":0}}` + "\n" + `{"rows":1}` + "\n",
		"half a line":           whole.String()[:whole.Len()/2],
	} {
		if err := empty.Import(t.Context(), strings.NewReader(text)); err == nil {
			t.Errorf("%s: it is imported", name)
		} else if errors.Is(err, sql.ErrNoRows) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if after, err := exportOf(t, empty); err != nil || after != before {
			t.Errorf("%s: something stays of it, %v:\n%s", name, err, after)
		}
	}
	if _, err := add(t.Context(), empty, "x"); err != nil {
		t.Error(err)
	}
}

// exportOf answers everything that is stored.
func exportOf(t *testing.T, db *store.DB) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := db.Export(t.Context(), &b)
	return b.String(), err
}
