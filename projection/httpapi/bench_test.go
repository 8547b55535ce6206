package httpapi_test

import (
	"bytes"
	"context"
	"crypto/subtle"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// The benchmarks compare a projected route, with everything that stands around it,
// with one written by hand on huma and chi behind the same bearer check. Run them
// with -count and compare medians, or read the ratio that
// BenchmarkRatio reports: it interleaves both in one process.

// Note is the trivial case: one field.
type Note struct {
	Text string `json:"text" minLength:"1" maxLength:"200" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"What it says." doc:"What it says."`
}

// Noted is its answer.
type Noted struct {
	ID   int64  `json:"id" jsonschema_description:"Its number." doc:"Its number."`
	Text string `json:"text" jsonschema_description:"What it says." doc:"What it says."`
}

// Step is one step of a ticket.
type Step struct {
	Text string `json:"text" minLength:"1" jsonschema:"minLength=1" jsonschema_description:"What to do." doc:"What to do."`
	Done bool   `json:"done" jsonschema_description:"Whether it is done." doc:"Whether it is done."`
}

// Ticket has 15 fields.
type Ticket struct {
	Project  string   `json:"project" minLength:"1" maxLength:"20" pattern:"^[A-Z]+$" jsonschema:"minLength=1,maxLength=20,pattern=^[A-Z]+$" jsonschema_description:"The project." doc:"The project."`
	Title    string   `json:"title" minLength:"1" maxLength:"200" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"The title." doc:"The title."`
	Body     string   `json:"body,omitempty" maxLength:"20000" jsonschema:"maxLength=20000" jsonschema_description:"The text." doc:"The text."`
	Kind     string   `json:"kind" enum:"bug,task,story" jsonschema:"enum=bug,enum=task,enum=story" jsonschema_description:"The kind." doc:"The kind."`
	Priority int      `json:"priority" minimum:"1" maximum:"5" jsonschema:"minimum=1,maximum=5" jsonschema_description:"The priority." doc:"The priority."`
	Estimate float64  `json:"estimate,omitempty" minimum:"0" maximum:"1000" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"Days of work." doc:"Days of work."`
	Labels   []string `json:"labels,omitempty" maxItems:"20" jsonschema:"maxItems=20" jsonschema_description:"The labels." doc:"The labels."`
	Assignee string   `json:"assignee,omitempty" maxLength:"64" jsonschema:"maxLength=64" jsonschema_description:"Who does it." doc:"Who does it."`
	Reporter string   `json:"reporter" minLength:"1" maxLength:"64" jsonschema:"minLength=1,maxLength=64" jsonschema_description:"Who wants it." doc:"Who wants it."`
	Due      string   `json:"due,omitempty" maxLength:"10" jsonschema:"maxLength=10" jsonschema_description:"The day it is due." doc:"The day it is due."`
	Parent   int64    `json:"parent,omitempty" minimum:"1" jsonschema:"minimum=1" jsonschema_description:"The parent." doc:"The parent."`
	Blocked  bool     `json:"blocked,omitempty" jsonschema_description:"Whether it waits." doc:"Whether it waits."`
	Private  bool     `json:"private,omitempty" jsonschema_description:"Whether it is hidden." doc:"Whether it is hidden."`
	Steps    []Step   `json:"steps,omitempty" maxItems:"50" jsonschema:"maxItems=50" jsonschema_description:"The steps." doc:"The steps."`
	Watchers []int64  `json:"watchers,omitempty" maxItems:"50" jsonschema:"maxItems=50" jsonschema_description:"Who is told." doc:"Who is told."`
}

// Filed is its answer.
type Filed struct {
	ID    int64  `json:"id" jsonschema_description:"Its number." doc:"Its number."`
	Title string `json:"title" jsonschema_description:"The title." doc:"The title."`
	Steps int    `json:"steps" jsonschema_description:"How many steps." doc:"How many steps."`
}

// Lookup is read from the path and the query.
type Lookup struct {
	Project string `json:"project" path:"project" minLength:"1" maxLength:"20" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"The project." doc:"The project."`
	State   string `json:"state,omitempty" query:"state" enum:"open,closed" jsonschema:"enum=open,enum=closed" jsonschema_description:"The state." doc:"The state."`
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"1" maximum:"1000" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"How many." doc:"How many."`
	Blocked bool   `json:"blocked,omitempty" query:"blocked" jsonschema_description:"Whether it waits." doc:"Whether it waits."`
}

// Who is read from the path alone.
type Who struct {
	Project string `json:"project" path:"project" minLength:"1" maxLength:"20" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"The project." doc:"The project."`
}

func note(in Note) Noted { return Noted{ID: 7, Text: in.Text} }
func file(in Ticket) Filed {
	return Filed{ID: 8, Title: in.Title, Steps: len(in.Steps)}
}
func look(in Lookup) Filed { return Filed{ID: int64(in.Limit), Title: in.Project + in.State} }
func whoIs(in Who) Noted   { return Noted{ID: 9, Text: in.Project} }

var benchPack = capabilities.NewPack[deps](capabilities.PackInfo{Name: "bench", Title: "Bench", Summary: "A pack for benchmarks."})

func declareBench[In, Out any](name string, effect capabilities.Effect, route string, f func(In) Out) bool {
	capabilities.Declare(benchPack, capabilities.Spec{Name: name, Title: name, Summary: "A benchmark.", Effect: effect, Route: route},
		func(_ context.Context, _ deps, in In) (Out, error) { return f(in), nil })
	return true
}

var _ = declareBench("note", capabilities.Append(capabilities.Shared), "POST /notes", note) &&
	declareBench("file", capabilities.Append(capabilities.Shared), "POST /tickets", file) &&
	declareBench("look", capabilities.Read(capabilities.Shared), "GET /projects/{project}/tickets", look) &&
	declareBench("who_is", capabilities.Read(capabilities.Shared), "GET /who/{project}", whoIs)

const benchToken = "0123456789abcdef0123456789abcdef"

func bearer(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(token), []byte(benchToken)) == 1
}

// projectedRoutes is the whole chain: admission, credential, router, decoding,
// door with an audit seam and a gate, validation, handler, encoding.
func projectedRoutes(b testing.TB) http.Handler {
	reg, err := capabilities.Assemble(benchPack.Bind(deps{}))
	if err != nil {
		b.Fatal(err)
	}
	views := capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{})
	seam := func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			return next(ctx, inv)
		}
	}
	log, owner := slog.New(slog.DiscardHandler), capabilities.OwnerPrincipal()
	s, err := httpapi.New(httpapi.Options{
		Door: capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Codes: reg.Codes(), Log: log, Now: time.Now, Interceptors: []capabilities.Interceptor{
			{Name: "audit", Stage: capabilities.StageAudit, Wrap: seam}, {Name: "gate", Stage: capabilities.StageGate, Wrap: seam},
		}}),
		Viewer: views, Builtins: reg, Log: log, Now: time.Now,
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
			if !bearer(r) {
				return nil, capabilities.Refuse(capabilities.Unauthenticated, "no")
			}
			return owner, nil
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	return s.Handler()
}

// handRoutes are the same four routes as huma's documentation writes them.
func handRoutes(testing.TB) http.Handler {
	mux := chi.NewMux()
	mux.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !bearer(r) {
				http.Error(w, "no", http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	cfg := huma.DefaultConfig("bench", "1")
	cfg.CreateHooks, cfg.DocsPath, cfg.OpenAPIPath, cfg.SchemasPath = nil, "", "", ""
	api := humachi.New(mux, cfg)
	type body[T any] struct{ Body T }
	huma.Post(api, "/api/v1/notes", func(_ context.Context, in *body[Note]) (*body[Noted], error) { return &body[Noted]{note(in.Body)}, nil })
	huma.Post(api, "/api/v1/tickets", func(_ context.Context, in *body[Ticket]) (*body[Filed], error) {
		return &body[Filed]{file(in.Body)}, nil
	})
	huma.Get(api, "/api/v1/projects/{project}/tickets", func(_ context.Context, in *Lookup) (*body[Filed], error) { return &body[Filed]{look(*in)}, nil })
	huma.Get(api, "/api/v1/who/{project}", func(_ context.Context, in *Who) (*body[Noted], error) { return &body[Noted]{whoIs(*in)}, nil })
	return mux
}

var benchCases = []struct{ name, method, url, body string }{
	{"post_trivial", "POST", "/api/v1/notes", `{"text":"call the vet"}`},
	{"post_15_fields", "POST", "/api/v1/tickets", `{"project":"WEB","title":"the login page loops","body":"Sign in, sign out, sign in again. It never ends.","kind":"bug","priority":2,` +
		`"estimate":1.5,"labels":["login","auth","p2"],"assignee":"ada","reporter":"grace","due":"2026-05-01","parent":4711,"blocked":false,"private":true,` +
		`"steps":[{"text":"reproduce it","done":true},{"text":"fix it","done":false}],"watchers":[1,2,3]}`},
	{"get_path", "GET", "/api/v1/who/WEB", ""},
	{"get_path_3_query", "GET", "/api/v1/projects/WEB/tickets?state=open&limit=50&blocked=true", ""},
}

// sink is a ResponseWriter that keeps nothing but the status.
type sink struct {
	h      http.Header
	status int
	n      int
}

func (s *sink) Header() http.Header         { return s.h }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(b []byte) (int, error) { s.n += len(b); return len(b), nil }

// drive sends one request n times.
func drive(b testing.TB, h http.Handler, method, url, body string, n int) {
	base := httptest.NewRequest(method, "http://127.0.0.1:4280"+url, nil)
	base.Header.Set("Authorization", "Bearer "+benchToken)
	base.Header.Set("Accept", "*/*")
	base.Header.Set("User-Agent", "bench")
	if body != "" {
		base.Header.Set("Content-Type", "application/json")
	}
	rd := bytes.NewReader(nil)
	w := &sink{h: http.Header{}}
	for range n {
		r := *base
		if body != "" {
			rd.Reset([]byte(body))
			r.Body, r.ContentLength = io.NopCloser(rd), int64(len(body))
		}
		clear(w.h)
		w.status = 0
		h.ServeHTTP(w, &r)
		if w.status != http.StatusOK {
			b.Fatalf("%s %s answered %d", method, url, w.status)
		}
	}
}

func BenchmarkRouteProjected(b *testing.B) { benchRoutes(b, projectedRoutes(b)) }
func BenchmarkRouteByHand(b *testing.B)    { benchRoutes(b, handRoutes(b)) }

func benchRoutes(b *testing.B, h http.Handler) {
	for _, c := range benchCases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			drive(b, h, c.method, c.url, c.body, b.N)
		})
	}
}

// BenchmarkRatio drives both sides in turns and reports the median of their ratios
// as "projected/hand"; 1 is as fast as by hand.
func BenchmarkRatio(b *testing.B) {
	projected, hand := projectedRoutes(b), handRoutes(b)
	for _, c := range benchCases {
		b.Run(c.name, func(b *testing.B) {
			const round = 500
			var ratios []float64
			drive(b, projected, c.method, c.url, c.body, round)
			drive(b, hand, c.method, c.url, c.body, round)
			for range max(b.N/(2*round), 15) {
				start := time.Now()
				drive(b, projected, c.method, c.url, c.body, round)
				between := time.Now()
				drive(b, hand, c.method, c.url, c.body, round)
				ratios = append(ratios, float64(between.Sub(start))/float64(time.Since(between)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "projected/hand")
			b.ReportMetric(0, "ns/op")
		})
	}
}
