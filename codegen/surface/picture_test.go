package surface_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/codegen/surface"
)

// What the registry says stands in the picture.
func TestPictureOfRegistry(t *testing.T) {
	p := reread(t, picture(t))
	if d := cmp.Diff([]string{"find_books", "lend_book", "return_book"}, namesOf(p)); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
	got := *of(p, "lend_book")
	got.Input, got.Output = nil, nil
	want := surface.Capability{
		Name: "lend_book", Title: "Lend book", Summary: "Lend a book to somebody.", Source: "builtin", Pack: "books", Route: "POST /books/{name}/loan",
		Aliases: []surface.Alias{{Name: "give_book", Since: "1.2.0", Until: "1.4.0"}}, Effect: &surface.Effect{Change: "amend", Reach: "local", Undo: "return_book"},
		Hints: surface.Hints{ReadOnly: no, Destructive: yes, Idempotent: no, OpenWorld: no}, Delivers: "desk", Scope: "books:write", Answers: "store",
		DryRun: true, OpID: true, Refuses: got.Refuses,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("lend_book (-want +got):\n%s", d)
	}
	for _, code := range []string{"already_lent", "not_found", "invalid", "unknown_outcome"} {
		if !slices.Contains(got.Refuses, code) {
			t.Errorf("%s is not among %v", code, got.Refuses)
		}
	}
	if find, back := of(p, "find_books"), of(p, "return_book"); !find.Pages || find.OpID || find.DryRun || !back.Conditional {
		t.Errorf("find_books %+v, return_book %+v", find, back)
	}
	if d := cmp.Diff(surface.Code{Code: "already_lent", Base: "conflict", HTTP: 409, Exit: 5, Means: "somebody has it", Remedy: "ask them"}, p.Codes[0]); d != "" {
		t.Errorf("code (-want +got):\n%s", d)
	}
}

func namesOf(p *surface.Picture) (all []string) {
	for _, c := range p.Capabilities {
		all = append(all, c.Name)
	}
	return all
}

// A bridged tool belongs to a configuration, and not to the program's surface.
func TestPictureLeavesBridgedToolsOut(t *testing.T) {
	reg := registry(t)
	tool, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__do", Tool: "do", Server: "far", Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(reg)
	live.Replace("", "far", []*capabilities.Capability{tool})
	for name, one := range map[string]*capabilities.Registry{"alone": reg, "joined": live.Registry()} {
		p, err := surface.OfRegistry("shelf", "1.2.0", one)
		if err != nil || len(p.Capabilities) != 3 {
			t.Errorf("%s: %v, %v", name, namesOf(p), err)
		}
	}
}

// The text is one for one surface.
func TestPictureIsCanonical(t *testing.T) {
	first, err := picture(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := reread(t, picture(t)).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, again) {
		t.Errorf("read and written again it is another text:\n%s", cmp.Diff(string(first), string(again)))
	}
	if !json.Valid(first) || !bytes.HasSuffix(first, []byte("}\n")) {
		t.Errorf("it is no JSON text with a line end: %.80q", first)
	}
}

func TestReadRefuses(t *testing.T) {
	text, err := picture(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, now, says string }{
		"no JSON":            {"{", "", "no picture"},
		"another format":     {`"format": 1`, `"format": 2`, "format 2"},
		"no format":          {`"format": 1,`, ``, "format 0"},
		"another sort":       {`"of": "registry"`, `"of": "dream"`, "dream"},
		"a key nobody knows": {`"of": "registry"`, `"of": "registry", "colour": 1`, "colour"},
		"a key twice":        {`"of": "registry"`, `"of": "registry", "of": "registry"`, "no picture"},
		"a hint nobody has":  {`"readOnlyHint": "yes"`, `"readOnlyHint": "maybe"`, "maybe"},
		"a name twice":       {`"name": "return_book"`, `"name": "lend_book"`, "lend_book"},
		"an old name twice":  {`"name": "give_book"`, `"name": "return_book"`, "return_book"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(string(text), c.old, c.now, 1)
			if broken == string(text) {
				t.Fatalf("%s is not there", c.old)
			}
			if _, err := surface.Read(strings.NewReader(broken)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("read with %v, want %q", err, c.says)
			}
		})
	}
}

const tools = `{"tools":[
	{"name":"read","title":"Read","description":"Reads.","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}},"annotations":{"readOnlyHint":true,"destructiveHint":"no","title":"Other"}},
	{"name":"write","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]}`

func observed(t *testing.T, page string) *bridge.Observation {
	t.Helper()
	o, err := bridge.Observe("far", json.RawMessage(page))
	if err != nil {
		t.Fatal(err)
	}
	o.Name, o.Number = "far", "1.0.0"
	return o
}

// Of an endpoint the picture is what it lists, with every hint as it was sent.
func TestPictureOfEndpoint(t *testing.T) {
	p, left, err := surface.OfEndpoint(observed(t, tools))
	if err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	p = reread(t, p)
	read := *of(p, "read")
	if read.Title != "Read" || read.Summary != "Reads." || read.Hints != (surface.Hints{ReadOnly: yes, Destructive: unknown}) {
		t.Errorf("read: %+v", read)
	}
	changed, _, err := surface.OfEndpoint(observed(t, strings.Replace(tools, `"readOnlyHint":true,`, ``, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"major hint-more-dangerous read /hints/readOnlyHint"}, lines(t, p, changed)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := surface.Diff(p, picture(t)); err == nil {
		t.Error("an endpoint is compared with a registry")
	}
}

// A title among the annotations is one where the tool has none of its own, and nothing else there is.
func TestTitlesAmongTheAnnotations(t *testing.T) {
	for annotations, want := range map[string]string{
		`{"title":"Among","audience":"Other"}`: "Among", `{"audience":"Other"}`: "", `{"title":""}`: "",
	} {
		p, _, err := surface.OfEndpoint(observed(t, `{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":`+annotations+`}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := of(p, "read").Title; got != want {
			t.Errorf("%s: %q, want %q", annotations, got, want)
		}
	}
}

// A part of a surface is none: the rest would look removed.
func TestPictureOfEndpointIsWhole(t *testing.T) {
	o := observed(t, tools)
	o.ListFault = "it repeats itself"
	if _, _, err := surface.OfEndpoint(o); err == nil || !strings.Contains(err.Error(), o.ListFault) {
		t.Errorf("a list that was left is a surface: %v", err)
	}
	if _, _, err := surface.OfEndpoint(observed(t, strings.Replace(tools, `"name":"write"`, `"name":"read"`, 1))); err == nil {
		t.Error("two tools have one name")
	}
	p, left, err := surface.OfEndpoint(observed(t, strings.Replace(tools, `"inputSchema":{"type":"object"},`, ``, 1)))
	if err != nil || len(p.Capabilities) != 1 || len(left) != 1 {
		t.Errorf("a tool that no client takes: %v, %v, %v", namesOf(p), left, err)
	}
}

// The page has the table of the code.
func TestDocsHaveTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/surface.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	var want []string
	for _, k := range surface.Kinds() {
		want = append(want, "| `"+k.ID+"` | "+k.Class.String()+" | "+k.Means+" | "+k.Why+" |")
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("docs/surface.md (-want +got):\n%s", d)
	}
}
