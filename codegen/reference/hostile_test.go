package reference_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/reference"
)

// bridged answers a tool of somebody else.
func bridged(t *testing.T, s capabilities.BridgedSpec) *capabilities.Capability {
	t.Helper()
	s.Name, s.Tool, s.Server = "far__tool", "tool", "far"
	if s.Input == nil {
		s.Input = []byte(`{"type":"object"}`)
	}
	s.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil }
	c, err := capabilities.NewBridged(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A page is text and tables, whatever a bridged server says.
func TestHostileTextStaysText(t *testing.T) {
	for name, evil := range map[string]string{
		"HTML":              `</td></table><img src=x onerror=alert(1)><script>alert(2)</script>`,
		"a link":            `](javascript:alert(1)) [here](javascript:alert(2)) <javascript:alert(3)>`,
		"an image":          `![x](http://evil.example/pixel.png)`,
		"pipes":             "a | b || c \\| d",
		"backticks":         "`x` ```\n# Title\n``` ~~~",
		"blocks":            "text\n\n# Title\n\n- item\n\n> quote\n\n---\n\n| a |\n|---|\n| b |\n",
		"hidden characters": "a\x00b\x1b[31mc\u202ed\u200be\u2066f\ufeff",
		"a reference":       "[x]: javascript:alert(1)\n\n[x]",
		"not UTF-8":         "a\xff\xfeb",
		"a comment":         "<!-- x --> <!DOCTYPE html> <?php ?>",
		"long":              strings.Repeat("<b>|`", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			quoted, err := json.Marshal(evil)
			if err != nil {
				t.Fatal(err)
			}
			c := bridged(t, capabilities.BridgedSpec{
				Title: evil, Summary: evil,
				Input: fmt.Appendf(nil, `{"type":"object","properties":{%[1]s:{"type":"string","description":%[1]s,"enum":[%[1]s],"default":%[1]s,"format":%[1]s},`+
					`"__proto__":{"type":"string"},"constructor":{"type":%[1]s,"pattern":%[1]s}}}`, quoted),
				Output: fmt.Appendf(nil, `{"type":"object","properties":{"x":{"const":%s}}}`, quoted),
				Hints:  capabilities.HintFacts{ReadOnly: capabilities.HintFact{Raw: quoted}},
			})
			page := reference.Capability("acme", c)
			kinds := map[ast.NodeKind]int{}
			_ = ast.Walk(parse(page), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				kinds[n.Kind()]++
				if link, ok := n.(*ast.Link); ok && !regexp.MustCompile(`^\.\./(codes/[a-z_]+\.md|surfaces\.md#[a-z-]+)$`).Match(link.Destination) {
					t.Errorf("a link leads to %q", link.Destination)
				}
				return ast.WalkContinue, nil
			})
			want := map[ast.NodeKind]int{
				ast.KindRawHTML: 0, ast.KindImage: 0, ast.KindAutoLink: 0, ast.KindList: 0, ast.KindBlockquote: 0, ast.KindEmphasis: 0,
				ast.KindThematicBreak: 0, ast.KindCodeBlock: 0, ast.KindHTMLBlock: 1, ast.KindHeading: 6, tables.KindTable: 5, ast.KindFencedCodeBlock: 1,
			}
			for kind, n := range want {
				if kinds[kind] != n {
					t.Errorf("%d nodes of kind %s, want %d", kinds[kind], kind, n)
				}
			}
			for _, r := range string(page) {
				if r < ' ' && r != '\n' || strings.ContainsRune("\x7f\u202e\u200b\u2066\ufeff\ufffd", r) {
					t.Errorf("the page holds %U", r)
				}
			}
			if len(table(t, page, "field")) != 3 {
				t.Errorf("fields: %q", table(t, page, "field"))
			}
			if !bytes.Contains(page, []byte("| `__proto__` | string |  |\n")) {
				t.Error("__proto__ is no field")
			}
		})
	}
}

func TestHintsOfABridgedToolSayWhoStatedThem(t *testing.T) {
	page := reference.Capability("acme", bridged(t, capabilities.BridgedSpec{Hints: capabilities.HintFacts{
		ReadOnly:    capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer, Raw: []byte("true")},
		Destructive: capabilities.HintFact{Value: capabilities.No, From: capabilities.FromOverride, Raw: []byte("true")},
		Idempotent:  capabilities.HintFact{Raw: []byte(`"yes"`)},
	}}))
	want := [][]string{
		{"`readOnlyHint`", "yes", "server", "`true`"},
		{"`destructiveHint`", "no", "override", "`true`"},
		{"`idempotentHint`", "unknown", "unknown", "`\"yes\"`"},
		{"`openWorldHint`", "unknown", "unknown", "nothing"},
	}
	if d := cmp.Diff(want, table(t, page, "hint")); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// A bridged tool belongs to a configuration and not to a repository.
func TestBridgedToolsHaveNoPage(t *testing.T) {
	live := capabilities.NewLive(registry(t))
	live.Replace("", "far", []*capabilities.Capability{bridged(t, capabilities.BridgedSpec{})})
	if live.Registry().Len() != registry(t).Len()+1 || !maps.EqualFunc(files(t, registry(t)), files(t, live.Registry()), bytes.Equal) {
		t.Error("a bridged tool changes the reference")
	}
}

// The page that lists the tools of a configuration is there when there are some.
func TestPageOfBridgedTools(t *testing.T) {
	if pages := reference.Bridged("acme", registry(t)); pages != nil {
		t.Errorf("without a tool there are %d pages", len(pages))
	}
	live := capabilities.NewLive(registry(t))
	live.Replace("", "far", []*capabilities.Capability{bridged(t, capabilities.BridgedSpec{Title: "Far away"})})
	pages := reference.Bridged("acme", live.Registry())
	if !bytes.Contains(pages[reference.BridgedPath], []byte("| `tool` | unknown | Far away |")) || len(pages) != 2 {
		t.Errorf("%d pages:\n%s", len(pages), pages[reference.BridgedPath])
	}
}
