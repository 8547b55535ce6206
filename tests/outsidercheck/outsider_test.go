// Package outsidercheck_test proves that a module of somebody else lives on this one:
// it vets, builds and tests tests/outsider with the go command alone.
package outsidercheck_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// The outsider builds on it: the go command must not answer these tests from its
	// cache when it has changed.
	_ "github.com/seed-89b9419b/holotype"
)

const (
	module   = "../outsider"
	maxLines = 30 // of its main.go
)

// withoutC has the outsider's module compiled without a C compiler: make soak sets it. From
// empty caches that compiles everything once more, where otherwise what the other tests
// compiled is taken.
const withoutC = "HOLOTYPE_WITHOUT_C"

// run runs the go command in the outsider's module as a person there would: its
// go.mod is not changed, nothing is downloaded and no workspace helps.
func run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if args[0] == "list" || os.Getenv(withoutC) != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS=-mod=readonly", "CGO_ENABLED=0")
	} else {
		cmd.Env = append(cmd.Env, "GOFLAGS=-mod=readonly -race -tags=sqlite_fts5")
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &out)
	}
	return out.String()
}

func TestMainIsSmall(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(module, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n > maxLines {
		t.Errorf("main.go has %d lines, and %d are promised to be enough", n, maxLines)
	}
}

// The outsider's own tests hold its generated files fresh.
func TestOutsider(t *testing.T) {
	// What a test opens decides whether its cached result still counts.
	if err := filepath.WalkDir(module, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
		t.Fatal(err)
	}
	if os.Getenv(withoutC) != "" {
		run(t, "vet", "./...") // of what is beyond go test's own look, which costs a second look at all that is compiled in
	}
	run(t, "build", "-o", t.TempDir(), "./...")
	t.Log(run(t, "test", "-count=1", "./..."))
}

// What the module needs is what we need: an outsider's program compiles in nothing
// that tests alone use, and nothing of it needs a C compiler.
func TestOutsiderIsLean(t *testing.T) {
	packages := strings.Fields(run(t, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "."))
	if len(packages) < 20 {
		t.Fatalf("only %d packages are listed", len(packages))
	}
	for _, p := range packages {
		for _, unwanted := range []string{"/tests/", "google/go-cmp", "go-internal", "net/http/httptest"} {
			if strings.Contains(p, unwanted) {
				t.Errorf("the program compiles in %s", p)
			}
		}
	}
	for p := range strings.FieldsSeq(run(t, "list", "-deps", ".")) {
		if p == "testing" || p == "net/http/httptest" {
			t.Errorf("the program compiles in %s", p)
		}
	}
}

// A generated file that is changed by hand, missing or left over is named.
func TestStaleFilesAreFound(t *testing.T) {
	program := filepath.Join(t.TempDir(), "shelf")
	run(t, "build", "-o", program, ".")
	for name, spoil := range map[string]func(dir string) error{
		"openapi/openapi.json: differs": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "openapi/openapi.json"), []byte("{}\n"), 0o600)
		},
		"docs/reference/packs/books.md: missing": func(dir string) error {
			return os.Remove(filepath.Join(dir, "docs/reference/packs/books.md"))
		},
		"tests/testdata/cards/burn_book.md: ": func(dir string) error { // of a capability that is gone
			return os.Rename(filepath.Join(dir, "tests/testdata/cards/add_book.md"), filepath.Join(dir, "tests/testdata/cards/burn_book.md"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, args := range [][]string{{}, {"--check"}} {
				if out, err := generate(t, program, dir, args...); err != nil {
					t.Fatalf("generate %q: %v\n%s", args, err, out)
				}
			}
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			if out, err := generate(t, program, dir, "--check"); err == nil || !strings.Contains(out, name) {
				t.Errorf("the check says %v and not %q:\n%s", err, name, out)
			}
		})
	}
}

func generate(t *testing.T, program, dir string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, append([]string{"generate", "--out", dir}, args...)...).CombinedOutput()
	return string(out), err
}
