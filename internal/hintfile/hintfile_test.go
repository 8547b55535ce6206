package hintfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/hintfile"
)

func open(t *testing.T, path string) *hintfile.File {
	t.Helper()
	f, err := hintfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHintsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hints.json")
	f := open(t, path)
	if _, ok := f.Recall("", "files"); ok {
		t.Error("a file that does not exist knows something")
	}
	shared := map[string]capabilities.Hints{
		"read":  {ReadOnly: capabilities.Yes, Destructive: capabilities.No, OpenWorld: capabilities.No},
		"write": {},
	}
	own := map[string]capabilities.Hints{"read": {Idempotent: capabilities.Yes}}
	for seat, hints := range map[string]map[string]capabilities.Hints{"": shared, "dev": own} {
		if err := f.Remember(seat, "files", hints); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Remember("", "empty", map[string]capabilities.Hints{}); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	for seat, want := range map[string]map[string]capabilities.Hints{"": shared, "dev": own} {
		got, ok := again.Recall(seat, "files")
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("seat %q: %v (-want +got)\n%s", seat, ok, diff)
		}
	}
	if got, ok := again.Recall("", "empty"); !ok || len(got) != 0 {
		t.Errorf("a server without tools: %v %v", got, ok)
	}
	if _, ok := again.Recall("other", "files"); ok {
		t.Error("a seat knows what another one accepted")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestWhatCannotBeReadIsNotForgotten(t *testing.T) {
	for name, content := range map[string]string{
		"cut": `{"servers":[{"server":"a"`, "another form": `{"tools":{}}`, "a hint that is no boolean": `{"servers":[{"server":"a","tools":{"x":{"read_only":"yes"}}}]}`,
	} {
		path := filepath.Join(t.TempDir(), "hints.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := hintfile.Open(path); err == nil || !strings.Contains(err.Error(), "restore the file") {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%s: the file was changed: %q %v", name, got, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"servers":[{"server":"a","seat":"b","tools":{"x":{"read_only":true,"open_world":false}}}]}`))
	f.Add([]byte(`{"servers":[{"server":"a"},{"server":"a","tools":{"":{}}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "hints.json")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := hintfile.Open(path)
		if err != nil {
			return
		}
		want := map[string]capabilities.Hints{"x": {ReadOnly: capabilities.Yes}}
		if err := file.Remember("s", "n", want); err != nil {
			t.Fatal(err)
		}
		got, _ := open(t, path).Recall("s", "n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWhatACrashLeftIsSwept(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".hints.json-123456")
	if err := os.WriteFile(left, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Join(dir, "hints.json"))
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("an unfinished file stays: %v", err)
	}
}
