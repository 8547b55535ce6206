package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/codegen/surface"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// The flags of the commands about the surface.
const (
	flagOldCommand = "old-command"
	flagOldVersion = "old-version"
	flagNewVersion = "new-version"
	flagListKinds  = "list-kinds"
	oldPrefix      = "old-"
)

// surfaceCommands take pictures of public surfaces and compare them.
func (s *Server) surfaceCommands() []cli.Command {
	return []cli.Command{
		{
			Name: "surface show", Args: "[URL | -- COMMAND ARGS...]", MaxArgs: 1000,
			Short: "Write the picture of a public surface: names, schemas, hints and what else a caller can rely on",
			Long: "Without arguments it is the surface that this program declares, as generate writes it. With a url, or a command behind --,\n" +
				"it is what that MCP server lists: it is started, asked for its tools, and stopped again.",
			Flags: slices.Concat(cli.EndpointFlags("", ""), []cli.Flag{cli.TimeoutFlag()}),
			Run:   s.showSurface,
		},
		{
			Name: "surface diff", Args: "OLD [NEW | -- COMMAND ARGS...]", MaxArgs: 1000,
			Short: "Class what changed between two surfaces, and fail when the declared version does not carry it",
			Long: "OLD and NEW are each a file that generate or surface show wrote, or the url of an MCP server. The new one may be a command\n" +
				"behind --, the old one a command in --old-command; it is run without a shell. Without a new one it is the surface that this\n" +
				"program declares now.\n\n" +
				"Every change is major, minor or patch, with the place and the reason. The exit status is 0 when the version of the new surface\n" +
				"carries the strongest of them, counted from the version of the old one, and 1 when it does not. Below 1.0.0 a major change\n" +
				"asks for the next 0.y.0 and any other for the next 0.y.z.",
			Example: "  " + s.o.Name + " surface diff openapi/released/surface.json openapi/surface.json\n" +
				"  " + s.o.Name + " surface diff released.json -- node ./dist/server.js\n" +
				"  " + s.o.Name + " surface diff --old-command 'npx -y some-mcp-server@1.2.0' -- npx -y some-mcp-server@1.3.0",
			Flags: slices.Concat([]cli.Flag{
				{Name: flagOldCommand, Word: "COMMAND", Usage: "the command of the old MCP server, in place of OLD; quotes keep words together"},
				{Name: flagOldVersion, Word: "VERSION", Usage: "the version of the old surface, where it does not say the right one"},
				{Name: flagNewVersion, Word: "VERSION", Usage: "the version of the new surface, where it does not say the right one"},
				{Name: flagListKinds, Kind: cli.Switch, Usage: "list the kinds of changes with their classes, and compare nothing"},
			}, cli.EndpointFlags("", " of the new server"), cli.EndpointFlags(oldPrefix, " of the old server"), []cli.Flag{cli.TimeoutFlag()}),
			Run: s.diffSurfaces,
		},
	}
}

// declaredSurface answers the picture of what this program declares.
func (s *Server) declaredSurface() (*surface.Picture, error) {
	reg, err := s.described()
	if err != nil {
		return nil, err
	}
	return surface.OfRegistry(s.o.Name, s.o.Version, reg)
}

func (s *Server) showSurface(ctx context.Context, inv cli.Invocation) error {
	e := cli.EndpointOf(inv, "surface show", "", config.Environ)
	var p *surface.Picture
	var err error
	switch server, usage := serverOf(e, inv.Dash, inv.Args); {
	case usage != nil:
		return usage
	case server == nil:
		p, err = s.declaredSurface()
	default:
		p, err = s.observedSurface(ctx, inv, e, *server)
	}
	if err != nil {
		return err
	}
	text, err := p.Bytes()
	if err == nil {
		_, err = inv.Out.Write(text)
	}
	return err
}

