// Package packages_test judges what a release is made of: the unit of systemd, the
// Dockerfile, the archives and packages of a snapshot, which are unpacked and run.
package packages_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	root       = "../.."
	goreleaser = "github.com/goreleaser/goreleaser/v2@v2.15.1"
	// exposed is what `systemd-analyze security` may say at most, of 10.
	exposed = 2.0
)

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// unit writes the unit as it would be where /bin/true is the program, changed by edits.
func unit(t *testing.T, edits ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "packaging/holotype.service"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "holotype.service")
	changed := strings.NewReplacer(append([]string{"/usr/bin/holotype", "/bin/true"}, edits...)...).Replace(string(text))
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnit(t *testing.T) {
	if said := output(t, ".", "systemd-analyze", "verify", unit(t)); said != "" {
		t.Errorf("systemd-analyze verify says:\n%s", said)
	}
	level := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`)
	exposure := func(path string) float64 {
		said := output(t, ".", "systemd-analyze", "security", "--offline=true", "--no-pager", path)
		m := level.FindStringSubmatch(said)
		if m == nil {
			t.Fatalf("systemd-analyze security says no level:\n%s", said)
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := exposure(unit(t)); n > exposed {
		t.Errorf("the unit is exposed by %.1f, and %.1f is allowed", n, exposed)
	}
	if n := exposure(unit(t, "CapabilityBoundingSet=\n", "", "DynamicUser=yes\n", "", "SystemCallFilter=", "X-")); n <= exposed {
		t.Errorf("a unit that is walled in less is exposed by %.1f too", n)
	}
}

func TestDockerfile(t *testing.T) {
	if said := output(t, ".", "node", "dockerfile.mjs", filepath.Join(root, "Dockerfile")); said != "" {
		t.Errorf("the Dockerfile:\n%s", said)
	}
	bad := filepath.Join(t.TempDir(), "Dockerfile")
	if err := os.WriteFile(bad, []byte("FROM scratch\nWORKDIR here\nCMD [\"a\"]\nCMD [\"b\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := output(t, ".", "node", "dockerfile.mjs", bad); strings.Count(said, "\n") < 2 {
		t.Errorf("a bad one: %q", said)
	}
}

// A snapshot of a release is made in a clone, and what it holds is what its list says, runs
// and serves nobody else's files.
func TestSnapshot(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "holotype")
	output(t, root, "git", "clone", "-q", "--no-hardlinks", ".", clone)
	output(t, clone, "go", "run", goreleaser, "release", "--snapshot", "--clean", "--skip=sbom,sign")
	dist := filepath.Join(clone, "dist")
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s is not what its sum says", name)
		}
		for _, kind := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "linux_amd64.deb", "linux_arm64.deb", "linux_amd64.rpm", "linux_arm64.rpm"} {
			if strings.HasSuffix(name, kind) {
				found[kind] = filepath.Join(dist, name)
			}
		}
	}
	if len(found) != 6 {
		t.Fatalf("the list of sums has %q", found)
	}
	for kind, through := range map[string][]string{"linux_amd64.tar.gz": nil, "linux_arm64.tar.gz": {"qemu-aarch64-static"}} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			output(t, dir, "tar", "-xzf", found[kind])
			program := filepath.Join(dir, "holotype")
			if said := output(t, dir, "file", program); !strings.Contains(said, "statically linked") {
				t.Errorf("the program is not static: %s", said)
			}
			for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "packaging/holotype.service"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
			// A store is made, searched and checked: SQLite with its search is within.
			for _, args := range [][]string{
				{"version"},
				{"call", "create_project", "--data", "data", "--title", "A trial", "--key", "SNAP"},
				{"call", "create_work_item", "--data", "data", "--project", "SNAP", "--title", "A static program searches"},
				{"call", "search_work_items", "--data", "data", "--query", "searches"},
			} {
				command := append(append(through, program), args...)
				said := output(t, dir, command[0], command[1:]...)
				if args[0] == "call" && !strings.Contains(strings.ToUpper(said), "SNAP") {
					t.Errorf("%q answers:\n%s", args, said)
				}
			}
		})
	}
	listed := output(t, ".", "dpkg-deb", "--contents", found["linux_amd64.deb"])
	for _, name := range []string{"./usr/bin/holotype", "./usr/lib/systemd/system/holotype.service", "./usr/share/doc/holotype/copyright"} {
		if !strings.Contains(listed, name) {
			t.Errorf("the Debian package has no %s:\n%s", name, listed)
		}
	}
}

// The formula is Ruby, and builds with the tag that the search needs.
func TestFormula(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "packaging/holotype.rb"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(`"sqlite_fts5"`)) {
		t.Error("the formula builds without sqlite_fts5")
	}
	output(t, ".", "ruby", "-c", filepath.Join(root, "packaging/holotype.rb"))
}
