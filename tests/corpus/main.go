// Command corpus runs `holotype inspect` over live MCP servers from npm, each of a
// pinned version, started without a credential, and prints a table of what was found.
// It needs npx and the network, so it is no part of the tests.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// servers.json names the servers. "{dir}" in an argument is an empty directory.
//
//go:embed servers.json
var list []byte

// A server is one package of npm whose program speaks MCP over stdio.
type server struct {
	Package string   `json:"package"`
	Version string   `json:"version"`
	Args    []string `json:"args"`
}

func main() {
	program := flag.String("holotype", "bin/holotype", "the program that inspects")
	only := flag.String("only", "", "inspect only packages whose name holds this text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *program, *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, only string, out io.Writer) error {
	var servers []server
	if err := json.Unmarshal(list, &servers); err != nil {
		return fmt.Errorf("reading servers.json: %w", err)
	}
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return fmt.Errorf("making a directory for the servers: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays there is empty
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PACKAGE\tVERSION\tPROTOCOL\tTOOLS\tBYTES\t~TOKENS\tERRORS\tWARNINGS\tNOTES\tJUNK\tSTOP\tMS\tERRORS AND WARNINGS")
	var failed []error
	for _, s := range servers {
		if !strings.Contains(s.Package, only) {
			continue
		}
		began := time.Now()
		r, err := s.inspect(ctx, program, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %s: %w", s.Package, s.Version, err))
			fmt.Fprintf(table, "%s\t%s\tfailed\n", s.Package, s.Version)
			continue
		}
		stop := "-"
		if r.Session.Stop != nil {
			stop = fmt.Sprintf("%s, %d ms", r.Session.Stop.How, r.Session.Stop.After)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%d\t%s\n", s.Package, s.Version, r.Session.Version, r.List.Tools, r.List.Bytes, r.List.Tokens,
			r.Count(inspect.Error), r.Count(inspect.Warning), r.Count(inspect.Note), r.Session.JunkLines, stop, time.Since(began).Milliseconds(), kinds(r))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return errors.Join(failed...)
}

// inspect runs the program on the server.
func (s server) inspect(ctx context.Context, program, dir string) (*inspect.Report, error) {
	args := []string{"inspect", "-o", "json", "--", "npx", "-y", s.Package + "@" + s.Version}
	for _, arg := range s.Args {
		args = append(args, strings.ReplaceAll(arg, "{dir}", dir))
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it stops its server first
	cmd.WaitDelay = 30 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
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
