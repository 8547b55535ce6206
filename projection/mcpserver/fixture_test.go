package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

type deps struct {
	started chan string // receives the request id of a call that waits
	ended   chan error  // receives why it stopped
}

type EchoInput struct {
	Text  string `json:"text" jsonschema_description:"What to say."`
	Big   int64  `json:"big,omitempty" jsonschema_description:"A large number."`
	Fail  string `json:"fail,omitempty" jsonschema_description:"How to fail."`
	Steps int    `json:"steps,omitempty" jsonschema_description:"How much progress to report."`
}

type EchoOutput struct {
	Said string `json:"said" jsonschema_description:"What was said."`
	Big  int64  `json:"big" jsonschema_description:"A large number."`
}

type NoInput struct{}

func echo(ctx context.Context, d deps, in EchoInput) (EchoOutput, error) {
	run := capabilities.CallFrom(ctx)
	switch in.Fail {
	case "panic":
		panic("boom")
	case "plain":
		return EchoOutput{}, errors.New("a private cause")
	case "not_found":
		return EchoOutput{}, capabilities.Refuse(capabilities.NotFound, "no %s here", in.Text)
	case "wait":
		d.started <- run.RequestID
		<-ctx.Done()
		d.ended <- context.Cause(ctx)
		return EchoOutput{}, ctx.Err()
	}
	for i := range in.Steps {
		run.Report(capabilities.Progress{Value: float64(i + 1), Total: float64(in.Steps), Message: "step"})
		run.Report(capabilities.Progress{Value: float64(i + 1)}) // not larger: dropped
	}
	return EchoOutput{Said: in.Text, Big: in.Big}, nil
}

// newPack answers a pack with echo and one capability for every effect.
func newPack() *capabilities.Pack[deps] {
	pack := capabilities.NewPack[deps](capabilities.PackInfo{Name: "fix", Title: "Fixture", Summary: "A pack for tests."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "echo", Title: "Echo", Summary: "Say something back.", Effect: capabilities.Read(capabilities.Local),
		Route: "POST /echo", Refuses: capabilities.Codes{capabilities.NotFound},
	}, echo)
	for _, e := range capabilities.Effects() {
		name := e.Change().String() + "_" + e.Reach().String()
		capabilities.Declare(pack, capabilities.Spec{
			Name: name, Title: name, Summary: "Do " + name + ".", Effect: e, Route: "POST /" + strings.ReplaceAll(name, "_", "-"),
		}, func(context.Context, deps, NoInput) (EchoOutput, error) { return EchoOutput{Said: name}, nil })
	}
	capabilities.Comments(pack, map[string]string{
		"EchoInput": "What to say.", "EchoOutput": "What was said.", "NoInput": "Nothing.",
	})
	return pack
}

