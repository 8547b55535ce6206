package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// linkers are file systems that know second names, and that do not.
var linkers = map[string]func(path, name string) error{
	"links": os.Link,
	"no links": func(path, name string) error {
		return &os.LinkError{Op: "link", Old: path, New: name, Err: syscall.EPERM}
	},
}

// TestReplaceThatEndsHalfWay: what was there is kept, and so is what an earlier one kept.
// Where there are second names a database is there at every moment of it.
func TestReplaceThatEndsHalfWay(t *testing.T) {
	for name, link := range linkers {
		t.Run(name, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "store.db")
			first := to + Replaced
			put(t, map[string]string{to: "old", first: "of an earlier one", first + "-wal": "its log"})
			part := to + ".part"
			second, err := replace(part, to, link) // it is not there, so that the last step fails
			if err == nil {
				t.Fatal("nothing is put in place")
			}
			hold(t, map[string]string{second: "old", first: "of an earlier one", first + "-wal": "its log"})
			if name == "links" {
				hold(t, map[string]string{to: "old"})
			} else if err := create(to); err == nil || !strings.Contains(err.Error(), "give that file its name back") {
				t.Errorf("a new database in its place is answered %v", err)
			}
			put(t, map[string]string{part: "new", to: "old"})
			third, err := replace(part, to, link)
			if err != nil || third == second || second == first {
				t.Fatalf("what was there is kept as %s, after %s, %v", third, second, err)
			}
			hold(t, map[string]string{to: "new", third: "old", second: "old", first: "of an earlier one"})
		})
	}
}

func put(t *testing.T, all map[string]string) {
	t.Helper()
	for name, text := range all {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func hold(t *testing.T, all map[string]string) {
	t.Helper()
	for name, want := range all {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s is %q, %v; want %q", name, data, err, want)
		}
	}
}

// TestReplaceOfNothingKeepsWhatIsBeside: where the database is missing, what an earlier
// restore kept stays, and no log is taken for that of the new one.
func TestReplaceOfNothingKeepsWhatIsBeside(t *testing.T) {
	to := filepath.Join(t.TempDir(), "store.db")
	put(t, map[string]string{to + Replaced: "kept", to + "-wal": "a log", to + ".part": "new"})
	if kept, err := replace(to+".part", to, os.Link); err != nil || kept != "" {
		t.Fatalf("it keeps %q, %v", kept, err)
	}
	hold(t, map[string]string{to: "new", to + Replaced: "kept"})
	for _, name := range []string{to + "-wal", to + Replaced + "-wal"} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("there is a %s", name)
		}
	}
}

// TestPreservedCopiesAreFew: of every label the newest, and three labels.
func TestPreservedCopiesAreFew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	e, err := New(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	other := path + ".before-restore"
	put(t, map[string]string{other: "kept"})
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, label := range []string{"a-1-to-2", "b-1-to-2", "a-1-to-2", "c-1-to-2", "d-1-to-2"} {
		now = now.Add(time.Hour)
		if _, err := e.Preserve(t.Context(), label, now); err != nil {
			t.Fatal(err)
		}
	}
	got, err := filepath.Glob(path + preserved + "*")
	want := []string{path + ".before-a-1-to-2.20300102T060405Z", path + ".before-c-1-to-2.20300102T070405Z", path + ".before-d-1-to-2.20300102T080405Z", other}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the copies are %q, %v; want %q", got, err, want)
	}
}
