package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// What becomes of a change.
const (
	noticed   = "noticed"
	unnoticed = "NOT NOTICED"
	endless   = "noticed, without an end"
	elsewhere = "noticed by users"
	alike     = "means the same"
	broken    = "does not compile"
)

// Tests that do not end with a change have noticed it: they may take so many times what they
// took without it, and no less than the floor.
const (
	patience = 10
	floor    = time.Minute
)

// A judge makes changes and runs tests.
type judge struct {
	*module
	users    bool
	progress io.Writer
	usual    map[string]time.Duration // what tests take without a change, by package
}

// take judges the changes of a package: all for a sample of 0, otherwise as many of those that
// compile as the sample says, or as there are.
func (j *judge) take(ctx context.Context, p listed, sample int, seed uint64, same explanations) (row, error) {
	r := row{name: j.below(p.ImportPath)}
	all, err := changesOf(j.root, p)
	if err != nil {
		return r, err
	}
	r.changes = len(all)
	if sample > 0 {
		shuffle(all, r.name, seed)
	}
	for _, c := range all {
		if sample > 0 && r.tried() >= sample {
			break
		}
		verdict := alike
		if !same.holds(c) {
			if verdict, err = j.verdict(ctx, p, c); err != nil {
				return r, err
			}
		}
		fmt.Fprintf(j.progress, "%-12s %s:%d: %s\n", verdict, c.name, c.line, c.becomes())
		r.add(c, verdict)
	}
	return r, nil
}

// verdict says what becomes of a change of a package.
func (j *judge) verdict(ctx context.Context, p listed, c change) (string, error) {
	verdict := unnoticed
	if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
		var err error
		if verdict, err = j.run(ctx, c, p.ImportPath); err != nil || verdict != unnoticed {
			return verdict, err
		}
	}
	if !j.users {
		return verdict, nil
	}
	users, err := j.usersOf(ctx, p.ImportPath)
	if err != nil {
		return "", err
	}
	for _, user := range users {
		switch found, err := j.run(ctx, c, user); {
		case err != nil:
			return "", err
		case found == noticed || found == endless:
			return elsewhere, nil
		}
	}
	return verdict, nil
}

// run runs the tests of a package with a change. They must pass without it.
func (j *judge) run(ctx context.Context, c change, path string) (string, error) {
	usual, ok := j.usual[path]
	if !ok {
		start := time.Now()
		if text, err := j.test(ctx, time.Hour, "", path); err != nil {
			return "", fmt.Errorf("the tests of %s fail without a change, so they can judge none: %w\n%s", path, err, text)
		}
		usual = time.Since(start)
		if j.usual == nil {
			j.usual = map[string]time.Duration{}
		}
		j.usual[path] = usual
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return "", err
	}
	overlay, err := c.overlay(dir)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	text, err := j.test(ctx, max(floor, patience*usual), overlay, path)
	return verdictOf(ctx, text, err), errors.Join(ctx.Err(), os.RemoveAll(dir))
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

// test runs the tests of a package, and answers what they print. The overlay stands in the environment, so that
// programs which a test builds are changed too.
func (j *judge) test(ctx context.Context, limit time.Duration, overlay, path string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-tags", j.tags, "-count=1", "-vet=off", "-failfast", "-timeout", limit.String(), path)
	cmd.Dir = j.root
	cmd.Env = os.Environ()
	if overlay != "" {
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	return cmd.CombinedOutput()
}

// verdictOf reads what the go command printed when it ran tests with a change.
func verdictOf(ctx context.Context, text []byte, err error) string {
	switch {
	case err == nil:
		return unnoticed
	case ctx.Err() != nil:
		return ""
	case bytes.Contains(text, []byte("[build failed]")):
		return broken
	case bytes.Contains(text, []byte("panic: test timed out after")):
		return endless
	default:
		return noticed
	}
}
