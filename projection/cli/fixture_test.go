package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// noteInput has a field of every shape a flag can have.
type noteInput struct {
	Title   string            `json:"title" jsonschema:"minLength=1" jsonschema_description:"What it is about."`
	Kind    kind              `json:"kind,omitempty" jsonschema:"default=memo" jsonschema_description:"Which kind."`
	Count   int               `json:"count,omitempty" jsonschema:"minimum=1,maximum=5" jsonschema_description:"How many."`
	Big     int64             `json:"big,omitempty" jsonschema_description:"A large number."`
	Done    bool              `json:"done,omitempty" jsonschema_description:"Whether it is done."`
	Tags    []string          `json:"tags,omitempty" jsonschema_description:"Words beside it."`
	Numbers []int             `json:"numbers,omitempty" jsonschema_description:"Numbers beside it."`
	Links   map[string]string `json:"links,omitempty" jsonschema_description:"Addresses by name."`
	DueDate string            `json:"due_date,omitempty" jsonschema_description:"When it is due."`
	DryRun  bool              `json:"dry_run,omitempty" jsonschema_description:"A field named like one of our flags."`
	Data    string            `json:"data,omitempty" jsonschema_description:"Another one."`
	Refuse  string            `json:"refuse,omitempty" jsonschema_description:"The code to refuse with."`
	How     string            `json:"how,omitempty" jsonschema_description:"How to run: wait, report or nothing."`
}

type kind string

func (kind) SchemaEnum() []string { return []string{"memo", "letter", "odd one"} }

// noteOutput says what reached the handler.
type noteOutput struct {
	Title string   `json:"title" jsonschema_description:"What it is about."`
	Seen  string   `json:"seen" jsonschema_description:"The arguments."`
	Big   int64    `json:"big" jsonschema_description:"A large number."`
	Tags  []string `json:"tags" jsonschema_description:"Words."`
	Op    string   `json:"op" jsonschema_description:"The operation."`
	Dry   bool     `json:"dry" jsonschema_description:"Whether it was a dry run."`
}

type pictureOutput struct {
	Name string `json:"name" jsonschema_description:"The name."`
}

func (pictureOutput) Blocks() []capabilities.Block {
	return []capabilities.Block{
		capabilities.ImageBlock("image/png", make([]byte, 68)),
		capabilities.LinkBlock("https://example.org/x", "a \x1b[2Jlink", "text/html"),
	}
}

type listOutput = capabilities.Page[listRow]

type listRow struct {
	Name string `json:"name" jsonschema_description:"The name."`
	Size int64  `json:"size" jsonschema_description:"The size."`
	Note string `json:"note,omitempty" jsonschema_description:"A note."`
}

type pageInput struct {
	capabilities.PageInput
}

type noInput struct{}

type noteDeps struct{}

// stopKey is where a run's context carries what interrupts it.
type stopKey struct{}

const hostile = "a\x1b[2J\x1b]0;x\x07 \u202e \U000e0041\u200b\nb"

