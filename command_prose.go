package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/codegen/prose"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// The flags of the command prose.
const (
	flagAllow = "allow"
	flagSkip  = "skip"
	flagPacks = "packs"
)

func (s *Server) proseCommand() cli.Command {
	return cli.Command{
		Name: "prose", Args: "PATH...", MinArgs: 1, MaxArgs: 10000,
		Short: "Check that the names and the counts in authored text exist",
		Long: "Reads Markdown, the comments and messages of Go, templates, scripts and examples: the files named, and all such below\n" +
			"the folders named. Every tool, route, command, flag, key of the configuration, code and event that they mention has to\n" +
			"exist, and so many as they say have to. What does not is printed with its place and the nearest name that does.\n\n" +
			"Names are looked up in the server that runs on the data directory, or else in one that is started for it, bridged\n" +
			"tools included. With --packs it is what this program declares, and nothing is started.\n\n" +
			"Exits 0 when all is true, 1 when something is not, 2 when the command cannot be run as it stands.",
		Example: "  " + s.o.Name + " prose README.md docs\n  " + s.o.Name + " prose --packs --skip '*_old.md' --allow prose.yaml -o json .",
		Flags: []cli.Flag{
			{Name: flagAllow, Word: "FILE", Usage: "the claims that may stand all the same, with the reasons, as YAML"},
			{Name: flagSkip, Word: "PATTERN", Kind: cli.List, Usage: "leave out what is named like this, or has this path"},
			{Name: flagPacks, Kind: cli.Switch, Usage: "look names up in what this program declares, and start nothing"},
			cli.MCPConfigFlag(),
		},
		Run: s.checkProse,
	}
}

func (s *Server) checkProse(ctx context.Context, inv cli.Invocation) error {
	allow, err := allowances(inv.Text(flagAllow))
	if err != nil {
		return err
	}
	walk := prose.Walk{Paths: inv.Args, Skip: inv.List(flagSkip)}
	if err := walk.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	truth, err := s.truthFor(ctx, inv)
	if err != nil {
		return err
	}
	checker, err := prose.New(prose.Options{Truth: truth, Allow: allow})
	if err != nil {
		return err
	}
	report, err := checker.Files(walk)
	if err != nil {
		return cli.Usage("%w", err)
	}
	report.Findings = append(report.Findings, checker.Idle(inv.Text(flagAllow))...)
	if inv.Output == cli.JSON {
		err = writeJSON(inv.Out, report)
	} else {
		err = writeProse(inv, report)
	}
	if n := len(report.Findings); err == nil && n > 0 {
		err = fmt.Errorf("%s not true, in %s", plural(n, "claim is", "claims are"), plural(report.Files, "file", "files"))
	}
	return err
}

func plural(n int, one, more string) string {
	if n == 1 {
		more = one
	}
	return fmt.Sprintf("%d %s", n, more)
}

func writeProse(inv cli.Invocation, report *prose.Report) error {
	for _, f := range report.Findings {
		if _, err := fmt.Fprintln(inv.Out, cli.Escape(f.String())); err != nil {
			return err
		}
	}
	for _, skipped := range report.Skipped {
		if _, err := fmt.Fprintf(inv.Err, "%s: not read: %s\n", cli.Escape(skipped.File), skipped.Why); err != nil {
			return err
		}
	}
	if len(report.Findings) > 0 {
		return nil
	}
	_, err := fmt.Fprintf(inv.Out, "all that is claimed in %s is true\n", plural(report.Files, "file", "files"))
	return err
}

// allowances reads the file of a flag; "" is none.
func allowances(file string) ([]prose.Allowance, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, cli.Usage("--%s: %w", flagAllow, err)
	}
	all, err := prose.ReadAllowances(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, cli.Usage("--%s %s: %w", flagAllow, file, err)
	}
	return all, nil
}

// truthFor answers the truth of the server that a command is for, or with --packs that of
// the declarations.
func (s *Server) truthFor(ctx context.Context, inv cli.Invocation) (t prose.Truth, err error) {
	if inv.Switch(flagPacks) {
		return s.Truth(ctx)
	}
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err, All: true})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	t, err = s.truth(ctx, session, slices.Values(session.View(session.Principal()).Everything()))
	t.Bridged = true
	return t, err
}

