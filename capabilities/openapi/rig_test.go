package openapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

// A rig is a bridge with one API, called through the door.
type rig struct {
	*bridge.Bridge
	t      *testing.T
	live   *capabilities.Live
	door   *capabilities.Door
	server bridge.Server
}

// run presents the API that o describes.
func run(t *testing.T, o openapi.Options, edit ...func(*bridge.Server)) *rig {
	t.Helper()
	r := &rig{t: t}
	empty, err := capabilities.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	r.live = capabilities.NewLive(empty)
	log := slog.New(slog.DiscardHandler)
	r.door = capabilities.NewDoor(capabilities.DoorOptions{Viewer: capabilities.NewViews(r.live, capabilities.Scopes{}), Log: log, Now: time.Now})
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	r.server = bridge.Server{
		Name: "api", ToolPrefix: "api__", StartupTimeout: time.Minute, CallTimeout: time.Minute, Headers: o.Headers, Peer: openapi.New(o),
		Secrets: map[string]string{"auth": o.Auth.Value},
	}
	for _, f := range edit {
		f(&r.server)
	}
	r.Bridge, err = bridge.New(bridge.Options{
		Servers: []bridge.Server{r.server}, Log: log, Now: time.Now, Version: "1.0.0", Mark: o.Mark,
		Publish: func(seat, server string, tools []*capabilities.Capability) {
			r.live.Replace(seat, server, tools)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Start(t.Context())
	t.Cleanup(r.stop)
	if err := r.WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		r.t.Error(err)
	}
}

// status is that of the API.
func (r *rig) status() bridge.Status { return r.Status()[0] }

// ready fails the test unless the API is.
func (r *rig) ready() *rig {
	r.t.Helper()
	if st := r.status(); st.State != bridge.StateReady {
		r.t.Fatalf("the server %s", st.Reason)
	}
	return r
}

func (r *rig) call(name, arguments string) (*capabilities.Result, *capabilities.Error) {
	r.t.Helper()
	res, err := r.door.Invoke(r.t.Context(), capabilities.Call{
		Name: "api__" + name, Arguments: json.RawMessage(arguments), Principal: capabilities.OwnerPrincipal(), Surface: capabilities.HTTP,
	})
	if err == nil {
		return res, nil
	}
	e, ok := capabilities.AsError(err)
	if !ok {
		r.t.Fatal(err)
	}
	return nil, e
}

// tool answers one capability.
func (r *rig) tool(name string) *capabilities.Capability {
	r.t.Helper()
	c, ok := r.live.For(capabilities.OwnerPrincipal()).Find("api__" + name)
	if !ok {
		r.t.Fatalf("%s is not listed: %+v", name, r.status().Skipped)
	}
	return c
}

// file writes a document.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// documentOf is a document of version 3.1 with one operation: GET path, named "do", with what
// more says of it.
func documentOf(path, more string) string {
	return `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"` + path + `":{"get":{"operationId":"do",` + more + `"responses":{"200":{"description":"ok"}}}}}}`
}

// An api is a server that keeps what it was sent.
type api struct {
	*httptest.Server
	mu   sync.Mutex
	seen []sent
}

type sent struct {
	Method, URI, Body string
	Header            http.Header
}

// listen answers requests with h, and with {} where it is nil.
func listen(t *testing.T, h http.HandlerFunc) *api {
	t.Helper()
	a := &api{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.seen = append(a.seen, sent{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		a.mu.Unlock()
		if h != nil {
			h(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *api) requests() []sent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]sent(nil), a.seen...)
}

// last is the last request.
func (a *api) last(t *testing.T) sent {
	t.Helper()
	all := a.requests()
	if len(all) == 0 {
		t.Fatal("nothing was sent")
	}
	return all[len(all)-1]
}

func text(t *testing.T, r *capabilities.Result) string {
	t.Helper()
	var all []string
	for _, b := range r.Blocks {
		all = append(all, string(b))
	}
	return strings.Join(all, "\n")
}
