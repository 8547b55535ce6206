package sweep_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/sweep"
)

type (
	shelf   struct{}
	nothing struct{}
)

type thing struct {
	ID    string `json:"id" jsonschema_description:"The id." jsonschema:"minLength=1"`
	Title string `json:"title,omitempty" jsonschema_description:"The title."`
}

type things struct {
	Items []thing `json:"items" jsonschema_description:"All things."`
}

// things on a shelf: one list, one read by id, and one write.
func shelfPack() capabilities.Bound {
	pack := capabilities.NewPack[shelf](capabilities.PackInfo{Name: "shelf", Title: "Shelf", Summary: "Keeps things."})
	all := []thing{{ID: "th_one", Title: "One"}, {ID: "th_two", Title: "Two"}}
	capabilities.Declare(pack, capabilities.Spec{Name: "list_things", Title: "List things", Summary: "List the things.", Effect: capabilities.Read(capabilities.Local), Route: "GET /things"},
		func(context.Context, shelf, nothing) (things, error) { return things{all}, nil })
	capabilities.Declare(pack, capabilities.Spec{
		Name: "get_thing", Title: "Get thing", Summary: "Get a thing.", Effect: capabilities.Read(capabilities.Local), Route: "GET /things/{id}",
		Refuses: capabilities.Codes{capabilities.NotFound}, Examples: []capabilities.Example{{Name: "the first", In: `{"id":"th_one"}`}},
	}, func(_ context.Context, _ shelf, in thing) (thing, error) {
		if i := slices.IndexFunc(all, func(t thing) bool { return t.ID == in.ID }); i >= 0 {
			return all[i], nil
		}
		return thing{}, capabilities.Refuse(capabilities.NotFound, "there is no such thing")
	})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "name_thing", Title: "Name thing", Summary: "Name a thing.", Effect: capabilities.Amend(capabilities.Local), Route: "PATCH /things/{id}",
		Examples: []capabilities.Example{{Name: "the first", In: `{"id":"th_one","title":"Uno"}`}},
	}, func(_ context.Context, _ shelf, in thing) (thing, error) { return in, nil })
	return pack.Bind(shelf{})
}

// exchange is what a leak is decided by.
type exchange struct {
	*http.Request
	sent   string
	status int
	who    string
}

func (x exchange) mcp(method string) bool {
	return strings.Contains(x.URL.Path, "/mcp") && strings.Contains(x.sent, `"method":"`+method+`"`)
}

func (x exchange) era(version string) bool { return x.Header.Get("Mcp-Protocol-Version") == version }

// twin is a server that lets one canary out, at one place and in one way.
type twin struct {
	at      func(x exchange) bool
	write   func(secret string) string // nil is as it is
	header  bool                       // it stands in a header, else in the body
	surface string
}

func plain(s string) string { return s }

