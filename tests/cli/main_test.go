// Package cli_test runs scripts of commands as a person types them: against the
// built program, and against a program of another name that has the fixture's
// capabilities, which answer every code.
package cli_test

import (
	"bytes"
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

func TestMain(m *testing.M) {
	testscript.Main(&built{m}, map[string]func(){"upstream": upstream})
}

// built builds the programs before the tests run and puts them on the path.
type built struct{ m *testing.M }

// Run builds, runs the tests and cleans up.
func (b *built) Run() int {
	dir, err := os.MkdirTemp("", "holotype-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it is the system's to clean
	if err := drive.Build(dir, "../../cmd/holotype", "./acme"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Most scripts wait for other processes most of their time.
	if err := flag.Set("test.parallel", strconv.Itoa(max(scriptsAtOnce, runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return b.m.Run()
}

// scriptsAtOnce is how many scripts run at once on a machine with fewer processors.
const scriptsAtOnce = 4

// goRace takes a second off the end of every process that the race detector watches,
// in which it would wait for goroutines that are left. A race that it has seen is
// reported, and ends the process with a status of its own, all the same.
const goRace = "atexit_sleep_ms=10"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(7 * time.Minute),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "share"))
			e.Setenv("GORACE", goRace)
			e.Values[running{}] = map[string]*process{}
			return mark(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"background": background, "say": say, "hangup": hangup, "await": await,
			"signal": signalTo, "ended": ended, "fetch": fetch, "send": send, "gone": gone, "leaves": leaves,
		},
	})
}

// mark puts a word that no other run has in place of MARK in the script's files, so
// that the processes of one script are told from all others.
func mark(e *testscript.Env) error {
	word := "mark-" + rand.Text()
	e.Setenv("MARK", word)
	var files []string
	for _, kind := range []string{"*.json", "*.yaml"} {
		some, err := filepath.Glob(filepath.Join(e.WorkDir, kind))
		if err != nil {
			return err
		}
		files = append(files, some...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("MARK"), []byte(word)), 0o600); err != nil {
			return err
		}
	}
	return nil
}
