package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// tests are the tests of a package, built.
type tests struct {
	file, dir string   // the binary, and where it runs
	env       []string // what it is told besides the environment of this program
	only      string   // which tests run; "" is all
}

// build builds the tests of a package with an overlay, into a folder; and answers what the
// go command prints. The overlay stands in the environment of the tests too, so that programs
// that they build are changed as well.
func (j *judge) build(ctx context.Context, p listed, into, overlay string) (*tests, []byte, error) {
	t := &tests{file: filepath.Join(into, "judge.test"), dir: p.Dir}
	if overlay != "" {
		t.env = []string{"GOFLAGS=" + strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay)}
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", t.file, "-tags", j.tags, "-vet=off", p.ImportPath)
	cmd.Dir = j.root
	cmd.Env = append(os.Environ(), t.env...)
	text, err := cmd.CombinedOutput()
	return t, text, err
}

// run runs tests until the first that fails, and answers what they print.
func (t *tests) run(ctx context.Context, limit time.Duration, env ...string) ([]byte, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, t.file, "-test.failfast", "-test.paniconexit0", "-test.timeout", limit.String(), "-test.run", t.only) //nolint:gosec // G204: built here.
	cmd.Dir = t.dir
	cmd.Env = append(append(os.Environ(), t.env...), env...)
	asOne(cmd)
	cmd.WaitDelay = time.Second // of what a test has left behind, and that holds the output
	out := &untilFailure{stop: stop}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return out.text.Bytes(), err
}

// untilFailure keeps what tests print, and stops them when one has failed.
type untilFailure struct {
	text bytes.Buffer
	stop func()
}

func (u *untilFailure) Write(p []byte) (int, error) {
	u.text.Write(p)
	if bytes.Contains(u.text.Bytes(), []byte("--- FAIL: ")) {
		u.stop()
	}
	return len(p), nil
}

// plain runs tests with all changes of a board off, and answers which they reach and how long
// they take.
func (t *tests) plain(ctx context.Context, b *board) (map[int]bool, time.Duration, error) {
	dir := filepath.Join(b.dir, "reached")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, 0, err
	}
	start := time.Now()
	text, err := t.run(ctx, time.Hour, sayHere+"="+dir)
	if err != nil {
		return nil, 0, fmt.Errorf("%w\n%s", err, text)
	}
	usual := time.Since(start)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	reached := map[int]bool{}
	for _, f := range files {
		i, err := strconv.Atoi(f.Name())
		if err != nil {
			return nil, 0, err
		}
		reached[i] = true
	}
	return reached, usual, nil
}

// with runs tests with one change of a board on.
func (t *tests) with(ctx context.Context, i int, limit time.Duration) (string, error) {
	text, err := t.run(ctx, limit, turnOn+"="+strconv.Itoa(i))
	return t.confirmed(ctx, verdictOf(text, err), text, limit), ctx.Err()
}

// failed is how tests print which of them failed.
var failed = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// confirmed answers a verdict of a run that printed text. What a test notices that now fails
// without the change as well, such as one that depends on the time it has, is not noticed.
func (t *tests) confirmed(ctx context.Context, verdict string, text []byte, limit time.Duration) string {
	by := failed.FindSubmatch(text)
	if verdict != noticed || by == nil {
		return verdict
	}
	plain := *t
	plain.only = "^" + regexp.QuoteMeta(string(by[1])) + "$"
	if _, err := plain.run(ctx, limit); err != nil {
		return unnoticed
	}
	return verdict
}

// without builds the tests of a package without a change, into a folder, and answers what
// they take. They must pass.
func (j *judge) without(ctx context.Context, p listed, into string) (*tests, time.Duration, error) {
	t, text, err := j.build(ctx, p, into, "")
	start := time.Now()
	if err == nil {
		text, err = t.run(ctx, time.Hour)
	}
	if err != nil {
		return nil, 0, &failing{p.ImportPath, text, err}
	}
	return t, time.Since(start), nil
}

// alone builds and runs the tests of a package with one change; plain are those without.
func (j *judge) alone(ctx context.Context, p listed, c change, plain *tests, limit time.Duration) (verdict string, err error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	overlay, err := c.overlay(dir)
	if err != nil {
		return "", err
	}
	t, text, err := j.build(ctx, p, dir, overlay)
	if err != nil {
		return "", fmt.Errorf("building the tests of %s: %w\n%s", p.ImportPath, err, text)
	}
	text, err = t.run(ctx, limit)
	return plain.confirmed(ctx, verdictOf(text, err), text, limit), ctx.Err()
}

// overlay writes the changed file below dir, and answers the file that tells the go command to
// take it.
func (c change) overlay(dir string) (string, error) {
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {c.file: changed}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(changed, c.apply(), 0o600), os.WriteFile(overlay, text, 0o600))
}

// verdictOf reads what tests printed that ran with a change.
func verdictOf(text []byte, err error) string {
	switch {
	case err == nil:
		return unnoticed
	case bytes.Contains(text, []byte("panic: test timed out after")):
		return endless
	default:
		return noticed
	}
}