func fixturePack() *capabilities.Pack[noteDeps] {
	p := capabilities.NewPack[noteDeps](capabilities.PackInfo{Name: "notes", Title: "Notes", Summary: "Notes for tests."})
	jammed := p.Code("jammed", capabilities.Conflict, "the note is jammed", "pull it out")
	run := func(ctx context.Context, _ noteDeps, in noteInput) (noteOutput, error) {
		r := capabilities.CallFrom(ctx)
		switch {
		case in.Refuse != "":
			return noteOutput{}, capabilities.Refuse(capabilities.Code(in.Refuse), "refused: %s", in.Title)
		case in.How == "stop":
			if stop, ok := ctx.Value(stopKey{}).(context.CancelFunc); ok {
				stop()
			}
			<-ctx.Done()
			return noteOutput{}, ctx.Err()
		case in.How == "report":
			r.Report(capabilities.Progress{Value: 1, Total: 4, Message: "quarter\x1b[2J"})
			r.Report(capabilities.Progress{Value: 7})
		}
		seen, err := json.Marshal(in)
		return noteOutput{Title: in.Title, Seen: string(seen), Big: in.Big, Tags: in.Tags, Op: r.Operation.ID, Dry: r.Operation.DryRun}, err
	}
	refuses := capabilities.Codes{jammed, capabilities.NotFound, capabilities.Exists, capabilities.Conflict, capabilities.StaleVersion}
	for _, e := range []struct {
		name   string
		effect capabilities.Effect
	}{
		{"read_note", capabilities.Read(capabilities.World)},
		{"add_note", capabilities.Append(capabilities.Shared)},
		{"amend_note", capabilities.Amend(capabilities.Local)},
		{"set_note", capabilities.Set(capabilities.Private)},
		{"destroy_note", capabilities.Destroy(capabilities.Shared)},
	} {
		s := capabilities.Spec{
			Name: e.name, Title: "Note", Summary: "Handle one note.", Effect: e.effect, Route: "POST /" + strings.ReplaceAll(e.name, "_", "-"), Refuses: refuses,
			Rehearses: e.effect.Writes(),
		}
		if e.name == "add_note" {
			s.Delivers, s.Undo = "notes", "destroy_note"
			s.Aliases = []capabilities.Alias{{Name: "new_note", Since: "1.0", Until: "2.0"}}
			s.Examples = []capabilities.Example{
				{Name: "a memo", In: `{"title":"it's due","kind":"memo","big":9007199254740993,"tags":["a","b c"],"done":true}`},
				{Name: "with links", In: `{"title":"x","links":{"a":"b"}}`},
				{Name: "no title", In: `{"title":""}`, Refuses: capabilities.Invalid},
			}
		}
		capabilities.Declare(p, s, run)
	}
	capabilities.Declare(p, capabilities.Spec{
		Name: "picture", Title: "Picture", Summary: "Show a picture.", Effect: capabilities.Read(capabilities.Local), Route: "GET /picture",
	}, func(context.Context, noteDeps, noInput) (pictureOutput, error) { return pictureOutput{"p"}, nil })
	capabilities.Declare(p, capabilities.Spec{
		Name: "list_notes", Title: "List", Summary: "List notes.", Effect: capabilities.Read(capabilities.Local), Route: "GET /notes",
	}, func(_ context.Context, _ noteDeps, in pageInput) (listOutput, error) {
		rows := []listRow{{"a", 9007199254740993, ""}, {"b", 2, hostile}, {"c", 3, ""}}
		return capabilities.Paginate(rows, in.PageInput, func(r listRow) string { return r.Name })
	})
	capabilities.Declare(p, capabilities.Spec{
		Name: "admin_only", Title: "Admin", Summary: "Admin.", Effect: capabilities.Read(capabilities.Local), Route: "GET /admin", Scope: capabilities.ScopeAdmin,
	}, func(context.Context, noteDeps, noInput) (pictureOutput, error) { return pictureOutput{}, nil })
	return p
}

// fact is a hint a server sent.
func fact(h capabilities.Hint) capabilities.HintFact {
	if h == capabilities.Unknown {
		return capabilities.HintFact{}
	}
	return capabilities.HintFact{Value: h, From: capabilities.FromServer, Raw: json.RawMessage(map[capabilities.Hint]string{capabilities.Yes: "true", capabilities.No: "false"}[h])}
}

const oddSchema = `{"type":"object","properties":{
  "filter[created_at][gt]":{"type":"string"}, "a b":{"type":"integer"}, "a.b":{"type":"string"}, "$filter":{"type":"string"},
  "Id":{"type":"string"}, "id":{"type":"string"}, "type":{"type":"string","enum":["x","$(id)","y z","w"]},
  "x_y":{"type":"string"}, "x-y":{"type":"string"}, "名":{"type":"string"}, "json":{"type":["string","null"]}, "__proto__":{"type":"string"},
  "deep":{"type":"object","properties":{"n":{"type":"integer"}}}, "any":{}, "n":{"type":["integer","null"]}, "o":{"type":"string"}}}`

