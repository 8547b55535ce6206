package prose_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// small is a product that a reader can hold in the head.
func small() *product {
	return &product{
		truth: prose.Truth{Program: "holotype", Tools: []prose.Tool{{Name: "list_tools", Group: "system"}}, Packs: []string{"system"}},
		files: map[string]string{
			"a/list_tools.go": "package a\n\nfunc ListTools() {\n\treturn\n}\n", "a/a_test.go": "package a\n\nfunc TestA(t *testing.T) {}\n",
			"docs/decisions/0001-one.md": "# 0001. One\n",
		},
		folders:  map[string]bool{"a": true, "docs": true, "docs/decisions": true},
		methods:  []string{"tools/list"},
		targets:  []string{"test", "generate-check"},
		symbols:  map[string][]string{"capabilities": {"Declare"}},
		standard: func(path string) bool { return path == "net/http" },
		synonyms: map[string]string{"toolset": "pack", "validation error": "violation"},
	}
}

// TestEachCheckBites: of what this module has beside a registry, a false word fails, at its
// line, with the nearest true one, and the true word beside it does not. What a registry
// knows is held to the same in codegen/prose.
func TestEachCheckBites(t *testing.T) {
	const f = "```"
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"what the library reads":         {"Call `list_tool`, not `list_tools`.\n", []string{`x.md:1: "list_tool": there is no such tool, code, key, member or event; did you mean "list_tools"?`}},
		"a target":                       {"`make tests`, `make test` and `make generate-check`\n", []string{`x.md:1: "tests": there is no such target of the Makefile; did you mean "test"?`}},
		"a target in a block":            {f + "sh\nmake tests # run\nmake\n" + f + "\n", []string{`x.md:2: "tests": there is no such target of the Makefile; did you mean "test"?`}},
		"a decision":                     {"[decision 0009](https://example.org) and decision 0001\n", []string{`x.md:1: "0009": there is no decision 0009`}},
		"a file":                         {"`a/list_tool.go`, `a/list_tools.go`, `list_tools.go`, `a/`, `tools/list`, `net/http.ServeMux`, `a/<file>.go`, `github.com/seed-89b9419b/holotype/a`\n", []string{`x.md:1: "a/list_tool.go": there is no such file; did you mean "a/list_tools.go"?`}},
		"a Go name":                      {"`capabilities.Declares(x)`, `capabilities.Declare` and `strings.Nothing`\n", []string{`x.md:1: "capabilities.Declares(x)": there is no such name in package capabilities; did you mean "Declare"?`}},
		"a synonym":                      {"Toolsets hold validation\nerrors; `toolset` is a value.\n", []string{`x.md:1: "toolset": it is not the word here: say "pack", or say in the list what else it means`}},
		"a test":                         {"[TestB](a/a_test.go) and [TestA](a/a_test.go)\n", []string{`x.md:1: "TestB": there is no such test in a/a_test.go; did you mean "TestA"?`}},
		"an excerpt":                     {"<!-- excerpt: a/list_tools.go -->\n" + f + "go\nfunc ListTools() {\n\treturn nil\n}\n" + f + "\n", []string{`x.md:1: "a/list_tools.go": the block below does not stand in it: no line of it is "\treturn nil"`}},
		"an excerpt in another order":    {"<!-- excerpt: a/list_tools.go -->\n" + f + "go\n\treturn\nfunc ListTools() {\n" + f + "\n", []string{`x.md:1: "a/list_tools.go": the block below does not stand in it: its lines stand there in another order`}},
		"an excerpt of no file":          {"<!-- excerpt: a/b.go -->\n" + f + "go\nx\n" + f + "\n", []string{`x.md:1: "a/b.go": it does not exist, and an excerpt is of it`}},
		"an excerpt that lost its block": {"<!-- excerpt: a/list_tools.go -->\n\nSee above.\n", []string{`x.md:1: "a/list_tools.go": no block stands below the excerpt of it`}},
		"an excerpt that stands":         {"<!-- excerpt: a/list_tools.go -->\n" + f + "go\nfunc ListTools() {\n\treturn\n" + f + "\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, fault := range newChecker(t, small(), nil).check("x.md", tt.text) {
				got = append(got, fault.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestSynonymsAreReadFromTheVocabulary(t *testing.T) {
	page := "| word | is | not |\n|---|---|---|\n| pack | a group | module (of Go), toolset |\n| view | what one sees | scope |\n| scope | what was granted | role |\n"
	want := map[string]string{"module": "pack", "toolset": "pack", "role": "scope"}
	if diff := cmp.Diff(want, synonyms(page)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ours := synonyms(tree(t)[vocabulary]); len(ours) < 40 || ours["toolset"] != "pack" {
		t.Errorf("%s rules out %d words: its tables were not read", vocabulary, len(ours))
	}
}