// serverOf answers the MCP server that arguments name, or nil for none: an address, or a
// command behind --.
func serverOf(e cli.Endpoint, dash int, args []string) (*bridge.Server, error) {
	switch {
	case dash > 0:
		return nil, cli.Usage("a server has a url or a command, not both: nothing may stand before --")
	case dash == 0 && (len(args) == 0 || args[0] == ""):
		return nil, cli.Usage("a command has to follow --")
	case dash == 0:
		return e.OfCommand(args)
	case len(args) == 0:
		return nil, nil //nolint:nilnil // no server is named, and that is fine
	case len(args) > 1:
		return nil, cli.Usage("a command stands behind --, such as: %s -- %s", e.Command, cli.Escape(strings.Join(args, " ")))
	}
	return e.OfURL(args[0])
}

func (s *Server) observedSurface(ctx context.Context, inv cli.Invocation, e cli.Endpoint, server bridge.Server) (*surface.Picture, error) {
	limit, err := cli.Limit("timeout", inv.Text("timeout"))
	if err != nil {
		return nil, err
	}
	seen, err := e.Observe(ctx, server, s.o.Version, limit)
	if err != nil {
		return nil, err
	}
	p, left, err := surface.OfEndpoint(seen)
	if err != nil {
		return nil, fmt.Errorf("the surface of the server %s: %w", seen.Alias, err)
	}
	for _, one := range left {
		if _, err := fmt.Fprintf(inv.Err, "not in the picture, as no client should take it: the tool %s\n", cli.Escape(one)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// surfaceAt answers the surface of a file or an address.
func (s *Server) surfaceAt(ctx context.Context, inv cli.Invocation, e cli.Endpoint, place string) (*surface.Picture, error) {
	if strings.HasPrefix(place, "http://") || strings.HasPrefix(place, "https://") {
		server, err := e.OfURL(place)
		if err != nil {
			return nil, err
		}
		return s.observedSurface(ctx, inv, e, *server)
	}
	f, err := os.Open(place)
	if err != nil {
		return nil, cli.Usage("%w: a surface is a file that generate or surface show wrote, or the url of an MCP server", err)
	}
	p, err := surface.Read(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("reading the surface %s: %w", place, err)
	}
	return p, nil
}

func (s *Server) diffSurfaces(ctx context.Context, inv cli.Invocation) error {
	if inv.Switch(flagListKinds) {
		if len(inv.Args) > 0 {
			return cli.Usage("--%s compares nothing: leave the surfaces out", flagListKinds)
		}
		return listKinds(inv)
	}
	old, now, err := s.bothSurfaces(ctx, inv)
	if err != nil {
		return err
	}
	changes, err := surface.Diff(old, now)
	if err != nil {
		return cli.Usage("%w", err)
	}
	verdict := surface.Judge(old, now, changes)
	if inv.Output == cli.JSON {
		err = writeJSON(inv.Out, surface.NewReport(old, now, changes, verdict))
	} else {
		err = writeChanges(inv.Out, old, now, changes, verdict)
	}
	if err == nil && !verdict.Carried {
		err = errors.New(verdict.Reason)
	}
	return err
}

// bothSurfaces answers the two surfaces that the arguments name, with the versions that
// the flags say.
func (s *Server) bothSurfaces(ctx context.Context, inv cli.Invocation) (old, now *surface.Picture, err error) {
	before, command := inv.Args, []string(nil)
	if inv.Dash >= 0 {
		before, command = inv.Args[:inv.Dash], inv.Args[inv.Dash:]
		if len(command) == 0 {
			return nil, nil, cli.Usage("a command has to follow --")
		}
	}
	olds := cli.EndpointOf(inv, "surface diff", oldPrefix, config.Environ)
	news := cli.EndpointOf(inv, "surface diff", "", config.Environ)
	line := inv.Text(flagOldCommand)
	places := 1 // of the old surface
	if line != "" {
		places = 0
	}
	switch most := places + 1; {
	case len(before) < places:
		return nil, nil, cli.Usage("surface diff needs the old surface: a file, a url, or --%s", flagOldCommand)
	case len(before) > most && line != "":
		return nil, nil, cli.Usage("the old surface is that of --%s: leave OLD out", flagOldCommand)
	case len(before) > most, len(before) == most && command != nil:
		return nil, nil, cli.Usage("surface diff compares two surfaces, and more than two are named")
	}
	if line != "" {
		words, err := commandWords(line)
		if err != nil {
			return nil, nil, cli.Usage("--%s: %w", flagOldCommand, err)
		}
		server, err := olds.OfCommand(words)
		if err != nil {
			return nil, nil, err
		}
		old, err = s.observedSurface(ctx, inv, olds, *server)
		if err != nil {
			return nil, nil, fmt.Errorf("the old surface: %w", err)
		}
	} else if old, err = s.surfaceAt(ctx, inv, olds, before[0]); err != nil {
		return nil, nil, err
	}
	switch {
	case command != nil:
		server, err := news.OfCommand(command)
		if err != nil {
			return nil, nil, err
		}
		now, err = s.observedSurface(ctx, inv, news, *server)
		if err != nil {
			return nil, nil, fmt.Errorf("the new surface: %w", err)
		}
	case len(before) > places:
		now, err = s.surfaceAt(ctx, inv, news, before[places])
	default:
		now, err = s.declaredSurface()
	}
	if err != nil {
		return nil, nil, err
	}
	for p, flag := range map[*surface.Picture]string{old: flagOldVersion, now: flagNewVersion} {
		if v := inv.Text(flag); v != "" {
			p.Version = v
		}
	}
	return old, now, nil
}

// commandWords splits a line at its spaces; quotes and backslashes keep words together as
// in a shell, and nothing else means anything.
func commandWords(line string) (words []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("the command %q ends within a quote", line)
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no command")
	}
	return words, nil
}

func listKinds(inv cli.Invocation) error {
	kinds := surface.Kinds()
	if inv.Output == cli.JSON {
		return writeJSON(inv.Out, struct {
			Kinds []surface.Kind `json:"kinds"`
		}{kinds})
	}
	rows := make([][]string, len(kinds))
	for i, k := range kinds {
		rows[i] = []string{k.ID, k.Class.String(), k.Means}
	}
	return writeTable(inv.Out, []string{"KIND", "CLASS", "MEANS"}, rows)
}

// writeChanges lays the changes out for people.
func writeChanges(out io.Writer, old, now *surface.Picture, changes []surface.Change, verdict surface.Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "old  %s %s, %d capabilities\nnew  %s %s, %d capabilities\n", cli.Escape(old.Name), cli.Escape(old.Version), len(old.Capabilities),
		cli.Escape(now.Name), cli.Escape(now.Version), len(now.Capabilities))
	for _, c := range changes {
		subject := c.Capability
		if subject == "" {
			subject = now.Name
		}
		fmt.Fprintf(&b, "\n%s  %s  %s\n  %s\n", c.Class, cli.Escape(subject), c.Kind, cli.Escape(c.Reason))
		if c.At != "" {
			fmt.Fprintf(&b, "  at %s of the %s one\n", cli.Escape(c.At), c.In)
		}
		if c.Value != nil {
			fmt.Fprintf(&b, "  such as %s\n", cli.Escape(brief(string(c.Value))))
		}
	}
	counts := map[surface.Class]int{}
	for _, c := range changes {
		counts[c.Class]++
	}
	fmt.Fprintf(&b, "\n%s major, %s minor, %s patch: %s\n", strconv.Itoa(counts[surface.Major]), strconv.Itoa(counts[surface.Minor]), strconv.Itoa(counts[surface.Patch]), cli.Escape(verdict.Reason))
	_, err := io.WriteString(out, b.String())
	return err
}

// brief cuts a value for a line of a terminal.
func brief(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