func bridgedTool(t *testing.T, name string, hints capabilities.HintFacts, h capabilities.Handler) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__" + name, Tool: name, Server: "far", Summary: "Do " + name + ".\nSee \x1b[31mmore\u202e.", Input: json.RawMessage(oddSchema), Hints: hints, Handler: h,
		Extras: capabilities.BridgedExtras{WireName: name},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// echoArguments answers the raw arguments, with white space an encoder would drop.
func echoArguments(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
	return &capabilities.Result{
		Structured: json.RawMessage("{ \"got\" : " + string(inv.Arguments) + " }"),
		Blocks:     []capabilities.Block{capabilities.TextBlock("{\"got\":" + string(inv.Arguments) + "}"), capabilities.TextBlock(hostile)},
	}, nil
}

func failing(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
	return nil, &capabilities.Error{
		Code: capabilities.UpstreamError, Message: "far: it failed", MaybeApplied: true, RetryAfter: 1500 * time.Millisecond,
		Upstream: &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("the disk \x1b[1m is full")}},
	}
}

// world is a server in this process and one run of a command line against it.
type world struct {
	t         *testing.T
	door      *capabilities.Door
	views     *capabilities.Views
	principal *capabilities.Principal
	codes     []capabilities.CodeInfo
	commands  []cli.Command
	requests  []cli.OpenRequest
	invoked   []capabilities.Call
	openErr   error
	invokeErr error
	alone     bool // no other process serves
	columns   int  // of out; 0 says nothing
	closed    int
	tty       bool // in, out and err are terminals
	outTTY    bool
	stdin     string
}

// Invoke remembers the call.
func (w *world) Invoke(ctx context.Context, c capabilities.Call) (*capabilities.Result, error) {
	w.invoked = append(w.invoked, c)
	if w.invokeErr != nil {
		return nil, w.invokeErr
	}
	return w.door.Invoke(ctx, c)
}

func (w *world) View(p *capabilities.Principal) *capabilities.View { return w.views.View(p) }

func (w *world) Find(p *capabilities.Principal, name string) (*capabilities.Capability, *capabilities.Rule, bool) {
	return w.views.Find(p, name)
}

func (w *world) Subscribe(f func()) func()          { return w.views.Subscribe(f) }
func (w *world) Principal() *capabilities.Principal { return w.principal }

func (w *world) Attached() bool { return !w.alone }

// Absent knows the names of one server that is not there yet.
func (w *world) Absent(_ context.Context, name string) error {
	if e := w.absentFrom(w.principal, name); e != nil {
		return e
	}
	return nil
}

func (w *world) absentFrom(_ *capabilities.Principal, name string) *capabilities.Error {
	if !strings.HasPrefix(name, "soon__") {
		return nil
	}
	e := capabilities.Refuse(capabilities.Unavailable, "server \"soon\" is not running: it failed; it is started again in 9s")
	e.RetryAfter = 9 * time.Second
	return e
}

func (w *world) Close() error {
	w.closed++
	return nil
}

// base is what worlds share: assembling it takes longer than most runs.
type base struct {
	registry *capabilities.Registry
	live     *capabilities.Live
	views    *capabilities.Views
	door     *capabilities.Door
	servers  []system.Server
}

var shared = sync.OnceValues(func() (*base, error) {
	b := &base{}
	reg, err := capabilities.Assemble(
		fixturePack().Bind(noteDeps{}),
		system.Pack.Bind(system.Deps{
			Viewer: laterViewer{b},
			Surfaces: func(*capabilities.Principal) []capabilities.SurfaceFacts {
				return []capabilities.SurfaceFacts{{Surface: capabilities.MCP, Name: "holotype", Version: "1.2.3", ProtocolVersions: []string{"2025-11-25"}, Served: []string{"tools/list"}, List: &capabilities.ListFacts{Tools: 40, Bytes: 32163, Tokens: 2479}}}
			},
			Servers: func() []system.Server { return b.servers },
		}),
	)
	if err != nil {
		return nil, err
	}
	b.registry, b.live = reg, capabilities.NewLive(reg)
	b.views = capabilities.NewViews(b.live, few{})
	ledger := capabilities.Interceptor{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}
	b.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: b.views, Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now, Interceptors: []capabilities.Interceptor{ledger},
	})
	return b, nil
})