// twins are one of each kind of leak that is looked for.
func twins() map[string]twin {
	is := func(path string) func(exchange) bool { return func(x exchange) bool { return x.URL.Path == path } }
	act := func(name, holds string) func(exchange) bool {
		return func(x exchange) bool { return x.URL.Path == "/operator/act/"+name && strings.Contains(x.sent, holds) }
	}
	encoded := func(lead string) func(string) string {
		return func(s string) string { return base64.StdEncoding.EncodeToString([]byte(lead + s + "tail")) }
	}
	escaped := func(s string) string {
		out := ""
		for _, r := range s {
			out += fmt.Sprintf(`\u%04x`, r)
		}
		return out
	}
	percent := func(s string) string {
		out := ""
		for _, r := range s {
			out += fmt.Sprintf("%%%02X", r)
		}
		return out
	}
	return map[string]twin{
		"a header of a document":       {is("/openapi.json"), nil, true, sweep.HTTP},
		"the status page":              {is("/readyz"), nil, false, sweep.HTTP},
		"the other form of a document": {is("/openapi.yaml"), nil, false, sweep.HTTP},
		"a file that a page links to":  {is("/assets/style.css"), nil, false, sweep.HTTP},
		"a page, escaped as pages are": {is("/"), func(s string) string { return html.EscapeString("<" + s + ">") }, false, sweep.HTTP},
		"well-known metadata":          {is("/.well-known/oauth-protected-resource"), nil, false, sweep.HTTP},
		"the challenge of a refusal": {func(x exchange) bool {
			return x.status == http.StatusUnauthorized && x.Method == http.MethodGet && x.Header.Get("Authorization") == ""
		}, nil, true, sweep.HTTP},
		"a refused bad credential":             {func(x exchange) bool { return strings.HasPrefix(x.Header.Get("Authorization"), "Basic ") }, nil, false, sweep.HTTP},
		"a credential in an address":           {func(x exchange) bool { return x.URL.Query().Has("access_token") }, percent, false, sweep.HTTP},
		"a good read, in a header, percent":    {is("/api/v1/things"), percent, true, sweep.HTTP},
		"a read of what a list named":          {is("/api/v1/things/th_two"), nil, false, sweep.HTTP},
		"a dry run":                            {func(x exchange) bool { return x.URL.Query().Has("dry_run") }, encoded(""), false, sweep.HTTP},
		"arguments of a wrong kind":            {act("get_thing", "[[0]]"), encoded("u"), false, sweep.HTTP},
		"arguments of a wrong name":            {act("name_thing", `"~":`), encoded("us"), false, sweep.HTTP},
		"arguments that are no object":         {act("list_things", `["`), func(s string) string { return hex.EncodeToString([]byte(s)) }, false, sweep.HTTP},
		"a body that is cut":                   {act("get_thing", `{"a":`), escaped, false, sweep.HTTP},
		"a body that is nested":                {act("get_thing", strings.Repeat(`{"a":`, 100)), func(s string) string { return strings.ReplaceAll(escaped(s), `\`, `\\`) }, false, sweep.HTTP},
		"a body that is too large":             {func(x exchange) bool { return len(x.sent) > 4<<20 }, func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }, false, sweep.HTTP},
		"a tool that there is not":             {func(x exchange) bool { return strings.HasPrefix(x.URL.Path, "/operator/act/probe") }, nil, false, sweep.HTTP},
		"a page that there is not":             {func(x exchange) bool { return strings.HasPrefix(x.URL.Path, "/docs/probe") }, nil, false, sweep.HTTP},
		"a method that there is not":           {func(x exchange) bool { return x.Method == "BREW" }, nil, true, sweep.HTTP},
		"a list of the newer era":              {func(x exchange) bool { return x.mcp("tools/list") && x.era("2026-07-28") }, nil, false, sweep.MCP},
		"a list of the older era":              {func(x exchange) bool { return x.mcp("tools/list") && x.era("2025-11-25") }, nil, false, sweep.MCP},
		"the handshake":                        {func(x exchange) bool { return x.mcp("initialize") }, nil, false, sweep.MCP},
		"the handshake, in a header":           {func(x exchange) bool { return x.mcp("initialize") }, encoded("x"), true, sweep.MCP},
		"a call":                               {func(x exchange) bool { return x.mcp("tools/call") && strings.Contains(x.sent, "th_one") }, func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("?>" + s + "?>")) }, false, sweep.MCP},
		"a dry run as a tool":                  {func(x exchange) bool { return strings.Contains(x.sent, "holotype/dry_run") }, nil, false, sweep.MCP},
		"a prompt":                             {func(x exchange) bool { return x.mcp("prompts/get") }, nil, false, sweep.MCP},
		"a resource":                           {func(x exchange) bool { return x.mcp("resources/read") }, nil, false, sweep.MCP},
		"discovery":                            {func(x exchange) bool { return x.mcp("server/discover") }, nil, false, sweep.MCP},
		"an event":                             {func(x exchange) bool { return x.Method == http.MethodGet && x.URL.Path == "/operator/mcp" }, nil, false, sweep.MCP},
		"an address that serves a part":        {is("/operator/mcp/readonly"), nil, false, sweep.MCP},
		"an address of a seat":                 {is("/seats/desk/mcp"), nil, false, sweep.MCP},
		"a list for one principal, none other": {func(x exchange) bool { return x.who == "reader" && x.URL.Path == "/api/v1/things" }, nil, false, sweep.HTTP},
	}
}

// faulty puts a canary into the answers of a server, where a twin has it.
type faulty struct {
	http.Handler
	secrets map[string]string
	who     func(*http.Request) string
}

func (f faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	x := exchange{Request: r, sent: string(body), who: f.who(r)}
	rec := httptest.NewRecorder()
	if r.Method != http.MethodGet || r.URL.Path != "/operator/mcp" { // a stream would not end
		f.Handler.ServeHTTP(rec, r)
	}
	x.status = rec.Code
	var more strings.Builder
	for name, t := range twins() {
		if !t.at(x) {
			continue
		}
		write := t.write
		if write == nil {
			write = plain
		}
		if t.header {
			rec.Header().Add("X-More", write(f.secrets[name]))
			continue
		}
		more.WriteString("\n" + write(f.secrets[name]))
	}
	maps.Copy(w.Header(), rec.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
	_, _ = io.WriteString(w, more.String())
}

// callers are who asks in these tests, by their tokens.
func callers() map[string]*capabilities.Principal {
	return map[string]*capabilities.Principal{
		"all":    {ID: "all", Kind: capabilities.Person, Scopes: []string{"*", capabilities.ScopeAdmin}},
		"reader": {ID: "reader", Kind: capabilities.Person, Scopes: []string{"shelf:read"}},
	}
}

const tokenOf = "token-that-stands-for-"

// open answers a server with a shelf.
func open(t *testing.T) (*holotype.Server, http.Handler) {
	t.Helper()
	server := holotype.New(holotype.Options{
		Data: holotype.InMemory, NativePacks: []string{}, Packs: []capabilities.Bound{shelfPack()}, Log: slog.New(slog.DiscardHandler), NoStore: true,
		Lookup: func(string) (string, bool) { return "", false },
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
			name, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+tokenOf)
			return callers()[name], nil
		},
	})
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server, handler
}

// Each kind of leak is found, at its place and by whom it came out to; and where nothing
// leaks nothing is found.
func TestEachKindOfLeakIsFound(t *testing.T) {
	server, inner := open(t)
	f := faulty{Handler: inner, secrets: map[string]string{}, who: func(r *http.Request) string {
		name, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+tokenOf)
		return name
	}}
	canaries := []sweep.Canary{{Name: "nowhere", Value: "nobody-lets-this-one-out"}}
	plant := func(name string, readers ...string) string {
		f.secrets[name] = fmt.Sprintf("can<ry-%02d-is-planted-here>", len(canaries))
		canaries = append(canaries, sweep.Canary{Name: name, Value: f.secrets[name], Readers: readers})
		return f.secrets[name]
	}
	want := map[string]string{}
	for name, tw := range twins() {
		plant(name)
		want[name] = tw.surface
	}
	out, errs, said, logged := plant("standard output"), plant("standard error"), plant("standard streams"), plant("the log")
	want["standard output"], want["standard error"], want["standard streams"], want["the log"] = sweep.Command, sweep.Command, sweep.MCP, sweep.Written
	// What one may see is no leak to it, and is one to others and in a text.
	shared := plant("shared", "all")
	delete(want, "shared")

	target := sweep.Target{
		Handler: f,
		Principals: []sweep.Principal{
			{
				Name: "all", Token: tokenOf + "all", Addresses: []string{"/seats/desk/mcp"}, Commands: [][]string{{"version"}},
				Run: func(_ context.Context, words []string, _ io.Reader, o, e io.Writer) int {
					switch {
					case words[0] == "version":
						fmt.Fprintln(o, out, shared)
					case slices.Contains(words, "get_thing"):
						fmt.Fprintln(e, url.QueryEscape(errs))
					}
					return 0
				},
				Stdio: func(ctx context.Context, in io.Reader, o io.Writer) error {
					return server.ServeStdio(ctx, in, leaking{o, said})
				},
			},
			{Name: "reader", Token: tokenOf + "reader"},
			{Name: "nobody"},
		},
		Texts: func() []sweep.Text {
			quoted, err := json.Marshal(logged)
			if err != nil {
				t.Error(err)
			}
			return []sweep.Text{{Name: "the log", Data: []byte("level=DEBUG msg=x value=" + string(quoted))}}
		},
	}
	report, err := sweep.Run(t.Context(), target, canaries)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range report.Leaks {
		if strings.HasPrefix(l.Canary, "what ") || strings.HasPrefix(l.Canary, "the token") || l.Canary == "a credential that is none" {
			t.Errorf("the server itself leaks: %s", l)
			continue
		}
		if want[l.Canary] != l.Surface {
			t.Errorf("it was planted for %q: %s", want[l.Canary], l)
		}
		got[l.Canary] = l.Surface
		for _, c := range canaries {
			if strings.Contains(l.String(), c.Value) {
				t.Errorf("the report lets %s out: %s", c.Name, l)
			}
		}
		if l.Canary == "a list for one principal, none other" && l.Who != "reader" {
			t.Errorf("it came out to reader alone, and is reported for %q", l.Who)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what came out (-planted +found)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"get_thing", "list_things", "name_thing"}, report.Called); diff != "" {
		t.Errorf("called (-want +got)\n%s", diff)
	}
	t.Logf("%d requests, %d bytes", report.Asked, report.Read)

	target.Handler, target.Texts, target.Principals[0].Run, target.Principals[0].Stdio = inner, nil, nil, server.ServeStdio
	report, err = sweep.Run(t.Context(), target, canaries)
	if err != nil || len(report.Leaks) > 0 {
		t.Errorf("without a leak: %v, %v", report, err)
	}
}

// leaking puts a secret into the refusals of a session.
type leaking struct {
	io.Writer
	secret string
}

func (l leaking) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"isError":true`)) {
		_, err := l.Writer.Write([]byte(strings.Replace(string(line), `"isError":true`, `"isError":true,"x":"`+l.secret+`"`, 1)))
		return len(line), err
	}
	return l.Writer.Write(line)
}

// A sweep that could find nothing is refused.
func TestASweepThatFindsNothing(t *testing.T) {
	_, handler := open(t)
	nobody := []sweep.Principal{{Name: "nobody"}}
	for name, c := range map[string]struct {
		target   sweep.Target
		canaries []sweep.Canary
		says     string
	}{
		"nobody asks":      {sweep.Target{Handler: handler}, nil, "nobody asks"},
		"nothing answers":  {sweep.Target{Principals: nobody}, nil, "nothing answers"},
		"a short canary":   {sweep.Target{Handler: handler, Principals: nobody}, []sweep.Canary{{Name: "x", Value: "short"}}, "has 5 bytes"},
		"nothing is there": {sweep.Target{Handler: http.NotFoundHandler(), Principals: nobody}, nil, "told of any tool"},
		"nothing listens":  {sweep.Target{URL: "http://127.0.0.1:1", Principals: nobody}, nil, "GET /"},
	} {
		if _, err := sweep.Run(t.Context(), c.target, c.canaries); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
