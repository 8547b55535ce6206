package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// programEnv names the built program to the tests.
const programEnv = "CENSUS_TEST_PROGRAM"

// TestMain builds the program once.
func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "holotype-census-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it is the system's to clean
	if err := drive.Build(dir, "../../cmd/holotype"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Setenv(programEnv, filepath.Join(dir, "holotype")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// small answers the servers of package.json, in the order of servers.json.
func small(t *testing.T) []server {
	t.Helper()
	data, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var about struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		t.Fatal(err)
	}
	all, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	var chosen []server
	for _, s := range all {
		if about.Dependencies[s.Package] == s.Version && s.Offline == "" {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) < 3 || len(chosen) != len(about.Dependencies) {
		t.Fatalf("package.json names %v; servers.json has %d of these", about.Dependencies, len(chosen))
	}
	return chosen
}

// packages installs the npm packages of this folder where they are missing or not
// those that the lock names now. Without node or npm the test is skipped, and fails in
// CI.
func packages(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not in the PATH, and CI must not go without it", program)
			}
			t.Skipf("SKIPPED: %s is not in the PATH, so no live server is bridged; install node 20 or newer", program)
		}
	}
	lock, err := os.Stat("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if installed, err := os.Stat("node_modules/.package-lock.json"); err == nil && !installed.ModTime().Before(lock.ModTime()) {
		return
	}
	out, err := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error").CombinedOutput()
	if err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
}

// Servers that other people wrote are bridged as they are, and nothing of them is left.
func TestThreeServers(t *testing.T) {
	chosen := small(t)
	packages(t)
	c := &taker{program: os.Getenv(programEnv), cut: cutOff(t.Context())}
	var results []*result
	for _, s := range chosen {
		results = append(results, c.compare(t.Context(), s, "."))
	}
	var table bytes.Buffer
	if err := c.print(&table, results, false); err != nil {
		t.Error(err)
	}
	t.Log("\n" + table.String())
	for _, r := range results {
		if r.verdict == nil {
			continue // it is among the errors
		}
		if v := r.verdict; v.sent == 0 || v.same+v.repaired < v.sent {
			t.Errorf("%s: of %d tools %d schemas were compared", r.Package, v.sent, v.same+v.repaired)
		}
	}
}

// A process that is left is found, and found only under its own mark.
func TestWhatIsLeftIsSeen(t *testing.T) {
	if !canLook() {
		t.Skip("this system does not show the environment of a process")
	}
	l, other := &launch{mark: t.TempDir()}, &launch{mark: t.TempDir()}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "echo; exec sleep 600")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), markVariable + "=" + l.mark, "LAST=1"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // before that it has our environment
		t.Fatal(err)
	}
	if left := l.left(t.Context()); len(left) != 1 || !strings.Contains(left[0], "600") {
		t.Errorf("left are %q", left)
	}
	if left := other.running(); len(left) != 0 {
		t.Errorf("another launch left %q", left)
	}
	_ = cmd.Process.Kill() // it runs: nothing else ends it
	_ = cmd.Wait()         // with the signal
	if left := l.left(t.Context()); len(left) != 0 {
		t.Errorf("left are %q", left)
	}
}
