package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	run, args := untilSignalled, os.Args[1:]
	if len(args) > 0 && args[0] == "child" {
		run, args = child, args[1:] // a signal ends it
	}
	if err := run(context.Background(), args, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// untilSignalled lets an interrupted bench stop what it started.
func untilSignalled(ctx context.Context, args []string, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return bench(ctx, args, out)
}

// plan is how much is measured, and with what.
type plan struct {
	rounds int
	calls  int    // scale of the counts of calls, in percent
	items  int    // that the large store of the reads has
	dir    string // a folder of this run
	self   string // this program
	binary string // cmd/holotype, once built
	hello  string // tests/bench/hello, likewise
}

// count scales a count of calls.
func (p *plan) count(n int) int { return max(n*p.calls/100, 1) }

// section is one table of the report.
type section struct {
	name    string
	measure func(context.Context, *plan) (*table, error)
}

func sections() []section {
	return []section{
		{"http", measureHTTP},
		{"mcp", measureMCP},
		{"list", measureList},
		{"find", measureFind},
		{"bridge", measureBridge},
		{"start", measureStart},
		{"memory", measureMemory},
		{"servers", measureServers},
		{"inspect", measureInspect},
		{"prose", measureProse},
		{"generate", measureGenerate},
		{"gate", measureGate},
		{"telemetry", measureTelemetry},
		{"docs", measureDocs},
		{"store", measureStore},
		{"reads", measureReads},
	}
}

func bench(ctx context.Context, args []string, out io.Writer) (err error) {
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	p := &plan{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	write := flags.Bool("write", false, "write docs/speed.md too")
	only := flags.String("only", "", "comma-separated `sections` of "+strings.Join(names, ", "))
	flags.IntVar(&p.rounds, "rounds", 11, "rounds of every comparison")
	flags.IntVar(&p.calls, "percent", 100, "scale of the counts of calls")
	flags.IntVar(&p.items, "items", 100_000, "`items` of the large store of the section reads, each with ten changes: 100,000 take about a minute to fill in")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if p.items < smallStore {
		return fmt.Errorf("the large store has %d items: it has to have %d, which are in the small one, or more", p.items, smallStore)
	}
	wanted := slices.DeleteFunc(strings.Split(*only, ","), func(s string) bool { return s == "" })
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return fmt.Errorf("there is no section %q: they are %s", w, strings.Join(names, ", "))
		}
	}
	if *write && len(wanted) > 0 {
		return errors.New("-write wants every section: leave -only out")
	}
	if p.self, err = os.Executable(); err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "holotype-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.dir)) }()
	p.binary, p.hello = filepath.Join(p.dir, "holotype"), filepath.Join(p.dir, "hello")
	for to, program := range map[string]string{p.binary: "cmd/holotype", p.hello: "tests/bench/hello"} {
		if err := build(ctx, to, program); err != nil {
			return err
		}
	}
	r := newReport(ctx, p)
	for _, s := range sections() {
		if len(wanted) > 0 && !slices.Contains(wanted, s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s\n", s.name)
		t, err := s.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", s.name, err)
		}
		r.add(t)
	}
	if _, err := io.WriteString(out, r.tables()); err != nil {
		return err
	}
	if *write {
		return r.write(ctx)
	}
	return nil
}
