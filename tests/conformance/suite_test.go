package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// suiteDir is where npm puts the suite, from this folder.
const suiteDir = "node_modules/@modelcontextprotocol/conformance"

// Statuses that a check of the suite may have.
const (
	passed  = "SUCCESS"
	failed  = "FAILURE"
	warned  = "WARNING"
	skipped = "SKIPPED"
	info    = "INFO"
)

// A check is one thing that a scenario looked at.
type check struct {
	ID      string `json:"id"`
	Name    string `json:"name"` // of several with one ID
	Status  string `json:"status"`
	Message string `json:"errorMessage"`
}

// A run is what the suite said of one subject in one revision.
type run struct {
	subject, revision string
	proxy             *proxy             // nil where the subject is a client
	checks            map[string][]check // by scenario
}

// node answers the program that npm installed, after installing it and the suite
// where that is missing. Where npm has none for the system, it is the one in PATH.
var node = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat("node_modules/.package-lock.json"); err != nil {
		out, err := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error").CombinedOutput()
		if err != nil {
			return "", fmt.Errorf("npm ci: %w: %s", err, out)
		}
	}
	name, err := exec.LookPath("./node_modules/.bin/node")
	if err != nil {
		name, err = exec.LookPath("node")
	}
	if err != nil {
		return "", err
	}
	out, err := exec.Command(name, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", name, err)
	}
	var major int
	if _, err := fmt.Sscanf(string(out), "v%d.", &major); err != nil || major < 22 {
		return "", fmt.Errorf("the suite needs node 22 or newer, and %s is %s", name, out)
	}
	return name, nil
})

// needNode skips a test where the suite cannot be had, except in CI.
func needNode(t *testing.T) string {
	t.Helper()
	name, err := node()
	switch {
	case err == nil:
	case os.Getenv("CI") != "true" && errors.Is(err, exec.ErrNotFound):
		t.Skipf("node or npm is missing, and CI is not true: %v", err)
	default:
		t.Fatal(err)
	}
	return name
}

// A transcript is the file that the suite prints to. The suite writes the name of a
// scenario before it sends the first request of it, and writes to files at once: so
// whoever serves a request finds its scenario here.
type transcript struct {
	file *os.File

	mu   sync.Mutex
	text []byte
}

const heading = "=== Running scenario: "

func (tr *transcript) read() []byte {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	buf := make([]byte, 32<<10)
	for {
		n, err := tr.file.ReadAt(buf, int64(len(tr.text)))
		tr.text = append(tr.text, buf[:n]...)
		if n == 0 || err != nil {
			return tr.text
		}
	}
}

// scenarios answers the scenarios that were begun, in order.
func (tr *transcript) scenarios() []string {
	var all []string
	for line := range bytes.Lines(tr.read()) {
		if name, ok := bytes.CutPrefix(line, []byte(heading)); ok {
			all = append(all, strings.TrimSuffix(strings.TrimSpace(string(name)), " ==="))
		}
	}
	return all
}

// now answers the scenario that runs.
func (tr *transcript) now() string {
	all := tr.scenarios()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// runSuite runs over a subject everything that a revision requires, and keeps what it
// said of the given scenarios; of all where none is given.
func runSuite(t *testing.T, s *subject, revision string, only ...string) *run {
	t.Helper()
	return runBroken(t, s, revision, nil, only...)
}

// runBroken is [runSuite] with faults between the subject and the suite.
func runBroken(t *testing.T, s *subject, revision string, faults []fault, only ...string) *run {
	t.Helper()
	program := needNode(t)
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "transcript"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() }) // it is only read from here on
	tr := &transcript{file: file}
	p := newProxy(t, s, tr.now, faults...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, suiteDir+"/dist/index.js", "server",
		"--url", p.url(), "--requirements", revision, "--output-dir", filepath.Join(dir, "results"))
	cmd.Stdout, cmd.Stderr = file, file
	// Its own status says whether all that is scored passed; the checks say more.
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("running the suite: %v\n%s", err, tr.read())
	}
	r := &run{subject: s.name, revision: revision, proxy: p, checks: map[string][]check{}}
	for _, name := range tr.scenarios() {
		if len(only) == 0 || slices.Contains(only, name) {
			r.checks[name] = readChecks(t, filepath.Join(dir, "results"), name)
		}
	}
	if len(r.checks) == 0 {
		t.Fatalf("the suite ran nothing:\n%s", tr.read())
	}
	for _, name := range only {
		if len(r.checks[name]) == 0 {
			t.Errorf("the scenario %s did not run", name)
		}
	}
	return r
}

// readChecks answers what a scenario found. One that died left nothing behind, which
// is a failure of its own.
func readChecks(t *testing.T, dir, scenario string) []check {
	t.Helper()
	found := results(t, dir, "server-"+scenario)
	if len(found) != 1 {
		return []check{{ID: scenarioEnds, Status: failed, Message: fmt.Sprintf("it left %d results", len(found))}}
	}
	return checksIn(t, found[0])
}

// scenarioEnds is the check that a scenario left what it found.
const scenarioEnds = "the-scenario-ends"

// results answers the folders of a scenario: they are named after it and the moment.
func results(t *testing.T, dir, scenario string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, scenario+"-20*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range found {
		found[i] = filepath.Dir(name)
	}
	return found
}

func checksIn(t *testing.T, dir string) []check {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []check
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatalf("%s: %v", dir, err)
	}
	return all
}

// A requirement is what a revision requires, as the suite froze it: scenarios.
type requirement struct {
	Server []string `yaml:"server"`
	Client []string `yaml:"client"`
}

func scored(t *testing.T, revision string) requirement {
	t.Helper()
	needNode(t)
	data, err := os.ReadFile(filepath.Join(suiteDir, "requirements", revision+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var set requirement
	if err := yaml.Unmarshal(data, &set); err != nil {
		t.Fatal(err)
	}
	return set
}
