// Package clients_test connects the clients that other people use to the built
// program, and the program to servers that other people wrote.
package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// programEnv names the built program to the tests.
const programEnv = "CLIENTS_TEST_PROGRAM"

// TestMain builds the program once. Started with a word in its environment, it is a
// program itself: the one that serves what is waited for.
func TestMain(m *testing.M) {
	if os.Getenv(waitsEnv) != "" {
		os.Exit(serveWaits(os.Args[1:]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "holotype-clients-")
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

// packages installs the npm packages of this folder where they are missing or not
// those that the lock names now. Without node or npm the test is skipped, and fails
// in CI.
func packages(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, "%s is not in the PATH, so no client in JavaScript is tried; install node 20 or newer", program)
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

// missing skips a test that lacks something of this machine, and fails it in CI.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format+" (and CI must not go without it)", args...)
	}
	t.Skipf("SKIPPED: "+format, args...)
}

// newNode answers a node that is new enough for the newest clients: that of the
// packages, or else the one in the PATH.
func newNode(t *testing.T) string {
	t.Helper()
	name, err := filepath.Abs("node_modules/.bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err != nil {
		name = "node"
	}
	out, err := exec.Command(name, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "v%d.%d.", &major, &minor); err != nil || major < 22 || major == 22 && minor < 19 {
		missing(t, "node 22.19 or newer is needed, npm has none for this system, and the PATH has %s", out)
	}
	return name
}

// script answers the file that an npm package runs.
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}
