package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceThatEndsHalfWay: at every moment of it there is a database.
func TestReplaceThatEndsHalfWay(t *testing.T) {
	to := filepath.Join(t.TempDir(), "store.db")
	for name, text := range map[string]string{to: "old", to + Replaced: "of an earlier one", to + Replaced + "-wal": "of an earlier one"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	part := to + ".part"
	if err := replace(part, to); err == nil { // it is not there, so that the last step fails
		t.Fatal("nothing is put in place")
	}
	for _, name := range []string{to, to + Replaced} {
		if data, err := os.ReadFile(name); err != nil || string(data) != "old" {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
	if err := os.WriteFile(part, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace(part, to); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{to: "new", to + Replaced: "old"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
	if _, err := os.Lstat(to + Replaced + "-wal"); err == nil {
		t.Error("the log of an earlier one is left")
	}
}

// TestReplaceOfNothingKeepsWhatIsBeside: where the database is missing, what an earlier
// restore kept stays, and no log is taken for that of the new one.
func TestReplaceOfNothingKeepsWhatIsBeside(t *testing.T) {
	to := filepath.Join(t.TempDir(), "store.db")
	for name, text := range map[string]string{to + Replaced: "kept", to + "-wal": "a log", to + ".part": "new"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := replace(to+".part", to); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{to: "new", to + Replaced: "kept"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
	for _, name := range []string{to + "-wal", to + Replaced + "-wal"} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("there is a %s", name)
		}
	}
}
