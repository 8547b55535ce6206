package codegen_test

import (
	"bytes"
	"maps"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

func generate(t *testing.T) codegen.Set {
	t.Helper()
	s, err := holotype.New(holotype.Options{}).Generate()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The files of this repository are those of its declarations.
func TestRepositoryIsFresh(t *testing.T) {
	if err := codegen.Check("..", generate(t)); err != nil {
		t.Error(err)
	}
}

// So are the comments, which every description is made of.
func TestCommentsAreFresh(t *testing.T) {
	var out, faults bytes.Buffer
	program := holotype.New(holotype.Options{}).Command()
	if status := program.Run(t.Context(), []string{"generate", "comments", "--check", "--out", ".."}, strings.NewReader(""), &out, &faults); status != 0 {
		t.Errorf("generate comments --check exits %d: %s", status, &faults)
	}
}

func TestGeneratingTwiceWritesOnce(t *testing.T) {
	dir := t.TempDir()
	first := generate(t)
	touched, err := codegen.Write(dir, first)
	if err != nil || len(touched) != len(first.Files) {
		t.Fatalf("%d of %d files, %v", len(touched), len(first.Files), err)
	}
	second := generate(t)
	if !maps.EqualFunc(first.Files, second.Files, bytes.Equal) {
		t.Error("the second run answers other files")
	}
	if touched, err := codegen.Write(dir, second); err != nil || touched != nil {
		t.Errorf("the second run touched %v, %v", touched, err)
	}
}

func TestGeneratedFiles(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = here
	}
	host, err := os.Hostname()
	if err != nil || len(host) < 6 {
		host = here // too short to be told from a word
	}
	s := generate(t)
	if len(s.Folders) == 0 {
		t.Error("no folder belongs to the generators")
	}
	for name, data := range s.Files {
		first, _, _ := strings.Cut(string(data), "\n")
		if path.Ext(name) != ".json" && path.Ext(name) != ".txt" && !strings.Contains(first, markdown.Marker) {
			t.Errorf("%s does not say that it was generated: %q", name, first)
		}
		for _, machine := range []string{here, path.Dir(here), home + "/", path.Dir(path.Dir(t.TempDir())) + "/", host} {
			if bytes.Contains(data, []byte(machine)) {
				t.Errorf("%s names this machine: %q", name, machine)
			}
		}
		inside := false
		for _, folder := range s.Folders {
			inside = inside || strings.HasPrefix(name, folder+"/")
		}
		if !inside {
			t.Errorf("%s stands in no folder of the generators, so it would never be stale", name)
		}
	}
}