// Truth answers what the declared capabilities of this program make true of prose, for
// [prose.New]: nothing is started, and nothing is known of bridged tools.
func (s *Server) Truth(ctx context.Context) (t prose.Truth, err error) {
	reg, err := s.described()
	if err != nil {
		return t, err
	}
	// A server of the same declarations, which keeps nothing, says what it would serve.
	o := Options{
		Name: s.o.Name, Version: s.o.Version, BasePath: s.o.BasePath, NativePacks: s.o.NativePacks, NoStore: s.o.NoStore, Data: InMemory,
		Lookup: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler), Now: s.o.Now,
	}
	for _, b := range s.o.Packs {
		o.Packs = append(o.Packs, b.Describe())
	}
	session, err := New(o).openQuiet(ctx, cli.OpenRequest{Data: InMemory, Err: io.Discard})
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	return s.truth(ctx, session, reg.All())
}

func (s *Server) truth(ctx context.Context, session cli.Session, all iter.Seq[*capabilities.Capability]) (prose.Truth, error) {
	t := prose.Known(s.o.Name, all, s.codes())
	flags := map[string][]string{}
	for c := range all {
		flags[c.Name()] = append([]string{}, cli.FlagsOf(c)...)
	}
	for i := range t.Tools {
		t.Tools[i].Flags = flags[t.Tools[i].Name]
	}
	schema, err := config.Schema()
	if err != nil {
		return t, err
	}
	t.Config, t.Events, t.Address, t.Commands = schema, reference.EventNames(), config.DefaultListen, s.Command().cli.CommandFlags()
	t.Words = append(t.Words, reference.MetricNames()...)
	if t.Serves, err = s.documented(); err != nil {
		return t, err
	}
	if _, refused, ok := session.Find(session.Principal(), system.DescribeProjection.Name()); !ok || refused != nil {
		return t, nil // the routes of capabilities are known all the same
	}
	facts, _, err := askOf(ctx, session, system.DescribeProjection, system.DescribeProjectionInput{})
	if err != nil {
		return t, err
	}
	for _, one := range facts.Surfaces {
		if one.Surface == string(capabilities.HTTP) {
			t.Routes = append(t.Routes, one.MethodsServed...)
		}
		for _, way := range one.Transports {
			t.Words = append(t.Words, way.Name)
		}
	}
	t.Routes = append(t.Routes, "GET "+site.Prefix, "GET "+site.MapPath, "GET "+site.WholePath)
	slices.Sort(t.Routes)
	t.Routes = slices.Compact(t.Routes)
	return t, nil
}

// documented answers whether a page of the documentation stands at a path.
func (s *Server) documented() (func(path string) bool, error) {
	reg, err := s.described()
	if err != nil {
		return nil, err
	}
	pages, err := site.Handler(site.Options{Registry: reg, Pages: s.o.Docs, Title: s.o.Name, BasePath: s.o.BasePath, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return func(path string) bool {
		path = strings.TrimPrefix(path, s.o.BasePath)
		if path != site.MapPath && path != site.WholePath && path != site.Prefix && !strings.HasPrefix(path, site.Prefix+"/") && path != site.Prefix+".md" {
			return false
		}
		r, err := http.NewRequest(http.MethodHead, "/", http.NoBody) //nolint:noctx // no request: it is asked of a handler in this process
		if err != nil {
			return false
		}
		r.URL.Path = path
		w := &statusOnly{status: http.StatusOK}
		pages.ServeHTTP(w, r)
		return w.status < http.StatusMultipleChoices
	}, nil
}

// statusOnly notes the status of an answer.
type statusOnly struct {
	status int
	header http.Header
}

// Header answers the header that nobody reads.
func (w *statusOnly) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

// Write drops what is written.
func (*statusOnly) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader notes the status.
func (w *statusOnly) WriteHeader(status int) { w.status = status }
