package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// inspect runs `holotype inspect` on a server.
func (l *launch) inspect(ctx context.Context, program string) (*inspect.Report, error) {
	args := []string{"inspect", "-o", "json", "--name", alias, "--timeout", l.limit.String()}
	for name, value := range l.env {
		args = append(args, "--env", name+"="+value)
	}
	cmd := exec.CommandContext(ctx, program, append(append(args, "--"), l.command...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it stops its server first
	cmd.WaitDelay = 30 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("inspected: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var r inspect.Report
	if err := json.Unmarshal(out, &r); err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	return &r, nil
}

// kinds names what was found, notes left out.
func kinds(r *inspect.Report) string {
	var parts []string
	for _, g := range r.Groups() {
		if g.Severity != inspect.Note {
			parts = append(parts, fmt.Sprintf("%s (%d)", g.ID, len(g.Findings)))
		}
	}
	return strings.Join(parts, ", ")
}
