package card_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/card"
	"github.com/seed-89b9419b/holotype/codegen/openapi"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// assembled is the registry that the tests share: it is immutable.
var assembled = sync.OnceValues(func() (*capabilities.Registry, error) { return capabilities.Assemble(fixture.Pack.Describe()) })

func registry(t *testing.T) *capabilities.Registry {
	t.Helper()
	reg, err := assembled()
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func cards(t *testing.T, reg *capabilities.Registry) map[string][]byte {
	t.Helper()
	api, err := openapi.Files(openapi.About{Title: "holotype", Version: "1"}, reg)
	if err != nil {
		t.Fatal(err)
	}
	files, err := card.Files("holotype", reg, api[openapi.JSONPath])
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// sections answers the code blocks of a card by their headings.
func sections(t *testing.T, text []byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n\n")
		fence, rest, _ := strings.Cut(body, "\n")
		ticks := fence[:strings.LastIndex(fence, "`")+1]
		code, behind, closed := strings.Cut(rest, "\n"+ticks+"\n")
		if !closed || strings.TrimSpace(behind) != "" {
			t.Fatalf("the section %q is no single code block: %q", title, body)
		}
		all[title] = code
	}
	return all
}

func TestEveryCapabilityHasACard(t *testing.T) {
	reg := registry(t)
	files := cards(t, reg)
	aliases := 0
	for c := range reg.All() {
		text, ok := files[card.Folder+"/"+c.Name()+".md"]
		if !ok {
			t.Errorf("%s has no card", c.Name())
			continue
		}
		if first, _, _ := bytes.Cut(text, []byte("\n")); !bytes.Contains(first, []byte(markdown.Marker)) {
			t.Errorf("%s: the first line is %q", c.Name(), first)
		}
		want := []string{"Catalogue row", "Command line", "MCP tool"}
		if c.AliasOf() == "" {
			want = append(want, "HTTP: `"+c.Route().Method+" /api/v1"+c.Route().Path+"`")
		} else {
			aliases++
		}
		slices.Sort(want)
		if d := cmp.Diff(want, slices.Sorted(maps.Keys(sections(t, text)))); d != "" {
			t.Errorf("%s: sections (-want +got):\n%s", c.Name(), d)
		}
	}
	if aliases == 0 || len(files) != reg.Len() {
		t.Errorf("%d cards of %d capabilities, %d of them old names", len(files), reg.Len(), aliases)
	}
}

// A card shows what a running server sends, by value.
func TestCardsShowWhatIsServed(t *testing.T) {
	server := holotype.New(holotype.Options{
		Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, Data: holotype.InMemory,
		Lookup: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler),
		Authenticate: func(*http.Request) (*capabilities.Principal, error) { return capabilities.OwnerPrincipal(), nil },
	})
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	ask := func(method, path, body string) []byte {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:4280"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/list")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	rows := map[string]any{}
	for _, row := range decode[struct{ Items []map[string]any }](t, ask("GET", "/api/v1/tools?limit=1000", "")).Items {
		rows[row["name"].(string)] = row
	}
	tools := map[string]any{}
	list := ask("POST", "/operator/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cards","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if i := bytes.Index(list, []byte("data: {")); i >= 0 {
		list, _, _ = bytes.Cut(list[i+len("data: "):], []byte("\n"))
	}
	for _, tool := range decode[struct {
		Result struct{ Tools []map[string]any }
	}](t, list).Result.Tools {
		tools[tool["name"].(string)] = tool
	}
	operations := map[string]any{}
	for path, methods := range decode[struct {
		Paths map[string]map[string]any
	}](t, ask("GET", "/openapi.json", "")).Paths {
		for method, op := range methods {
			operations["HTTP: `"+strings.ToUpper(method)+" /api/v1"+strings.TrimPrefix(path, "/api/v1")+"`"] = op
		}
	}
	reg := registry(t)
	files := cards(t, reg)
	for c := range reg.All() {
		t.Run(c.Name(), func(t *testing.T) {
			for title, code := range sections(t, files[card.Folder+"/"+c.Name()+".md"]) {
				var served any
				switch {
				case title == "Catalogue row":
					served = rows[c.Name()]
				case title == "MCP tool":
					served = tools[c.Name()]
				case strings.HasPrefix(title, "HTTP: "):
					served = operations[title]
				case len(c.Examples()) == 0 && c.AliasOf() == "":
					// Each run composes a server: those that differ by their names alone are left out.
					continue
				default:
					var out, errw bytes.Buffer
					if exit := server.Command().Run(t.Context(), []string{"call", c.Name(), "--help"}, strings.NewReader(""), &out, &errw); exit != 0 {
						t.Fatalf("the help exits %d: %s", exit, errw.String())
					}
					if d := cmp.Diff(strings.TrimRight(out.String(), "\n"), code); d != "" {
						t.Errorf("%s (-served +card):\n%s", title, d)
					}
					continue
				}
				if shown := decode[any](t, []byte(code)); !reflect.DeepEqual(served, shown) { // cmp is slow on equal values of this size
					t.Errorf("%s (-served +card):\n%s", title, cmp.Diff(served, shown))
				}
			}
		})
	}
}

func decode[T any](t *testing.T, raw []byte) T {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v T
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v: %.300s", err, raw)
	}
	return v
}

