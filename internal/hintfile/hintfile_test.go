package hintfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// What was said of a server outlives its entry for a while: to take it out and put it in
// again accepts nothing.
func TestServersThatAreConfiguredNoMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hints.json")
	f := open(t, path)
	hints := map[string]capabilities.Hints{"x": {ReadOnly: capabilities.Yes}}
	for _, name := range []string{"stays", "goes"} {
		if err := f.Remember("", name, hints); err != nil {
			t.Fatal(err)
		}
	}
	const day = 24 * time.Hour
	began := time.Unix(1_800_000_000, 0)
	retain := func(after time.Duration, configured ...string) {
		t.Helper()
		err := f.Retain(func(_, server string) bool { return slices.Contains(configured, server) }, began.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		f = open(t, path)
	}
	known := func() (all []string) {
		for _, name := range []string{"goes", "stays"} {
			if _, ok := f.Recall("", name); ok {
				all = append(all, name)
			}
		}
		return all
	}
	for _, step := range []struct {
		name       string
		after      time.Duration
		configured []string
		want       []string
	}{
		{"both are there", 0, []string{"stays", "goes"}, []string{"goes", "stays"}},
		{"one was taken out", 0, []string{"stays"}, []string{"goes", "stays"}},
		{"89 days later", 89 * day, []string{"stays"}, []string{"goes", "stays"}},
		{"it is back, and has all its time again", 90 * day, []string{"stays", "goes"}, []string{"goes", "stays"}},
		{"it was taken out again", 100 * day, []string{"stays"}, []string{"goes", "stays"}},
		{"90 days later", 190 * day, []string{"stays"}, []string{"goes", "stays"}},
		{"a day more", 191 * day, []string{"stays"}, []string{"stays"}},
	} {
		if retain(step.after, step.configured...); !slices.Equal(known(), step.want) {
			t.Errorf("%s: %v, want %v", step.name, known(), step.want)
		}
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	retain(192*day, "stays")
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was written although nothing changed: %v", err)
	}
}

func TestOfManyRemovedServersTheLatestAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hints.json")
	began := time.Unix(1_800_000_000, 0).UTC()
	var all []string
	for i := range 1010 {
		all = append(all, fmt.Sprintf(`{"server":"s%04d","removed":%q,"tools":{}}`, i, began.Add(time.Duration(i)*time.Second).Format(time.RFC3339)))
	}
	if err := os.WriteFile(path, []byte(`{"servers":[`+strings.Join(all, ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	if err := f.Retain(func(_, server string) bool { return server == "s0003" }, began.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	for name, want := range map[string]bool{"s0000": false, "s0003": true, "s0009": false, "s0010": true, "s1009": true} {
		if _, ok := f.Recall("", name); ok != want {
			t.Errorf("%s: %v, want %v", name, ok, want)
		}
	}
}
