package faults_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// markVariable marks every process of a product in its environment, which a process
// that one of them starts inherits.
const markVariable = "FAULTS_MARK"

// marked answers the processes with a mark, as their numbers and command lines.
func marked(t *testing.T, mark string) []string {
	t.Helper()
	want := []byte(markVariable + "=" + mark)
	var found []string
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		out, err := exec.CommandContext(t.Context(), "ps", "-axEww", "-o", "pid,command").Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out) {
			if bytes.Contains(line, want) {
				found = append(found, string(line))
			}
		}
		return found
	}
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		env, err := os.ReadFile(file) // of one that just ended nothing can be read
		if err != nil || !bytes.Contains(env, want) {
			continue
		}
		dir := filepath.Dir(file)
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}

// noneLeft fails when a process with the mark is there. One that was just killed has
// a moment to go.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Second)
	for {
		left := marked(t, mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%d processes are left:\n%s", len(left), strings.Join(left, "\n"))
			return
		}
	}
}
