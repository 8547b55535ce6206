package remote_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

type deps struct {
	started chan struct{}
	stopped chan error
}

type runInput struct {
	How string `json:"how,omitempty" jsonschema_description:"How to run."`
	Big int64  `json:"big,omitempty" jsonschema_description:"A large number."`
}

type runOutput struct {
	Big  int64  `json:"big" jsonschema_description:"The number."`
	Who  string `json:"who" jsonschema_description:"Who called."`
	Op   string `json:"op" jsonschema_description:"The operation."`
	Dry  bool   `json:"dry" jsonschema_description:"Whether it was a dry run."`
	Rows []int  `json:"rows" jsonschema_description:"Nothing."`
}

func (runOutput) Blocks() []capabilities.Block {
	return []capabilities.Block{capabilities.ImageBlock("image/png", []byte{1, 2, 3})}
}

const bridgedArguments = "{ \"n\": 9007199254740993 }"

// bridgedResult has white space that an encoder would drop.
func bridgedResult() *capabilities.Result {
	return &capabilities.Result{
		Structured: json.RawMessage("{ \"n\" : 9007199254740993 }"),
		Blocks:     []capabilities.Block{capabilities.Block(`{"type": "text", "text": "<a>\u0007"}`)},
		Meta:       json.RawMessage(`{ "m": [1, 2] }`),
		Extra:      json.RawMessage(`{"later":[1]}`),
	}
}

func bridged(t *testing.T) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__get", Tool: "get", Server: "far", Summary: "Get.",
		Input: json.RawMessage("{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}}"),
		Handler: func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			if string(inv.Arguments) != bridgedArguments {
				return nil, &capabilities.Error{
					Code: capabilities.UpstreamError, Message: "it said no", MaybeApplied: true,
					RetryAfter: 1500 * time.Millisecond, Upstream: bridgedResult(),
				}
			}
			return bridgedResult(), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fixture is a holder without its socket.
type fixture struct {
	live  *capabilities.Live
	views *capabilities.Views
	door  *capabilities.Door
	deps  deps
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{deps: deps{started: make(chan struct{}, 1), stopped: make(chan error, 1)}}
	pack := capabilities.NewPack[deps](capabilities.PackInfo{Name: "fix", Title: "Fixture", Summary: "A pack for tests."})
	jammed := pack.Code("jammed", capabilities.Conflict, "it is jammed", "wait")
	run := func(ctx context.Context, d deps, in runInput) (runOutput, error) {
		r := capabilities.CallFrom(ctx)
		switch in.How {
		case "jammed":
			return runOutput{}, &capabilities.Error{Code: jammed, Message: "jammed here", RetryAfter: time.Second}
		case "wait":
			d.started <- struct{}{}
			<-ctx.Done()
			d.stopped <- ctx.Err()
			return runOutput{}, ctx.Err()
		case "report":
			var zero float64
			r.Report(capabilities.Progress{Value: 1 / zero})
			r.Report(capabilities.Progress{Value: 1, Total: 2, Message: "half"})
		}
		return runOutput{Big: in.Big, Who: r.Principal.ID, Op: r.Operation.ID, Dry: r.Operation.DryRun}, nil
	}
	spec := capabilities.Spec{
		Name: "write", Title: "Write", Summary: "Write it.", Effect: capabilities.Set(capabilities.Local), Route: "POST /write", Rehearses: true,
		Refuses: capabilities.Codes{jammed}, Aliases: []capabilities.Alias{{Name: "wr", Since: "1", Until: "2"}},
	}
	capabilities.Declare(pack, spec, run)
	spec.Name, spec.Route, spec.Effect, spec.Aliases, spec.Rehearses = "read", "POST /read", capabilities.Read(capabilities.Local), nil, false
	capabilities.Declare(pack, spec, run)
	spec.Name, spec.Route, spec.Scope = "secret", "POST /secret", capabilities.ScopeAdmin
	capabilities.Declare(pack, spec, run)
	reg, err := capabilities.Assemble(pack.Bind(f.deps))
	if err != nil {
		t.Fatal(err)
	}
	f.live = capabilities.NewLive(reg)
	f.live.Replace("", "far", []*capabilities.Capability{bridged(t)})
	f.views = capabilities.NewViews(f.live, capabilities.Scopes{})
	ledger := capabilities.Interceptor{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}
	f.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: f.views, Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Interceptors: []capabilities.Interceptor{ledger},
	})
	return f
}

func holder() *capabilities.Principal {
	return &capabilities.Principal{ID: "holder", Kind: capabilities.Owner, Scopes: []string{"*"}}
}

func (f *fixture) options() remote.Options {
	return remote.Options{Door: f.door, Viewer: f.views, Principal: holder(), Version: "1.2.3"}
}

// serve answers a way to connect to h over a Unix socket.
func serve(t *testing.T, h http.Handler) func(context.Context) (net.Conn, error) {
	t.Helper()
	dir, err := os.MkdirTemp("", "h") //nolint:usetesting // t.TempDir may be longer than the address of a socket
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	srv := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	done := make(chan struct{})
	go func() { _ = srv.Serve(l); close(done) }()
	t.Cleanup(func() {
		cancel()
		_ = srv.Close()
		<-done
		_ = os.RemoveAll(dir)
	})
	return func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "unix", path) }
}

// attach answers a refreshed client of h.
func attach(t *testing.T, h http.Handler) *remote.Client {
	t.Helper()
	c := remote.Dial(serve(t, h), "1.2.3")
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// echoMCP answers every line as it came.
func echoMCP(_ context.Context, in io.Reader, out io.Writer) error {
	_, err := io.Copy(out, in)
	return err
}
