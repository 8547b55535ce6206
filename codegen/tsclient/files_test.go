package tsclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/codegen/tsclient"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

// bridged is a tool of a server.
func bridged(t *testing.T, name string, readOnly, destructive capabilities.Hint) *capabilities.Capability {
	t.Helper()
	server := capabilities.FromServer
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__" + name, Tool: name, Server: "far", Summary: "*/ export const evil = 1; /*", Input: []byte(`{"type":"object","properties":{"x":{"type":"number"}}}`),
		Hints:   capabilities.HintFacts{ReadOnly: capabilities.HintFact{Value: readOnly, From: server}, Destructive: capabilities.HintFact{Value: destructive, From: server}},
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// product is a document, and the codes of its registry.
type product struct {
	doc   []byte
	codes []capabilities.CodeInfo
}

// tracking is the tracker, and a bridged server.
func tracking(t *testing.T) product {
	t.Helper()
	reg, err := capabilities.Assemble(tracker.Pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	caps := append(slices.Collect(reg.All()),
		bridged(t, "reads", capabilities.Yes, capabilities.Unknown), bridged(t, "contradicts", capabilities.Yes, capabilities.Yes), bridged(t, "unknown", capabilities.Unknown, capabilities.Unknown))
	doc, err := openapi.Document(openapi.Options{Title: "t", Version: "1", Packs: reg.Packs(), Codes: reg.Codes()}, caps)
	if err != nil {
		t.Fatal(err)
	}
	return product{doc, reg.Codes()}
}

// files generates the client.
func (p product) files(t *testing.T, a tsclient.About) map[string]string {
	t.Helper()
	all, err := tsclient.Files(a, p.doc, p.codes)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for name, data := range all {
		inside, ok := strings.CutPrefix(name, tsclient.Folder+"/")
		if !ok {
			t.Errorf("%s stands outside", name)
		}
		texts[inside] = string(data)
	}
	return texts
}

// One document serves every part: assembling a pack is most of what they would cost.
func TestClient(t *testing.T) {
	p := tracking(t)
	for name, part := range map[string]func(*testing.T, product){
		"files": testFiles, "plans": testPlans, "refusals": testRefusals, "package": testPackage, "readme": testReadme,
	} {
		t.Run(name, func(t *testing.T) { part(t, p) })
	}
}

func testFiles(t *testing.T, p product) {
	all := p.files(t, tsclient.About{Name: "Shop", Version: "1.2.3", License: "MIT"})
	if diff := cmp.Diff([]string{
		"README.md", "package.json", "src/calls.ts", "src/client.ts", "src/exact.ts", "src/index.ts", "src/kinds.ts", "src/schema.ts", "tsconfig.json",
	}, slices.Sorted(maps.Keys(all))); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	for name, text := range all {
		first, _, _ := strings.Cut(text, "\n")
		if !strings.HasSuffix(name, ".json") && !strings.Contains(first, markdown.Marker) {
			t.Errorf("%s does not say that it was generated", name)
		}
		if strings.Contains(text, "export const evil") && !strings.Contains(text, "* / export const evil") {
			t.Errorf("%s has what a server wrote as source", name)
		}
	}
	if again := p.files(t, tsclient.About{Name: "Shop", Version: "1.2.3", License: "MIT"}); !maps.Equal(all, again) {
		t.Error("a second run writes something else")
	}
}

// A code that every call may be refused with stands once, and every call refers to it.
func testRefusals(t *testing.T, p product) {
	text := p.files(t, tsclient.About{Name: "shop", Version: "1.2.3"})["src/calls.ts"]
	_, everywhere, _ := strings.Cut(text, "export type Everywhere = ")
	everywhere, _, _ = strings.Cut(everywhere, ";")
	if !strings.Contains(everywhere, `"internal_error"`) {
		t.Errorf("everywhere is %s", everywhere)
	}
	calls, refer := strings.Count(text, "    refuses: "), strings.Count(text, "    refuses: Everywhere")
	if calls == 0 || calls != refer {
		t.Errorf("%d of %d calls refer to it:\n%s", refer, calls, text)
	}
}

// plans are how calls are sent, as the table has them.
func plans(text string) map[string]string {
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^    (\S+): \{ method: (.*) \},$`).FindAllStringSubmatch(text, -1) {
		all[m[1]] = m[2]
	}
	return all
}

func testPlans(t *testing.T, p product) {
	got := plans(p.files(t, tsclient.About{Name: "shop", Version: "1.2.3"})["src/calls.ts"])
	for name, want := range map[string]string{
		"list_work_items":  `"GET", path: "/work-items", sends: "query", repeat: "always"`,
		"get_work_item":    `"GET", path: "/work-items/{item}", sends: "query", repeat: "always"`,
		"create_work_item": `"POST", path: "/work-items", sends: "body", repeat: "keyed"`,
		"update_work_item": `"PATCH", path: "/work-items/{item}", sends: "body", repeat: "keyed", conditions: ["if_match"]`,
		"purge_work_item":  `"DELETE", path: "/trash/{item}", sends: "nothing", repeat: "keyed"`,
		"far__reads":       `"POST", path: "/servers/far/tools/reads", sends: "body", repeat: "always"`,
		"far__contradicts": `"POST", path: "/servers/far/tools/contradicts", sends: "body", repeat: "never"`,
		"far__unknown":     `"POST", path: "/servers/far/tools/unknown", sends: "body", repeat: "never"`,
	} {
		if got[name] != want {
			t.Errorf("%s is sent as %s, want %s", name, got[name], want)
		}
	}
	keyless := plans(p.files(t, tsclient.About{Name: "shop", Version: "1.2.3", Keyless: true})["src/calls.ts"])
	for name, plan := range keyless {
		if strings.Contains(plan, "keyed") {
			t.Errorf("%s is sent with a key to a server that keeps none: %s", name, plan)
		}
	}
}

func testPackage(t *testing.T, p product) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "v1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3-rc.1", "dev": "0.0.0", "1.2": "0.0.0", "1.02.3": "0.0.0", "1.0.0": "1.0.0", "0.10.0": "0.10.0", "": "0.0.0",
	} {
		var got struct {
			Name, Version, License string
			Dependencies           map[string]string
			Exports                map[string]map[string]string
		}
		text := p.files(t, tsclient.About{Name: "My.Shop", Version: version, License: "MIT"})["package.json"]
		if err := json.NewDecoder(bytes.NewReader([]byte(text))).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Name != "my.shop-client" || got.Version != want || got.License != "MIT" || got.Dependencies != nil || got.Exports["."]["types"] != "./dist/index.d.ts" {
			t.Errorf("of version %q the package is %s", version, text)
		}
	}
}

// The example of the first page is one of the declarations.
func testReadme(t *testing.T, p product) {
	text := p.files(t, tsclient.About{Name: "shop", Version: "1.2.3"})["README.md"]
	for _, want := range []string{"# shop-client", `from "shop-client"`, `client.call("comment_on_work_item", {`, `client.items("list_activity")`} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}
