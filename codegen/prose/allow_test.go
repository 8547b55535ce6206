package prose_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// TestEscapes: a claim that is marked where it stands may stand there alone, for a reason,
// and only while it is needed.
func TestEscapes(t *testing.T) {
	const noName = `there is no such tool, code, key, member or event; did you mean "list_tools"?`
	for name, tt := range map[string]struct {
		file, text string
		want       []string
	}{
		"on its line":         {"x.md", "Call `list_tool`. <!-- prose: allow list_tool a caller mistypes it -->\n\n`list_tool`\n", []string{`x.md:3: "list_tool": ` + noName}},
		"for a paragraph":     {"x.md", "<!-- prose: allow list_tool a caller mistypes it -->\nOne\n`list_tool`\n\n`list_tool`\n", []string{`x.md:5: "list_tool": ` + noName}},
		"two of them":         {"x.md", "<!-- prose: allow list_tool: a caller mistypes it -->\n<!-- prose: allow `GET /livezz` it once was -->\n`list_tool` and `GET /livezz`\n", nil},
		"a number":            {"x.md", "Acme has 40 tools. <!-- prose: allow \"40 tools\" it will have -->\n", nil},
		"not needed":          {"x.md", "<!-- prose: allow list_tools a caller mistypes it -->\n`list_tools`\n", []string{`x.md:1: "list_tools": nothing on lines 1 to 2 needs this escape: take it away`}},
		"for another claim":   {"x.md", "`list_tool` <!-- prose: allow lists_tool a caller mistypes it -->\n", []string{`x.md:1: "lists_tool": nothing on lines 1 to 1 needs this escape: take it away`, `x.md:1: "list_tool": ` + noName}},
		"without a reason":    {"x.md", "`list_tool` <!-- prose: allow list_tool -->\n", []string{`x.md:1: "list_tool": an escape names a claim and says why: prose: allow CLAIM REASON`}},
		"without a claim":     {"x.md", "`list_tools` <!-- prose: allow -->\n", []string{`x.md:1: an escape names a claim and says why: prose: allow CLAIM REASON`}},
		"shown, not meant":    {"x.md", "Write `<!-- prose: allow list_tools why -->` there.\n```md\n<!-- prose: allow list_tools why -->\n```\n", nil},
		"in Go":               {"x.go", "package x\n\n//prose:allow list_tool what a caller mistypes\n// F is list_tool.\nfunc F() {}\n\n// G is list_tool.\nfunc G() {}\n", []string{`x.go:7: "list_tool": ` + noName}},
		"in Go, not needed":   {"x.go", "package x\n\n// F is list_tools.\nfunc F() {} //prose:allow list_tool what a caller mistypes\n", []string{`x.go:4: "list_tool": nothing on lines 4 to 4 needs this escape: take it away`}},
		"in a script":         {"x.ts", "//prose:allow list_tool what a caller mistypes\nf('not list_tool at all')\n", nil},
		"in a template":       {"x.html", "{{/* prose: allow list_tool what a caller mistypes */}}\n<p>list_tool</p>\n<!-- prose: allow lists_tool what a caller mistypes -->", []string{`x.html:3: "lists_tool": nothing on lines 3 to 3 needs this escape: take it away`}},
		"in YAML":             {"x.yaml", "listen: x # see list_tool\n# prose: allow dny it once was\ngate: {dny: [x]}\n", []string{`x.yaml:1: "list_tool": ` + noName}},
		"in a fenced example": {"x.md", "```yaml\nlisten: x\n# prose: allow dny it once was\ngate: {dny: [x]}\n```\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, check(t, tt.file, tt.text)); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestAllowancesAreNarrow(t *testing.T) {
	why := "the reader adds it"
	for name, tt := range map[string]struct {
		allow prose.Allowance
		want  int // findings
	}{
		"in its file":          {prose.Allowance{Kind: prose.KindName, Text: "list_tool", In: "docs/*.md", Why: why}, 0},
		"in every file":        {prose.Allowance{Text: "list_tool", Why: why}, 0},
		"in another file":      {prose.Allowance{Text: "list_tool", In: "*.md", Why: why}, 2},
		"of another kind":      {prose.Allowance{Kind: prose.KindCode, Text: "list_tool", Why: why}, 2},
		"of another text":      {prose.Allowance{Text: "list_tools", Why: why}, 2},
		"needed only in time":  {prose.Allowance{Text: "list_tools", Why: why, Optional: true}, 1},
		"in no file of a kind": {prose.Allowance{Kind: prose.KindName, Text: "list_tool", In: "docs/x.go", Why: why, Optional: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := check(t, "docs/x.md", "`list_tool`\n", tt.allow); len(got) != tt.want {
				t.Errorf("%+v leaves %q, want %d", tt.allow, got, tt.want)
			}
		})
	}
}

func TestReadAllowances(t *testing.T) {
	got, err := prose.ReadAllowances(strings.NewReader("# what may stand\nallow:\n- {kind: name, text: a_b, in: '*.md', why: English}\n- text: POST /x\n  why: spoken elsewhere\n  optional: true\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []prose.Allowance{{Kind: prose.KindName, Text: "a_b", In: "*.md", Why: "English"}, {Text: "POST /x", Why: "spoken elsewhere", Optional: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := prose.ReadAllowances(strings.NewReader("")); err != nil || len(got) != 0 {
		t.Errorf("an empty file is %v, %v", got, err)
	}
	if _, err := prose.ReadAllowances(strings.NewReader("#" + strings.Repeat("x", 1<<20-1))); err != nil {
		t.Errorf("a file that just fits: %v", err)
	}
	for text, says := range map[string]string{
		"allow: [{text: a}]":                     "has no why",
		"allow: [{text: a, why: b}, {text: c}]":  `allowance 2 ("c") has no why`,
		"allow: [{why: a}]":                      "has no text",
		"allow: [{text: a, why: b, in: '['}]":    "no pattern",
		"allow: [{text: a, why: b, kinds: x}]":   "kinds",
		"allowed: []":                            "allowed",
		"allow: {":                               "",
		strings.Repeat("# a comment\n", 100_000): "larger",
	} {
		if _, err := prose.ReadAllowances(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q is read with %v, want an error that says %q", text, err, says)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, o := range map[string]prose.Options{
		"no program":      {},
		"a broken schema": {Truth: prose.Truth{Program: "acme", Config: []byte("{")}},
		"a bad allowance": {Truth: prose.Truth{Program: "acme"}, Allow: []prose.Allowance{{Text: "a"}}},
	} {
		if _, err := prose.New(o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestFurtherFindingsAreFindings: allowances and escapes hold for the findings of others.
func TestFurtherFindingsAreFindings(t *testing.T) {
	c, err := prose.New(prose.Options{Truth: small(), Allow: []prose.Allowance{{Kind: "colour", Text: "blue", Why: "it is"}}, Further: []prose.Further{func(d *prose.Document) (all []prose.Finding) {
		for _, p := range d.Passages {
			if p.Form == prose.Code {
				all = append(all, prose.Finding{Line: p.Line, Kind: "colour", Claim: p.Text, Why: "no such colour"})
			}
		}
		return all
	}}})
	if err != nil {
		t.Fatal(err)
	}
	got := c.Check("x.md", "`blue`, `red` and\n`green` <!-- prose: allow green grass is -->\n")
	want := []prose.Finding{{File: "x.md", Line: 1, Kind: "colour", Claim: "red", Why: "no such colour"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a set of capabilities makes true are their names, packs, routes and codes, and every name
// in their schemas.
func TestKnown(t *testing.T) {
	type asked struct {
		Door string `json:"door_name" jsonschema_description:"Which."`
	}
	type kept struct {
		Inner []struct {
			Deep  string `json:"deep_name" jsonschema_description:"Deep."`
			State string `json:"state" jsonschema:"enum=half_open,enum=shut" jsonschema_description:"How."`
		} `json:"inner_list" jsonschema_description:"Inner."`
	}
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "doors", Title: "Doors", Summary: "Doors."})
	pack.Code("door_stuck", capabilities.Conflict, "it is stuck", "push")
	capabilities.Declare(pack, capabilities.Spec{
		Name: "open_door", Title: "Open", Summary: "Open a door.", Effect: capabilities.Read(capabilities.Local), Route: "GET /doors/{door_name}", Aliases: []capabilities.Alias{{Name: "unlock_door", Since: "1", Until: "2"}},
	}, func(context.Context, struct{}, asked) (kept, error) {
		return kept{}, nil
	})
	reg, err := capabilities.Assemble(pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	got := prose.Known("acme", reg.All(), reg.Codes())
	if diff := cmp.Diff([]prose.Tool{{Name: "open_door", Group: "doors"}, {Name: "unlock_door", Group: "doors", Alias: true}}, got.Tools); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"deep_name", "door_name", "half_open", "inner_list", "shut", "state"}, got.Members); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !slices.Contains(got.Routes, "GET /api/v1/doors/{door_name}") || !slices.Contains(got.Codes, "door_stuck") || !slices.Equal(got.Packs, []string{"doors"}) || got.BaseCodes < 10 {
		t.Errorf("%+v", got)
	}
}
