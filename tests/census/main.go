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
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// atLeast is how many servers must start offline and agree.
const atLeast = 50

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("census", flag.ContinueOnError)
	program := flags.String("holotype", "bin/holotype", "the program that bridges and inspects")
	only := flags.String("only", "", "take only packages whose name holds this text")
	cache := flags.String("cache", "", "where the servers are installed; the default is the user's cache folder")
	docs := flags.String("docs", "", "the folder that gets the page when all servers agree")
	jobs := flags.Int("jobs", 2, "how many servers at a time")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := servers()
	if err != nil {
		return err
	}
	if *cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		*cache = filepath.Join(user, "holotype-census")
	}
	c := &taker{program: *program, cache: *cache, cut: cutOff(ctx)}
	if *docs != "" && (*only != "" || len(c.cut) == 0) {
		return errors.New("the page is of all servers, without the network: leave -only out, and run this where unshare can take the network away")
	}
	var chosen []server
	for _, s := range all {
		if strings.Contains(s.Package, *only) {
			chosen = append(chosen, s)
		}
	}
	results := make([]*result, len(chosen))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(max(*jobs, 1))
	for i, s := range chosen {
		group.Go(func() error {
			fmt.Fprintln(progress, s.Package, s.Version)
			results[i] = c.take(each, s)
			return each.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	wrong := c.print(out, results, *only == "")
	if *docs == "" || wrong != nil {
		return wrong
	}
	return os.WriteFile(filepath.Join(*docs, pageName), write(results), 0o644)
}

// taker is what every server is taken with.
type taker struct {
	program, cache string
	cut            []string // what cuts a command off the network
}

// result is what there is to say of one server.
type result struct {
	server
	direct  *direct
	bridged *bridged
	report  *inspect.Report
	verdict *verdict
	left    []string
	failed  error
}

// take installs a server and compares it.
func (c *taker) take(ctx context.Context, s server) *result {
	root, err := s.install(ctx, c.cache)
	if err != nil {
		return &result{server: s, failed: err}
	}
	return c.compare(ctx, s, root)
}

// compare asks a server that is installed under root directly, behind the product, and
// through inspect.
func (c *taker) compare(ctx context.Context, s server, root string) (r *result) {
	r = &result{server: s}
	dir, err := os.MkdirTemp("", "census-")
	if err != nil {
		r.failed = err
		return r
	}
	defer func() { r.failed = errors.Join(r.failed, os.RemoveAll(dir)) }()
	l, err := s.launch(root, dir, c.cut)
	if err != nil {
		r.failed = err
		return r
	}
	r.failed = r.ask(ctx, c.program, dir, l)
	return r
}

func (r *result) ask(ctx context.Context, program, dir string, l *launch) (err error) {
	note := func(when string) {
		for _, process := range l.left(ctx) {
			r.left = append(r.left, when+": "+process)
		}
	}
	if r.report, err = l.inspect(ctx, program); err != nil {
		note("inspected")
		return err
	}
	note("inspected")
	r.direct, err = l.ask(ctx)
	note("asked directly")
	if err != nil {
		return err
	}
	r.bridged, err = l.bridge(ctx, program, dir)
	note("bridged")
	if err != nil {
		return err
	}
	offered := map[string]string{}
	for _, one := range r.report.Tools {
		offered[one.Name] = one.OfferedAs
	}
	r.verdict = agree(r.direct, r.bridged, offered)
	r.verdict.judgeRepeatable(r.direct.tools, dir, time.Now())
	if n := r.report.List.Tools; n != r.verdict.sent {
		r.verdict.say("inspect counts %d tools of %d", n, r.verdict.sent)
	}
	return nil
}

// wrong is everything that is not as it must be. What a server says that has no network
// is judged only where the network was taken away.
func (r *result) wrong(cut bool) []string {
	var all []string
	switch {
	case r.Offline != "" && !cut:
	case r.failed != nil && r.Offline == "":
		all = append(all, r.failed.Error())
	case r.failed == nil && r.Offline != "":
		all = append(all, "it starts offline now; servers.json says that it does not")
	case r.failed != nil && !strings.Contains(r.failed.Error(), r.Offline):
		all = append(all, fmt.Sprintf("it fails otherwise than servers.json says: %v", r.failed))
	}
	if r.verdict != nil {
		all = append(all, r.verdict.wrong...)
	}
	for _, process := range r.left {
		all = append(all, "left running after it was "+process)
	}
	return all
}

// print writes the table, what does not start offline, and what is wrong, which is the
// error too.
func (c *taker) print(out io.Writer, results []*result, whole bool) error {
	if len(c.cut) > 0 {
		fmt.Fprintln(out, "The servers have no network.")
	} else {
		fmt.Fprintln(out, "The servers have the network: this system cannot take it away from them.")
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PACKAGE\tVERSION\tPROTOCOL\tTOOLS\tLISTED\tHINTS\tAS SENT\tREPAIRED\tSTOP\tBRIDGED\tLEFT\tJUNK\tE/W/N\tERRORS AND WARNINGS")
	agreed := 0
	var failed []error
	for _, r := range results {
		wrong := r.wrong(len(c.cut) > 0)
		for _, one := range wrong {
			failed = append(failed, fmt.Errorf("%s %s: %s", r.Package, r.Version, one))
		}
		if r.verdict == nil {
			continue
		}
		if len(wrong) == 0 {
			agreed++
		}
		left := "not looked for"
		if canLook() {
			left = fmt.Sprint(len(r.left))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t%d ms\t%s\t%d\t%d/%d/%d\t%s\n", r.Package, r.Version, r.report.Session.Version, r.verdict.sent, r.verdict.listed,
			r.verdict.hints, r.verdict.same, r.verdict.repaired, r.direct.stop, r.bridged.stop.Round(time.Millisecond).Milliseconds(), left, r.report.Session.JunkLines,
			r.report.Count(inspect.Error), r.report.Count(inspect.Warning), r.report.Count(inspect.Note), kinds(r.report))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	fmt.Fprintf(out, "\n%d of %d servers start offline and are bridged as they are.\n", agreed, len(results))
	for _, r := range results {
		if r.Offline != "" && r.failed != nil {
			fmt.Fprintf(out, "does not start offline: %s %s: %s\n", r.Package, r.Version, r.Offline)
		}
	}
	if whole && agreed < atLeast {
		failed = append(failed, fmt.Errorf("%d servers agree, and at least %d must", agreed, atLeast))
	}
	return errors.Join(failed...)
}
