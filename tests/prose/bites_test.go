package prose_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a product that a reader can hold in the head.
func small() *product {
	return &product{
		files: map[string]string{
			"a/list_tools.go": "package a\n\nfunc ListTools() {\n\treturn\n}\n", "a/a_test.go": "package a\n\nfunc TestA(t *testing.T) {}\n",
			"docs/decisions/0001-one.md": "# 0001. One\n",
		},
		folders:  map[string]bool{"a": true, "docs": true, "docs/decisions": true},
		names:    []string{"list_tools", "op_id_invalid", "next_cursor"},
		tools:    []string{"list_tools"},
		codes:    []string{"invalid", "op_id_invalid"},
		commands: map[string][]string{"": {"--config"}, "serve": {"--listen"}, "call": {"--json"}, "tools": nil, "secrets": nil, "secrets set": {"--force"}},
		toolFlag: func(string) []string { return []string{"--limit"} },
		recorded: []string{"filesystem__read_file"},
		methods:  []string{"tools/list"},
		routes:   []string{"GET /api/v1/tools", "GET /api/v1/tools/{name}", "POST /login", "GET /livez"},
		answers:  func(path string) bool { return path == "/docs" || path == "/docs/codes/invalid" },
		targets:  []string{"test", "generate-check"},
		symbols:  map[string][]string{"capabilities": {"Declare"}},
		standard: func(path string) bool { return path == "net/http" },
		synonyms: map[string]string{"toolset": "pack", "validation error": "violation"},
	}
}

