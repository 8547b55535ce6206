package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

type deps struct{}

var pack = capabilities.NewPack[deps](capabilities.PackInfo{Name: "fix", Title: "Fixture", Summary: "A pack for tests."})

var frozen = pack.Code("frozen", capabilities.Conflict, "the project is frozen", "wait until it thaws")

// Item is what most capabilities of the fixture answer: their input, as it came.
type Item struct {
	Project  string   `json:"project,omitempty" jsonschema_description:"Which project."`
	ID       int64    `json:"id,omitempty" jsonschema_description:"Which item."`
	Title    string   `json:"title,omitempty" jsonschema_description:"What it is."`
	Labels   []string `json:"labels" jsonschema_description:"Words on it."`
	Ranks    []int    `json:"ranks" jsonschema_description:"Numbers on it."`
	Done     bool     `json:"done,omitempty" jsonschema_description:"Whether it is done."`
	Version  string   `json:"version,omitempty" jsonschema_description:"Which version was meant."`
	Fresh    bool     `json:"fresh,omitempty" jsonschema_description:"Whether it must be new."`
	OpID     string   `json:"op_id,omitempty" jsonschema_description:"The operation of the call."`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema_description:"Whether the call was a rehearsal."`
	Ratio    float64  `json:"ratio,omitempty" jsonschema_description:"A number."`
	Surface  string   `json:"surface,omitempty" jsonschema_description:"Unused."`
	Principe string   `json:"principal,omitempty" jsonschema_description:"Who called."`
}

// CreateItemInput is an item to file.
type CreateItemInput struct {
	Project string   `json:"project" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"Which project."`
	Title   string   `json:"title" jsonschema:"minLength=1" jsonschema_description:"What it is."`
	Labels  []string `json:"labels,omitempty" jsonschema_description:"Words on it."`
	ID      int64    `json:"id,omitempty" jsonschema_description:"A number for it."`
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "create_item", Title: "Create item", Summary: "File one item.", Effect: capabilities.Append(capabilities.Shared),
	Route: "POST /projects/{project}/items", Delivers: "fixture", Rehearses: true, Refuses: capabilities.Codes{frozen},
	Aliases: []capabilities.Alias{{Name: "file_item", Since: "0.1.0", Until: "0.3.0"}},
}, func(ctx context.Context, _ deps, in CreateItemInput) (Item, error) {
	op := capabilities.CallFrom(ctx).Operation
	if in.Title == "frozen" {
		return Item{}, &capabilities.Error{Code: frozen, Message: "the project is frozen", RetryAfter: 90*time.Second + time.Millisecond}
	}
	return Item{Project: in.Project, Title: in.Title, Labels: in.Labels, ID: in.ID, OpID: op.ID, DryRun: op.DryRun}, nil
})

// GetItemInput says which item.
type GetItemInput struct {
	ID     int64    `json:"id" jsonschema:"minimum=1" jsonschema_description:"Which item."`
	Labels []string `json:"labels,omitempty" jsonschema_description:"Words on it."`
	Ranks  []int    `json:"ranks,omitempty" jsonschema_description:"Numbers on it."`
	Title  string   `json:"title,omitempty" jsonschema_description:"What it is."`
	Done   bool     `json:"done,omitempty" jsonschema_description:"Whether it is done."`
	Ratio  float64  `json:"ratio,omitempty" jsonschema_description:"A number."`
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "get_item", Title: "Get item", Summary: "Read one item.", Effect: capabilities.Read(capabilities.Shared),
	Route: "GET /items/{id}", Refuses: capabilities.Codes{capabilities.NotFound},
}, func(ctx context.Context, _ deps, in GetItemInput) (Item, error) {
	if in.ID == 404 {
		return Item{}, capabilities.Refuse(capabilities.NotFound, "there is no item %d", in.ID)
	}
	return Item{
		ID: in.ID, Labels: in.Labels, Ranks: in.Ranks, Title: in.Title, Done: in.Done, Ratio: in.Ratio,
		Principe: capabilities.CallFrom(ctx).Principal.ID,
	}, nil
})

// NoInput is nothing.
type NoInput struct{}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "ping", Title: "Ping", Summary: "Answer.", Effect: capabilities.Read(capabilities.Local), Route: "GET /ping",
}, func(context.Context, deps, NoInput) (Item, error) { return Item{Title: "pong"}, nil })

// GetPageInput names a page by its title.
type GetPageInput struct {
	Title string `json:"title" jsonschema:"minLength=1" jsonschema_description:"Which page."`
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "get_page", Title: "Get page", Summary: "Read one page.", Effect: capabilities.Read(capabilities.Shared), Route: "GET /pages/{title}",
}, func(_ context.Context, _ deps, in GetPageInput) (Item, error) { return Item{Title: in.Title}, nil })

// SearchInput is what to look for.
type SearchInput struct {
	Title string `json:"title,omitempty" jsonschema_description:"What to look for."`
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "search_items", Title: "Search items", Summary: "Look for items.", Effect: capabilities.Read(capabilities.Shared), Route: "POST /search",
}, func(_ context.Context, _ deps, in SearchInput) (Item, error) { return Item{Title: in.Title}, nil })

// SetItemInput states an item.
type SetItemInput struct {
	ID      int64  `json:"id" jsonschema_description:"Which item."`
	Title   string `json:"title,omitempty" jsonschema_description:"What it is."`
	IfMatch string `json:"if_match,omitempty" jsonschema_description:"The version it must have."`
	IfNone  bool   `json:"if_none_match,omitempty" jsonschema_description:"Whether it must be new."`
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "set_item", Title: "Set item", Summary: "State one item.", Effect: capabilities.Set(capabilities.Shared), Route: "PUT /items/{id}",
}, func(_ context.Context, _ deps, in SetItemInput) (Item, error) {
	return Item{ID: in.ID, Title: in.Title, Version: in.IfMatch, Fresh: in.IfNone}, nil
})

// RefuseInput names a code.
type RefuseInput struct {
	Code string `json:"code" jsonschema_description:"How to fail."`
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "refuse", Title: "Refuse", Summary: "Fail as told.", Effect: capabilities.Append(capabilities.World), Route: "POST /refuse",
	Refuses: capabilities.Codes{capabilities.NotFound, capabilities.Exists, capabilities.Conflict, capabilities.StaleVersion},
}, func(_ context.Context, _ deps, in RefuseInput) (Item, error) {
	if in.Code == "panic" {
		panic("a secret of ours")
	}
	return Item{}, capabilities.Refuse(capabilities.Code(in.Code), "told so")
})

// Picture is an output with a block.
type Picture struct {
	Title string `json:"title" jsonschema_description:"What it shows."`
}

// Blocks answers the picture itself.
func (Picture) Blocks() []capabilities.Block {
	return []capabilities.Block{capabilities.ImageBlock("image/png", []byte("png"))}
}

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "draw", Title: "Draw", Summary: "Draw something.", Effect: capabilities.Read(capabilities.Local), Route: "POST /draw",
}, func(context.Context, deps, NoInput) (Picture, error) { return Picture{Title: "a dot"}, nil })

var _ = capabilities.Declare(pack, capabilities.Spec{
	Name: "manage", Title: "Manage", Summary: "Run the server.", Effect: capabilities.Set(capabilities.Local), Route: "PUT /manage", Scope: capabilities.ScopeAdmin,
}, func(context.Context, deps, NoInput) (Item, error) { return Item{}, nil })

// bridged answers a tool of a server that echoes its arguments.
func bridged(t testing.TB, server, tool string, adjust func(*capabilities.BridgedSpec)) *capabilities.Capability {
	t.Helper()
	spec := capabilities.BridgedSpec{
		Name: "x__" + tool, Tool: tool, Server: server, Summary: "A tool of another server.",
		Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Handler: func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{Structured: bytes.Clone(inv.Arguments), Blocks: []capabilities.Block{capabilities.TextBlock("ok")}}, nil
		},
	}
	if adjust != nil {
		adjust(&spec)
	}
	c, err := capabilities.NewBridged(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sessions is a Sessions whose one token is "once", whose one cookie is "good" and
// which fails to keep what it is told when broken.
type sessions struct {
	spent, ended, broken bool
	until                time.Time
}

func (s *sessions) Look(token string) (waits, used bool) {
	return token == "once" && !s.spent, token == "once" && s.spent
}

func (s *sessions) Redeem(token string) bool {
	ok := token == "once" && !s.spent
	s.spent = s.spent || ok
	return ok
}

func (s *sessions) Start(until time.Time) (string, error) {
	if s.broken {
		return "", errors.New("a secret of the disk")
	}
	s.ended, s.until = false, until
	return "good", nil
}

func (s *sessions) Verify(value string) bool { return value == "good" && !s.ended }

func (s *sessions) End(value string) error {
	s.ended = s.ended || value == "good"
	if s.broken {
		return errors.New("a secret of the disk")
	}
	return nil
}

var now = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

type fixture struct {
	http.Handler
	t      testing.TB
	server *httpapi.Server
	live   *capabilities.Live
	views  *capabilities.Views
	log    *bytes.Buffer

	digest string // of the view that the description is of
	last   description
}

// serve builds a surface over the fixture pack and two bridged servers. Its tokens
// are "owner" and "reader", which may only read.
func serve(t testing.TB, adjust func(*httpapi.Options)) *fixture {
	t.Helper()
	reg, err := capabilities.Assemble(pack.Bind(deps{}))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, live: capabilities.NewLive(reg), log: &bytes.Buffer{}}
	f.live.Replace("", "weather", []*capabilities.Capability{bridged(t, "weather", "forecast", nil)})
	f.live.Replace("", "My Server/7 & co", []*capabilities.Capability{bridged(t, "My Server/7 & co", "odd", nil)})
	f.views = capabilities.NewViews(f.live, capabilities.Scopes{})
	views := f.views
	log := slog.New(slog.NewTextHandler(f.log, nil))
	// A ledger that only lets through, so that operations reach the handlers.
	ledger := capabilities.Interceptor{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler { return next }}
	o := httpapi.Options{
		Door:   capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Codes: reg.Codes(), Log: log, Now: func() time.Time { return now }, Interceptors: []capabilities.Interceptor{ledger}}),
		Viewer: views, Builtins: reg, Log: log, Now: func() time.Time { return now }, Listen: "127.0.0.1:4280", Version: "9.9.9",
		Authenticate: authenticate, Sessions: &sessions{},
	}
	if adjust != nil {
		adjust(&o)
	}
	if f.server, err = httpapi.New(o); err != nil {
		t.Fatal(err)
	}
	f.Handler = f.server.Handler()
	return f
}

func authenticate(r *http.Request) (*capabilities.Principal, error) {
	switch h := r.Header.Get("Authorization"); h {
	case "":
		return nil, nil
	case "Bearer owner":
		return capabilities.OwnerPrincipal(), nil
	case "Bearer reader":
		return &capabilities.Principal{ID: "reader", Kind: capabilities.Operator, Scopes: []string{"*:read"}}, nil
	case "Bearer writer":
		return &capabilities.Principal{ID: "writer", Kind: capabilities.Operator, Scopes: []string{"*"}}, nil
	case "Bearer broken":
		return nil, io.ErrUnexpectedEOF
	default:
		return nil, capabilities.Refuse(capabilities.Unauthenticated, "this token is not known")
	}
}

// request builds a request of the owner to 127.0.0.1:4280. headers are
// "Name: value"; "-Name" removes one.
func request(method, url, body string, headers ...string) *http.Request {
	var rd io.Reader
	if body != "" {
		rd = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, "http://127.0.0.1:4280/", rd)
	at, err := neturl.Parse("http://127.0.0.1:4280" + url)
	if err != nil {
		panic(err) // a mistake in a test's table
	}
	r.URL = at
	r.Header.Set("Authorization", "Bearer owner")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		if name, ok := strings.CutPrefix(h, "-"); ok {
			r.Header.Del(name)
			continue
		}
		name, value, _ := strings.Cut(h, ": ")
		switch name {
		case "Host":
			r.Host = value
		case "Transfer-Encoding":
			r.ContentLength = -1
		default:
			r.Header.Set(name, value)
		}
	}
	return r
}

// do sends a request and holds the answer against the document of the same server:
// whatever an operation is asked, it answers what its description lists.
func (f *fixture) do(method, url, body string, headers ...string) *httptest.ResponseRecorder {
	f.t.Helper()
	w := httptest.NewRecorder()
	r := request(method, url, body, headers...)
	f.ServeHTTP(w, r)
	f.documented(r, w)
	return w
}

type problem struct {
	Type       string                   `json:"type"`
	Status     int                      `json:"status"`
	Detail     string                   `json:"detail"`
	Code       string                   `json:"code"`
	Base       string                   `json:"base"`
	RequestID  string                   `json:"request_id"`
	Violations []capabilities.Violation `json:"violations"`
	Upstream   json.RawMessage          `json:"upstream"`
}

// wantProblem checks that an answer is the refusal with the status and the code.
func wantProblem(t *testing.T, w *httptest.ResponseRecorder, status int, code string) problem {
	t.Helper()
	var p problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("status %d, not a problem: %v: %q", w.Code, err, w.Body)
	}
	if w.Code != status || p.Code != code || p.Status != status {
		t.Fatalf("got %d %q (status %d in the body): %s, want %d %q", w.Code, p.Code, p.Status, p.Detail, status, code)
	}
	if got := w.Header().Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type is %q", got)
	}
	if p.Type != "/docs/codes/"+code {
		t.Errorf("type is %q", p.Type)
	}
	if id := w.Header().Get("X-Request-Id"); id == "" || id != p.RequestID {
		t.Errorf("X-Request-Id is %q and request_id %q", id, p.RequestID)
	}
	return p
}

// wantJSON checks that an answer is 200 with the JSON value.
func wantJSON(t *testing.T, w *httptest.ResponseRecorder, want string) {
	t.Helper()
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q", got)
	}
	if diff := cmp.Diff(decode(t, want), decode(t, w.Body.String())); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return v
}