func TestCardsDependOnTheDeclarationsAlone(t *testing.T) {
	other, err := capabilities.Assemble(fixture.Pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	want := cards(t, other)
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	for i := range 20 {
		runtime.GOMAXPROCS(1 + i%2)
		if got := cards(t, registry(t)); !maps.EqualFunc(want, got, bytes.Equal) {
			t.Fatalf("run %d differs", i)
		}
	}
}

// A bridged tool belongs to a configuration and not to a repository.
func TestBridgedToolsHaveNoCard(t *testing.T) {
	tool, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__tool", Tool: "tool", Server: "far", Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(registry(t))
	live.Replace("", "far", []*capabilities.Capability{tool})
	if live.Registry().Len() != registry(t).Len()+1 || !maps.EqualFunc(cards(t, registry(t)), cards(t, live.Registry()), bytes.Equal) {
		t.Error("a bridged tool changes the cards")
	}
}

// The column "asks first" of the reference is what the command line does.
func TestCommandLineAsksFirst(t *testing.T) {
	type nothing struct{}
	pack := capabilities.NewPack[nothing](capabilities.PackInfo{Name: "effects", Title: "Effects", Summary: "Have every effect."})
	named := func(e capabilities.Effect) string { return strings.ReplaceAll(e.String(), "/", "_") }
	for _, e := range capabilities.Effects() {
		capabilities.Declare(pack, capabilities.Spec{
			Name: named(e), Title: "Have effect", Summary: "Have the effect " + e.String() + ".", Effect: e,
			Route: e.Methods()[0] + " /" + strings.ReplaceAll(named(e), "_", "-"), Answers: capabilities.FromInput,
		}, func(context.Context, nothing, nothing) (nothing, error) { return nothing{}, nil })
	}
	server := holotype.New(holotype.Options{
		Packs: []capabilities.Bound{pack.Bind(nothing{})}, NativePacks: []string{}, Data: holotype.InMemory,
		Lookup: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { _ = server.Close() })
	for _, e := range capabilities.Effects() {
		name := named(e)
		var out, errw bytes.Buffer
		exit := server.Command().Run(t.Context(), []string{"call", name, "--data", holotype.InMemory}, strings.NewReader(""), &out, &errw)
		if asked := exit == 2 && strings.Contains(errw.String(), "--yes"); asked != e.Hints().AskFirst() || (!asked && exit != 0) {
			t.Errorf("%s exits %d and says %q; AskFirst is %v", name, exit, errw.String(), e.Hints().AskFirst())
		}
	}
}