// TestEachCheckBites: a false word fails, at its line, with the nearest true one, and
// the true word beside it does not.
func TestEachCheckBites(t *testing.T) {
	const f = "```"
	for name, tt := range map[string]struct {
		file, text string
		want       []string
	}{
		"a tool":                         {"x.md", "\nCall `list_tools`, not `list_tool`.\n", []string{`x.md:2: there is no tool, code, key, member or event "list_tool": the nearest is "list_tools"`}},
		"a tool without marks":           {"x.md", "Call list_tool, then list_tools.\n", []string{`x.md:1: there is no tool, code, key, member or event "list_tool": the nearest is "list_tools"`}},
		"a tool in a comment":            {"x.go", "package x\n\n// F is what list_tool calls, and list_tools.\nfunc F() {}\n", []string{`x.go:3: there is no tool, code, key, member or event "list_tool": the nearest is "list_tools"`}},
		"a tool in a message":            {"x.go", "package x\n\nconst m = \"see list_tool for more\"\n", []string{`x.go:3: there is no tool, code, key, member or event "list_tool": the nearest is "list_tools"`}},
		"a word that is a value":         {"x.go", "package x\n\nconst m = \"list_tool\"\n", nil},
		"a bridged tool":                 {"x.md", "`filesystem__read_files` and `filesystem__read_file`\n", []string{`x.md:1: there is no tool of a recorded server "filesystem__read_files": the nearest is "filesystem__read_file"`}},
		"a route":                        {"x.md", "`GET /api/v1/tool` lists, as `GET /api/v1/tools`, `GET /tools` and `GET /tools/list_tools` do.\n", []string{`x.md:1: there is no route "GET /api/v1/tool": the nearest is "GET /api/v1/tools"`}},
		"the method of a route":          {"x.md", "`POST /livez` and `GET /livez`\n", []string{`x.md:1: there is no route "POST /livez": the nearest is "GET /livez"`}},
		"a field of a route":             {"x.md", "`GET /tools/{tool}` and `GET /tools/{name}`\n", []string{`x.md:1: there is no route "GET /tools/{tool}"`}},
		"a path":                         {"x.md", "see /livz, `/livezz`, /livez, `/docs` and /docs/codes/<code>, all below /api/v1\n", []string{`x.md:1: there is no route "/livezz": the nearest is "/livez"`}},
		"an address":                     {"x.md", f + "sh\ncurl http://127.0.0.1:4280/liveez\ncurl http://127.0.0.1:4280/livez\n" + f + "\n", []string{`x.md:2: there is no route "/liveez": the nearest is "/livez"`}},
		"a command":                      {"x.md", "Say `holotype server` or `holotype serve`.\n", []string{`x.md:1: there is no command "server": the nearest is "serve"`}},
		"a command in a block":           {"x.md", f + "sh\n./bin/holotype toolz\n" + f + "\n", []string{`x.md:2: there is no command "toolz": the nearest is "tools"`}},
		"a command in a message":         {"x.go", "package x\n\nconst m = `see \"holotype srve\" for more`\n", []string{`x.go:3: there is no command "srve": the nearest is "serve"`}},
		"a flag of a command":            {"x.md", "`holotype serve --listn x --config y`\n", []string{`x.md:1: there is no flag of "holotype serve" "--listn": the nearest is "--listen"`}},
		"a command of a group":           {"x.md", "`holotype secrets sett NAME`, `holotype secrets set NAME`\n", []string{`x.md:1: there is no command of holotype secrets "sett": the nearest is "set"`}},
		"a flag of a command of a group": {"x.md", "`holotype secrets set --forc`, `holotype secrets set --force`\n", []string{`x.md:1: there is no flag of "holotype secrets set" "--forc": the nearest is "--force"`}},
		"a flag of another command":      {"x.md", "`holotype serve --json x`\n", []string{`x.md:1: there is no flag of "holotype serve" "--json"`}},
		"a flag of a tool":               {"x.md", "`holotype call list_tools --limits 5` and `holotype call list_tools --limit 5`\n", []string{`x.md:1: there is no flag of "holotype call" "--limits": the nearest is "--limit"`}},
		"a tool that is called":          {"x.md", "`holotype call list_tolls`, `holotype call filesystem__read_file --path x`\n", []string{`x.md:1: there is no tool "list_tolls": the nearest is "list_tools"`}},
		"a flag alone":                   {"x.md", "with `--listn` or --jsn, not `--listen X`\n", []string{`x.md:1: there is no flag "--jsn": the nearest is "--json"`, `x.md:1: there is no flag "--listn": the nearest is "--listen"`}},
		"a code":                         {"x.md", "refused with the code `invald`, not the code `invalid`\n", []string{`x.md:1: there is no code "invald": the nearest is "invalid"`}},
		"a code that is tool-shaped":     {"x.md", "`op_id_invalit` and `op_id_invalid`\n", []string{`x.md:1: there is no tool, code, key, member or event "op_id_invalit": the nearest is "op_id_invalid"`}},
		"a target":                       {"x.md", "`make tests`, `make test` and `make generate-check`\n", []string{`x.md:1: there is no target of the Makefile "tests": the nearest is "test"`}},
		"a decision":                     {"x.md", "[decision 0009](https://example.org) and decision 0001\n", []string{"x.md:1: there is no decision 0009"}},
		"a file":                         {"x.md", "`a/list_tool.go`, `a/list_tools.go`, `list_tools.go`, `a/`, `tools/list`, `net/http.ServeMux`, `a/<file>.go`\n", []string{`x.md:1: there is no file "a/list_tool.go": the nearest is "a/list_tools.go"`}},
		"a Go name":                      {"x.md", "`capabilities.Declares(x)`, `capabilities.Declare` and `strings.Nothing`\n", []string{`x.md:1: there is no name in package capabilities "Declares": the nearest is "Declare"`}},
		"a synonym":                      {"x.md", "Toolsets hold validation\nerrors; `toolset` is a value.\n", []string{`x.md:1: "toolset" is not the word here: say "pack", or say in the list what else it means`}},
		"a test":                         {"x.md", "[TestB](a/a_test.go) and [TestA](a/a_test.go)\n", []string{`x.md:1: there is no test in a/a_test.go "TestB": the nearest is "TestA"`}},
		"an excerpt":                     {"x.md", "<!-- excerpt: a/list_tools.go -->\n" + f + "go\nfunc ListTools() {\n\treturn nil\n}\n" + f + "\n", []string{`x.md:1: the block below does not stand in a/list_tools.go: no line of it is "\treturn nil"`}},
		"an excerpt in another order":    {"x.md", "<!-- excerpt: a/list_tools.go -->\n" + f + "go\n\treturn\nfunc ListTools() {\n" + f + "\n", []string{"x.md:1: the block below does not stand in a/list_tools.go: its lines stand there in another order"}},
		"an excerpt of no file":          {"x.md", "<!-- excerpt: a/b.go -->\n" + f + "go\nx\n" + f + "\n", []string{"x.md:1: an excerpt of a/b.go, which does not exist"}},
		"an excerpt that lost its block": {"x.md", "<!-- excerpt: a/list_tools.go -->\n\nSee above.\n", []string{"x.md:1: no block stands below the excerpt of a/list_tools.go"}},
		"an excerpt that stands":         {"x.md", "<!-- excerpt: a/list_tools.go -->\n" + f + "go\nfunc ListTools() {\n\treturn\n" + f + "\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := check(small(), tt.file, tt.text, newAllowance(allowed{}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestAllowanceIsNarrow(t *testing.T) {
	list := newAllowance(
		allowed{kindName, "get_caller", "CONTRIBUTING.md", "the reader adds it"},
		allowed{kindName, "list_tools", "", "it exists, so this is not needed"},
	)
	text := "`get_caller`, `list_tools`\n"
	if got := check(small(), "CONTRIBUTING.md", text, list); got != nil {
		t.Errorf("in its file an allowed name is a fault: %q", got)
	}
	if got := check(small(), "README.md", text, list); len(got) != 1 {
		t.Errorf("in another file an allowed name gives %q, want one fault", got)
	}
	if idle := list.idle(); len(idle) != 1 || idle[0].text != "list_tools" {
		t.Errorf("the entries nobody needs are %+v, want list_tools alone", idle)
	}
	for _, e := range allowedHere {
		if e.why == "" {
			t.Errorf("%s %q is allowed without a reason", e.kind, e.text)
		}
	}
}

// TestEveryKindIsClaimed: this tree claims something of every kind, so that a pattern
// that matches nothing any more is noticed.
func TestEveryKindIsClaimed(t *testing.T) {
	count := map[kind]int{}
	for name, text := range tree(t) {
		if authored(name) {
			for _, c := range read(name, text) {
				count[c.kind]++
			}
		}
	}
	for _, k := range []kind{kindName, kindBridged, kindRoute, kindCommand, kindFlag, kindRefusal, kindTarget, kindDecision, kindFile, kindSymbol} {
		if count[k] == 0 {
			t.Errorf("nothing in this tree claims a %s", k)
		}
	}
	t.Log(count)
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