// fixture is a server with everything behind it.
type fixture struct {
	t       testing.TB
	server  *mcpserver.Server
	live    *capabilities.Live
	views   *capabilities.Views
	deps    deps
	people  map[string]*capabilities.Principal // by token
	clock   *clock
	log     *syncBuffer
	awaited func(*capabilities.Principal) (int, []string)
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func newFixture(t testing.TB, adjust ...func(*mcpserver.Options)) *fixture {
	t.Helper()
	f := &fixture{
		t: t, clock: &clock{now: time.Unix(1_800_000_000, 0)}, log: &syncBuffer{},
		deps: deps{started: make(chan string, 16), ended: make(chan error, 16)},
		people: map[string]*capabilities.Principal{
			"owner":  capabilities.OwnerPrincipal(),
			"guest":  {ID: "guest", Kind: capabilities.Person, Scopes: []string{"fix:read"}},
			"reader": {ID: "reader", Kind: capabilities.Person, Scopes: []string{"fix:read", "third:read"}},
		},
	}
	reg, err := capabilities.Assemble(newPack().Bind(f.deps))
	if err != nil {
		t.Fatal(err)
	}
	f.live = capabilities.NewLive(reg)
	f.views = capabilities.NewViews(f.live, capabilities.Scopes{})
	log := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o := mcpserver.Options{
		Door:   capabilities.NewDoor(capabilities.DoorOptions{Viewer: f.views, Codes: reg.Codes(), Log: log, Now: f.clock.Now}),
		Viewer: f.views, Log: log, Now: f.clock.Now, Name: "holotype", Version: "1.2.3",
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
			token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			return f.people[token], nil
		},
		Awaited: func(p *capabilities.Principal) (int, []string) {
			if f.awaited == nil {
				return 0, nil
			}
			return f.awaited(p)
		},
	}
	for _, a := range adjust {
		a(&o)
	}
	if f.server, err = mcpserver.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.server.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// library makes every message take the protocol library's lane.
func library(o *mcpserver.Options) { o.Hook.Slow = true }

// bridged presents tools of a server; hints may be nil for none.
func (f *fixture) bridge(server string, tools ...*capabilities.Capability) {
	f.live.Replace("", server, tools)
}

func bridged(t testing.TB, name string, adjust ...func(*capabilities.BridgedSpec)) *capabilities.Capability {
	t.Helper()
	server, tool, _ := strings.Cut(name, "__")
	spec := capabilities.BridgedSpec{
		Name: name, Server: server, Tool: tool, Summary: "A tool of somebody else.",
		Input: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}}}`),
		Handler: func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{
				Blocks:     []capabilities.Block{capabilities.TextBlock(string(inv.Arguments))},
				Structured: json.RawMessage("{\n \"n\": 9007199254740993}"),
				Meta:       json.RawMessage(`{"x":1,"io.modelcontextprotocol/serverInfo":{"name":"upstream"}}`),
			}, nil
		},
	}
	for _, a := range adjust {
		a(&spec)
	}
	c, err := capabilities.NewBridged(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// many answers n bridged tools of one server.
func many(t testing.TB, n int) []*capabilities.Capability {
	all := make([]*capabilities.Capability, n)
	for i := range all {
		all[i] = bridged(t, fmt.Sprintf("many__t%05d", i))
	}
	return all
}

func (f *fixture) http() *httptest.Server {
	s := httptest.NewServer(f.server.Handler())
	f.t.Cleanup(s.Close)
	// Streams hang until the sessions end, and s.Close waits for them.
	f.t.Cleanup(func() {
		if err := f.server.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return s
}

// bearer adds a credential to every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// connect answers the library's own client over HTTP in one era.
func (f *fixture) connect(url, token, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	f.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(context.WithoutCancel(f.t.Context()), &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token, http.DefaultTransport}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { session.Close() })
	return session
}

// connectStdio answers the library's own client over a pair of pipes.
func (f *fixture) connectStdio(p *capabilities.Principal, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	f.t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- f.server.ServeStdio(context.WithoutCancel(f.t.Context()), toServer, fromServer, p)
		fromServer.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(context.WithoutCancel(f.t.Context()), &mcp.IOTransport{Reader: toClient, Writer: fromClient},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		session.Close()
		if err := <-done; err != nil {
			f.t.Errorf("serving ended with %v", err)
		}
	})
	return session
}

// everywhere runs a test over both transports, both eras and both lanes.
func everywhere(t *testing.T, test func(t *testing.T, f *fixture, connect func(token string, o *mcp.ClientOptions) *mcp.ClientSession)) {
	for _, lane := range []string{"fast", "library"} {
		for _, version := range []string{legacyVersion, modernVersion} {
			for _, transport := range []string{"http", "stdio"} {
				t.Run(lane+"/"+version+"/"+transport, func(t *testing.T) {
					t.Parallel()
					var adjust []func(*mcpserver.Options)
					if lane == "library" {
						adjust = append(adjust, library)
					}
					f := newFixture(t, adjust...)
					if transport == "stdio" {
						test(t, f, func(token string, o *mcp.ClientOptions) *mcp.ClientSession {
							return f.connectStdio(f.people[token], version, o)
						})
						return
					}
					s := f.http()
					test(t, f, func(token string, o *mcp.ClientOptions) *mcp.ClientSession {
						return f.connect(s.URL, token, version, o)
					})
				})
			}
		}
	}
}

// receive answers what comes out of a channel, or fails.
func receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing came", what)
		panic("unreachable")
	}
}

// awaitWatchers waits until both sessions of a test are told of changes: a
// subscription of the sessionless era is acknowledged after the connection is up.
func awaitWatchers(t testing.TB, f *fixture) {
	t.Helper()
	for deadline := time.After(10 * time.Second); f.server.Watching() < 2; {
		select {
		case <-deadline:
			t.Fatal("the sessions were never watched")
		case <-time.After(time.Millisecond):
		}
	}
}
