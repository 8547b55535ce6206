package holotype

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// importing is a server with this configuration, and TOKEN for a variable.
func importing(t *testing.T, file, token string) *Server {
	t.Helper()
	s := New(Options{
		Data: InMemory, Config: file, NativePacks: []string{"system"}, Log: slog.New(slog.DiscardHandler),
		Lookup: func(name string) (string, bool) { return token, name == "TOKEN" },
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// serving serves a server at an address of its own.
func serving(t *testing.T, s *Server) (url, token string) {
	t.Helper()
	h, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	if token, err = s.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	return web.URL, token
}

// Every capability of the tracker answers through a server that imported its OpenAPI document
// what it answers to a caller of its own: the same value, or the same refusal in its words.
func TestTheTrackerThroughItsOwnDocument(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	far := New(Options{Data: InMemory, Log: slog.New(slog.DiscardHandler), Lookup: func(string) (string, bool) { return "", false }, Now: func() time.Time { return now }})
	t.Cleanup(func() {
		if err := far.Close(); err != nil {
			t.Error(err)
		}
	})
	address, token := serving(t, far)
	owner := capabilities.OwnerPrincipal()
	if err := far.RunExamples(t.Context(), owner); err != nil { // fills the tracker
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "openapi_servers:\n- {name: far, document: " + address + "/openapi.json, auth: {type: bearer, value: \"${TOKEN}\"}, effects: {list_projects: read}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	near := importing(t, file, token)
	if _, err := near.started(); err != nil {
		t.Fatal(err)
	}
	if err := near.engine.bridge.WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := near.engine.bridge.Status()[0]; st.Reason != "" {
		t.Fatalf("it %s", st.Reason)
	}
	tried := 0
	for c := range far.engine.registry.All() {
		if c.Pack() != "tracker" || c.AliasOf() != "" {
			continue
		}
		name := "far__" + c.Name()
		tool, ok := near.engine.live.For(owner).Find(name)
		if !ok {
			t.Errorf("%s is not imported: %+v", c.Name(), near.engine.bridge.Status()[0].Skipped)
			continue
		}
		if c.Output() != nil && !c.HasBlocks() && tool.Output() == nil {
			t.Errorf("%s has no output schema", name)
		}
		for _, ex := range c.Examples() {
			tried++
			call := capabilities.Call{Name: c.Name(), Arguments: json.RawMessage(ex.In), Principal: owner, Surface: capabilities.HTTP}
			call.Operation.DryRun = c.Receipts()
			want := told(far.Invoke(t.Context(), call))
			got := told(near.Invoke(t.Context(), capabilities.Call{Name: name, Arguments: imported(t, tool, ex.In, c.Receipts()), Principal: owner, Surface: capabilities.HTTP}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-own +imported)\n%s", c.Name(), ex.Name, diff)
			}
		}
	}
	if tried < 30 {
		t.Errorf("%d examples were tried", tried)
	}
	hints := func(name string) capabilities.HintFacts {
		c, _ := near.engine.live.For(owner).Find(name)
		return c.HintFacts()
	}
	if said := hints("far__list_projects"); said.Hints() != capabilities.Read(capabilities.World).Hints() || said.ReadOnly.From != capabilities.FromOverride {
		t.Errorf("list_projects: %+v", said)
	}
	if said := hints("far__get_project").Hints(); said.Asserted() {
		t.Errorf("get_project asserts %+v, and nobody said so", said)
	}
}

// told is what a call came to, without what no two calls have alike.
func told(r *capabilities.Result, err error) string {
	if e, ok := capabilities.AsError(err); ok {
		said := e.Message
		if e.Upstream != nil { // "HTTP status 404 Not Found: words"
			_, said, _ = strings.Cut(said, "failed: HTTP status ")
			_, said, _ = strings.Cut(said, ": ")
		}
		return "refused: " + strings.TrimPrefix(said, "/body")
	}
	if err != nil {
		return err.Error()
	}
	if r.Structured == nil {
		return "no structured content"
	}
	var v map[string]any
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		return err.Error()
	}
	delete(v, "op_id")
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return newID.ReplaceAllString(string(out), "$1")
}

// newID is the id of something that is made: no two calls make the same.
var newID = regexp.MustCompile(`"([a-z]{2})_01[0-9a-z]{24}"`)

// imported are the arguments of an example as the imported tool takes them.
func imported(t *testing.T, tool *capabilities.Capability, in string, dry bool) json.RawMessage {
	t.Helper()
	known := maps.Collect(rawjson.Members(rawjson.Member(tool.Input().Raw(), "properties")))
	args, body := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for key, value := range rawjson.Members([]byte(in)) {
		if _, ok := known[key]; ok && key != "body" {
			args[key] = value
			continue
		}
		if _, ok := known["If-Match"]; ok && key == "if_match" { // it is a header over HTTP
			args["If-Match"] = rawjson.AppendQuoted(nil, `"`+string(value)+`"`)
			continue
		}
		body[key] = value
	}
	whole := func(m map[string]json.RawMessage) json.RawMessage {
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if _, ok := known["body"]; ok {
		args["body"] = whole(body)
	} else if len(body) > 0 {
		t.Fatalf("%s takes no %v", tool.Name(), slices.Sorted(maps.Keys(body)))
	}
	if dry {
		args["dry_run"] = json.RawMessage("true")
	}
	return whole(args)
}

// A server that imports its own document says so, and a call that leads to itself all the
// same is refused before it does anything.
func TestAServerDoesNotImportItself(t *testing.T) {
	var h http.Handler = http.NotFoundHandler()
	asked := make(chan string, 100)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	dir := t.TempDir()
	doc := filepath.Join(dir, "doc.json")
	if err := os.WriteFile(doc, []byte(`{"openapi":"3.1.0","info":{},"paths":{"/api/v1/servers/loop/tools/do":{"post":{"operationId":"do"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "c.yaml")
	text := "auth: none\nopenapi_servers:\n- {name: own, document: " + web.URL + "/openapi.json}\n- {name: loop, document: doc.json, base_url: " + web.URL + ", call_timeout_seconds: 20}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := importing(t, file, "")
	e, err := s.build(mustHold(t, s))
	if err != nil {
		t.Fatal(err)
	}
	h = e.handler()
	e.start(t.Context())
	t.Cleanup(func() { halt(t, e) })
	if err := e.bridge.WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := e.bridge.Status()[0]; !strings.Contains(st.Reason, "leads back to this very server") {
		t.Errorf("%s %s", st.State, st.Reason)
	}
	_, err = e.door.Invoke(t.Context(), capabilities.Call{Name: "loop__do", Arguments: json.RawMessage(`{}`), Principal: capabilities.OwnerPrincipal(), Surface: capabilities.HTTP})
	if refusal, ok := capabilities.AsError(err); !ok || refusal.Code != capabilities.UpstreamError || !strings.Contains(refusal.Message, "leads back to this very server") {
		t.Errorf("%v", err)
	}
	calls := 0
	for range len(asked) {
		if strings.HasPrefix(<-asked, "/api/") {
			calls++
		}
	}
	if calls != 1 {
		t.Errorf("the call went round %d times", calls)
	}
}

func halt(t *testing.T, e *engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
	defer cancel()
	if err := e.stop(ctx); err != nil {
		t.Error(err)
	}
}

func mustHold(t *testing.T, s *Server) *place {
	t.Helper()
	p, err := s.hold(files{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.release(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// A document that is a file is read again when it changes, and the commands show the server
// as any other.
func TestADocumentThatChanges(t *testing.T) {
	dir := t.TempDir()
	doc, file := filepath.Join(dir, "doc.yaml"), filepath.Join(dir, "c.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	operation := func(name string) string {
		return "openapi: 3.0.0\ninfo: {title: Pets, version: '2'}\npaths: {/x: {get: {operationId: " + name + "}}}\n"
	}
	write(doc, operation("one"))
	write(file, "openapi_servers:\n- {name: pets, document: doc.yaml, base_url: http://pets.example, headers: {X-Key: \"${TOKEN}\"}, allow: [one, two]}\n")
	s := importing(t, file, "s3cret-value")
	e, err := s.started()
	if err != nil {
		t.Fatal(err)
	}
	lists := func(name string) {
		t.Helper()
		changed := make(chan struct{}, 1)
		stop := e.live.Subscribe(func() {
			select {
			case changed <- struct{}{}:
			default: // it is told already
			}
		})
		defer stop()
		limit := time.After(time.Minute)
		for {
			if _, ok := e.live.For(capabilities.OwnerPrincipal()).Find(name); ok {
				return
			}
			select {
			case <-changed:
			case <-limit:
				t.Fatalf("%s is not listed: %+v", name, e.bridge.Status())
			}
		}
	}
	lists("pets__one")
	write(doc, operation("two"))
	lists("pets__two")
	for command, want := range map[string][]string{
		"servers":           {"pets", "running", "openapi"},
		"servers show pets": {"OpenAPI 3.0.0", "Pets 2", "doc.yaml", "X-Key", "patterns of no tool"},
		"tools":             {"pets__two"},
		"doctor":            {"ok    pets: runs: 1 tools, Pets 2, protocol OpenAPI 3.0.0"},
		"config show":       {"openapi_servers.pets.base_url", "openapi_servers.pets.headers.X-Key", "${TOKEN}"},
	} {
		var out, errw strings.Builder
		code := s.Command().Run(t.Context(), append(strings.Fields(command), "--config", file, "--data", t.TempDir()), strings.NewReader(""), &out, &errw)
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s exits %d without %q: %s%s", command, code, w, out.String(), errw.String())
			}
		}
		if strings.Contains(out.String()+errw.String(), "s3cret") {
			t.Errorf("%s tells the secret", command)
		}
	}
	session, err := s.openQuiet(t.Context(), cli.OpenRequest{Data: t.TempDir(), Config: file, Err: io.Discard, All: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	page, _, err := askOf(t.Context(), session, system.ListMCPServers, system.ListMCPServersInput{})
	if err != nil || len(page.Items) != 1 || page.Items[0].Transport != "openapi" {
		t.Errorf("%v, %+v", err, page.Items)
	}
	if c, ok := e.live.For(capabilities.OwnerPrincipal()).Find("pets__two"); !ok || c.Source() != "openapi:pets" {
		t.Error(fmt.Sprint(c, ok))
	}
}
