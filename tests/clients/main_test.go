// Package clients_test connects the clients that other people use to the built
// program, and the program to servers that other people wrote.
package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programEnv names the built program to the tests.
const programEnv = "CLIENTS_TEST_PROGRAM"

// TestMain builds the program once.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "holotype-clients-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it is the system's to clean
	program := filepath.Join(dir, "holotype")
	build := exec.Command("go", "build", "-tags", "sqlite_fts5", "-buildvcs=false", "-o", program, "../../cmd/holotype")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		return 1
	}
	if err := os.Setenv(programEnv, program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// packages installs the npm packages of this folder where they are missing. Without
// node or npm the test is skipped, and fails in CI.
func packages(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not in the PATH, and CI must not go without it", program)
			}
			t.Skipf("SKIPPED: %s is not in the PATH, so no client in JavaScript is tried; install node 20 or newer", program)
		}
	}
	if _, err := os.Stat("node_modules/.package-lock.json"); err == nil {
		return
	}
	out, err := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error").CombinedOutput()
	if err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
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
