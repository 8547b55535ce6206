package openapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const readers = "testdata/readers"

// soakVariable gives the readers every tool: make soak sets it. They take as many
// seconds as there are tools, and what is odd about a schema is in the hostile ones.
const soakVariable = "HOLOTYPE_READERS_SOAK"

// everyOther is which tools of the wild the readers get beside every other test: one of
// so many, in the order of their files.
const everyOther = 6

// legible answers the tools that the readers get.
func legible(t *testing.T) []*capabilities.Capability {
	t.Helper()
	all := wired(t)
	if os.Getenv(soakVariable) == "" {
		some := all[:0:0]
		for i := 0; i < len(all); i += everyOther {
			some = append(some, all[i])
		}
		all = some
	}
	return append(all, hostile(t)...)
}

// TestReadersAcceptTheDocument gives the document of the fixture pack, the hostile
// tools and some or all others to two linters, and to a generator of types whose output
// a strict compiler takes together with a program that uses it.
func TestReadersAcceptTheDocument(t *testing.T) {
	installReaders(t)
	dir, err := filepath.Abs(readers)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	doc := filepath.Join(work, "document.json")
	if err := os.WriteFile(doc, document(t, legible(t)...), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("redocly", func(t *testing.T) {
		out, err := read(t, dir, "redocly", "lint", doc, "--config", filepath.Join(dir, "lint.yaml"), "--format", "json", "--max-problems", "20")
		var report struct {
			Totals   *struct{ Errors, Warnings int }
			Problems []struct{ RuleID, Message string }
		}
		if start := strings.Index(out, "{"); start < 0 || json.NewDecoder(strings.NewReader(out[start:])).Decode(&report) != nil || report.Totals == nil {
			t.Fatalf("no report: %v\n%s", err, out)
		}
		if err != nil || report.Totals.Errors+report.Totals.Warnings > 0 {
			t.Errorf("%v: %+v", err, report)
		}
	})
	t.Run("spectral", func(t *testing.T) {
		out, err := read(t, dir, "spectral", "lint", doc, "--ruleset", filepath.Join(dir, "spectral.yaml"), "--fail-severity", "warn", "--format", "text")
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("types", func(t *testing.T) {
		types := filepath.Join(work, "document.ts")
		if out, err := read(t, dir, "openapi-typescript", doc, "--output", types); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		usage, err := os.ReadFile(filepath.Join(readers, "usage.ts"))
		if err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(work, "usage.ts")
		if err := os.WriteFile(program, usage, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := read(t, dir, "tsc", "--strict", "--noEmit", "--skipLibCheck", // the libraries are not ours
			"--target", "es2022", "--module", "nodenext", "--typeRoots", work, program)
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

// read runs one of the installed programs and answers what it wrote.
func read(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", ".bin", name), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		out = append(out, exit.Stderr...)
	}
	return string(out), err
}

// installReaders installs the programs of the lock file, once a lock file. Without
// node the test is skipped; where CI=true says that everything has to run, it fails.
func installReaders(t *testing.T) {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed, and CI=true: install node 20 or later", name)
			}
			t.Skipf("NOT TESTED: the document was read by no linter and no generator, because %s is not installed", name)
		}
	}
	lock, err := os.ReadFile(filepath.Join(readers, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	stamp := filepath.Join(readers, "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == hex.EncodeToString(sum[:]) {
		return
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci")
	cmd.Dir = readers
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(stamp, []byte(hex.EncodeToString(sum[:])), 0o600); err != nil {
		t.Fatal(err)
	}
}
