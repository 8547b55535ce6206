package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// canLook reports whether this system shows the environment of a process. Where it
// does not, nothing is said of what is left.
func canLook() bool {
	_, err := os.Stat("/proc/self/environ")
	return err == nil
}

// running answers the processes of a launch, as their numbers and command lines.
func (l *launch) running() []string {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	var found []string
	for _, file := range all {
		env, err := os.ReadFile(file) // of one that just ended nothing can be read
		if err != nil || !bytes.Contains(env, []byte(markVariable+"="+l.mark+"\x00")) {
			continue
		}
		dir := filepath.Dir(file)
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		found = append(found, filepath.Base(dir)+" "+strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")))
	}
	return found
}

// left answers the processes that are still there after two seconds: one that was just
// ended has a moment to go.
func (l *launch) left(ctx context.Context) []string {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Second); ; {
		found := l.running()
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return found
		}
	}
}