// few is a gate that shows those capabilities of the native pack that commands ask, so that no golden
// changes when the pack gets another.
type few struct{ capabilities.Scopes }

func (f few) Decide(p *capabilities.Principal, c *capabilities.Capability) *capabilities.Rule {
	if c.Pack() == "system" && !slices.Contains([]string{"list_tools", "get_tool", "describe_projection", "list_mcp_servers"}, c.Name()) {
		return &capabilities.Rule{Reason: capabilities.ReasonScope, Message: "it stands in no golden"}
	}
	return f.Scopes.Decide(p, c)
}

// laterViewer answers the views of a base that is still being built.
type laterViewer struct{ b *base }

func (l laterViewer) View(p *capabilities.Principal) *capabilities.View { return l.b.views.View(p) }
func (l laterViewer) Subscribe(f func()) func()                         { return l.b.views.Subscribe(f) }

func (l laterViewer) Find(p *capabilities.Principal, name string) (*capabilities.Capability, *capabilities.Rule, bool) {
	return l.b.views.Find(p, name)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := b.live.Registry().Find("far__echo"); !ok {
		unknown, reads := capabilities.HintFacts{}, capabilities.HintFacts{ReadOnly: fact(capabilities.Yes)}
		b.live.Replace("", "far", []*capabilities.Capability{
			bridgedTool(t, "echo", reads, echoArguments), bridgedTool(t, "fail", reads, failing), bridgedTool(t, "mystery", unknown, echoArguments),
		})
	}
	return &world{
		t: t, door: b.door, views: b.views, codes: b.registry.Codes(),
		principal: &capabilities.Principal{ID: "me", Kind: capabilities.Owner, Scopes: []string{"*"}},
	}
}

// only replaces the tools of the bridged server, for this world alone. They can be
// found and asked about, not called.
func (w *world) only(tools ...*capabilities.Capability) {
	w.t.Helper()
	b, err := shared()
	if err != nil {
		w.t.Fatal(err)
	}
	live := capabilities.NewLive(b.registry)
	live.Replace("", "far", tools)
	w.views = capabilities.NewViews(live, capabilities.Scopes{})
}

// terminal is a stream that says whether it is one, and how wide.
type terminal struct {
	*bytes.Buffer
	is      bool
	columns int
}

func (s terminal) Columns() int { return cmp.Or(s.columns, 120) }

func (s terminal) IsTerminal() bool { return s.is }

type answer struct {
	exit     int
	out, err string
}

// run runs one command line.
func (w *world) run(args ...string) answer {
	w.t.Helper()
	return w.runIn(w.t.Context(), args...)
}

// runIn runs one command line in a context, which the command can interrupt.
func (w *world) runIn(ctx context.Context, args ...string) answer {
	w.t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := cli.New(cli.Options{
		Name: "holotype", Version: "1.2.3", Codes: w.codes, Commands: w.commands,
		HostEnv: func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HANDED=on"} },
		Open: func(_ context.Context, r cli.OpenRequest) (cli.Session, error) {
			if r.Err == nil {
				w.t.Errorf("%v: there is nowhere to say anything", args)
			}
			r.Err = nil
			w.requests = append(w.requests, r)
			if w.openErr != nil {
				return nil, w.openErr
			}
			return w, nil
		},
	})
	var out, errw bytes.Buffer
	var in io.Reader = terminal{bytes.NewBufferString(w.stdin), w.tty, 0}
	exit := c.Run(context.WithValue(ctx, stopKey{}, cancel), args, in, terminal{&out, w.tty || w.outTTY, w.columns}, terminal{&errw, w.tty, 0})
	if len(w.requests) != w.closed && w.openErr == nil {
		w.t.Errorf("%v: %d sessions opened, %d closed", args, len(w.requests), w.closed)
	}
	return answer{exit, out.String(), errw.String()}
}
