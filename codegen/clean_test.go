package codegen_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/codegen/vectors"
)

// Two clean runs of everything that make generate writes are the same, byte for byte,
// wherever they run: in other folders, time zones, locales and homes, as other people, on
// as many processors as there are and on one. And they are what this repository holds.
func TestCleanRunsWriteTheSame(t *testing.T) {
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	here := writeAll(t, repository, t.TempDir())

	elsewhere := filepath.Join(t.TempDir(), "päth with blanks", "deeper")
	if err := os.MkdirAll(elsewhere, 0o750); err != nil {
		t.Fatal(err)
	}
	folders, err := exec.CommandContext(t.Context(), "go", "env", "GOPATH", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, folder := range strings.Split(strings.TrimSpace(string(folders)), "\n") { // what the go command needs stays, whatever the home is
		t.Setenv([]string{"GOPATH", "GOMODCACHE", "GOCACHE"}[i], folder)
	}
	t.Chdir(elsewhere)
	for name, value := range map[string]string{
		"TZ": "Pacific/Kiritimati", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "HOME": elsewhere, "USER": "somebody-else", "LOGNAME": "somebody-else",
		"TMPDIR": elsewhere, "SOURCE_DATE_EPOCH": "1", "HOSTNAME": "elsewhere.example", "NO_COLOR": "1", "COLUMNS": "40",
	} {
		t.Setenv(name, value)
	}
	zone, processors := time.Local, runtime.GOMAXPROCS(1)
	t.Cleanup(func() {
		time.Local = zone
		runtime.GOMAXPROCS(processors)
	})
	time.Local = time.FixedZone("far", 14*60*60)
	there := writeAll(t, repository, elsewhere)
	if d := cmp.Diff(here, there); d != "" {
		t.Errorf("the run elsewhere differs (-here +there):\n%s", d)
	}

	for name, text := range there {
		kept, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(name)))
		if err != nil || string(kept) != text {
			t.Errorf("%s in the repository is not what a clean run writes: %v", name, err)
		}
	}
	for _, one := range []string{"openapi/openapi.yaml", "openapi/surface.json", "docs/reference/llms.txt", "web/client/src/calls.ts", "tests/testdata/cards/list_tools.md", "tests/vectors/cases/effects.json"} {
		if there[one] == "" {
			t.Errorf("%s was not written", one)
		}
	}
}

// writeAll writes everything into an empty folder and answers what then stands there. The
// comments are those of the source of this module.
func writeAll(t *testing.T, module, dir string) map[string]string {
	t.Helper()
	s := generate(t)
	more, err := vectors.Files()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(more, vectors.Folder); err != nil {
		t.Fatal(err)
	}
	if _, err := codegen.Write(dir, s); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path) // both are below dir
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(s.Files) {
		t.Errorf("%d files were written of %d", len(all), len(s.Files))
	}
	// Of the comments, which are written beside the source, that the run writes the same is
	// said by its check: it compares what it would write.
	var out, faults bytes.Buffer
	if status := holotype.New(holotype.Options{}).Command().Run(t.Context(), []string{"generate", "comments", "--check", "--out", module}, strings.NewReader(""), &out, &faults); status != 0 {
		t.Errorf("generate comments --check exits %d: %s", status, &faults)
	}
	return all
}
