package arch_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// strangers are MCP servers of other people. What this project does for a server it
// does for every server, so none of them is named in code. Words that are English
// stand with what makes them a name.
var strangers = []string{
	"azure", "chrome-devtools", "code-runner", "confluence", "context7", "figma", "firecrawl", "github", "gitlab", "hostinger",
	"hubspot", "jira", "kubernetes", "line-bot", "notion", "playwright", "sentry", "server-everything", "server-filesystem",
	"server-memory", "slack", "supabase", "tavily",
}

var strangerNamed = regexp.MustCompile(`(?i)(?:^|[^a-z])(` + strings.Join(strangers, "|") + `)(?:[^a-z]|$)`)

// literals calls f for every string literal outside imports and struct tags.
func (f *goFile) literals(visit func(n ast.Node, text string)) {
	tags := map[ast.Node]bool{}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
			}
		case *ast.BasicLit:
			if text, ok := literal(n); ok && !tags[n] {
				visit(n, text)
			}
		}
		return true
	})
}

// noStrangers: no server of somebody else is named in code that ships.
func noStrangers(t *tree) []string {
	var faults []string
	for _, f := range t.goes {
		if f.test {
			continue
		}
		f.literals(func(n ast.Node, text string) {
			// A module's path begins with the name of a host.
			text = strings.ReplaceAll(text, "github.com", "")
			if m := strangerNamed.FindStringSubmatch(text); m != nil {
				faults = append(faults, fmt.Sprintf("%s names %q: what is done for one server is done for all", t.at(f, n), m[1]))
			}
		})
	}
	return faults
}

func TestNoStrangersInCode(t *testing.T) {
	source := func(text string) string { return fmt.Sprintf("package x\n\nconst s = %q\n", text) }
	check(t, noStrangers,
		fixture{"a tool of one server", map[string]string{"internal/gate/x.go": source("github__create_issue")}, []string{`names "github"`}},
		fixture{"in a sentence", map[string]string{"x.go": source("use Playwright for this")}, []string{`names "Playwright"`}},
		fixture{"a module, a longer word, a test", map[string]string{
			"a.go": source("github.com/seed-89b9419b/holotype"), "b.go": source("notional slackness, everything in memory"), "a_test.go": source("slack"),
		}, nil},
	)
}

// noNamesInProjections: a projection and a generator treat every capability alike.
func noNamesInProjections(t *tree) []string {
	names := map[string]bool{}
	for _, d := range declarations(t) {
		if !d.file.test && d.name != "" {
			names[d.name] = true
		}
	}
	var faults []string
	for _, f := range t.goes {
		if f.test || !under(f.dir, "projection") && !under(f.dir, "codegen") {
			continue
		}
		f.literals(func(n ast.Node, text string) {
			if names[text] {
				faults = append(faults, fmt.Sprintf("%s names the capability %q: a projection treats them alike", t.at(f, n), text))
			}
		})
	}
	return faults
}

func TestNoCapabilityNamesInProjections(t *testing.T) {
	declared := declaring("ListThings", "list_things")
	check(t, noNamesInProjections,
		fixture{"a special case", map[string]string{
			"capabilities/a/list_things.go": declared,
			"projection/cli/x.go":           "package cli\n\nfunc f(name string) bool { return name == \"list_things\" }\n",
		}, []string{`names the capability "list_things"`}},
		fixture{"in its own file", map[string]string{"capabilities/a/list_things.go": declared}, nil},
	)
}

// maxLines is how long a file may be for a person to read it.
const maxLines = 600

// smallFiles: no file that people write is over 600 lines.
func smallFiles(t *tree) []string {
	written := []string{".go", ".md", ".css", ".html", ".js", ".mjs", ".ts", ".tsx", ".sh", ".txt", ".txtar"}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		text := t.files[name]
		if !slices.Contains(written, path.Ext(name)) || strings.Contains(name, "testdata/") || marked(text) {
			continue
		}
		if n := strings.Count(text, "\n"); n > maxLines {
			faults = append(faults, fmt.Sprintf("%s has %d lines, at most %d are read with pleasure: split it by its nouns", name, n, maxLines))
		}
	}
	return faults
}

func TestSmallFiles(t *testing.T) {
	long := "// Package a is long.\npackage a\n" + strings.Repeat("\n", maxLines)
	check(t, smallFiles,
		fixture{"too long", map[string]string{"a/a.go": long}, []string{"a/a.go has 602 lines"}},
		fixture{"generated, or data", map[string]string{"a/a_gen.go": "// Code " + marker + ".\n" + long, "a/testdata/a.txt": long, "go.sum": long}, nil},
	)
}

// Written apart, so that this file does not name what it forbids.
var (
	folders     = []string{"/" + "work/", "/" + "tmp/", "/" + "root/"}
	machinePath = regexp.MustCompile(`(?:^|[^A-Za-z0-9._~$}-])(` + strings.Join(folders, "|") + `)[A-Za-z0-9._-]`)
	hosts       = []string{"registry." + "npmjs", "proxy." + "golang.org", "sum." + "golang.org", "pypi" + ".org"}
	locked      = regexp.MustCompile(`"resolved":\s*"http`)
)

// noMachine: nothing tracked knows the machine it was written on, or where its
// packages came from.
func noMachine(t *tree) []string {
	var faults []string
	suspicious := slices.Concat(folders, hosts, []string{`"resolved"`})
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		text := t.files[name]
		if !slices.ContainsFunc(suspicious, func(s string) bool { return strings.Contains(text, s) }) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			at := fmt.Sprintf("%s:%d", name, i+1)
			if m := machinePath.FindStringSubmatch(line); m != nil {
				faults = append(faults, fmt.Sprintf("%s names the folder %s of one machine", at, m[1]))
			}
			if locked.MatchString(line) {
				faults = append(faults, at+" keeps where a package was downloaded: make the lock with omit-lockfile-registry-resolved")
			}
			for _, h := range hosts {
				if strings.Contains(line, h) {
					faults = append(faults, fmt.Sprintf("%s names the registry %s", at, h))
				}
			}
		}
	}
	return faults
}

func TestNothingOfTheMachine(t *testing.T) {
	check(t, noMachine,
		fixture{"a folder of one machine", map[string]string{
			"a.md": "see /" + "work/x\n", "b.sh": "cd \"/" + "root/x\"\n", "c.go": "package c\n\nconst d = \"file:///" + "tmp/x\"\n",
		}, []string{"a.md:1", "b.sh:1", "c.go:3"}},
		fixture{"a lock with addresses", map[string]string{
			"package-lock.json": "{\n  \"resolved\": \"https://" + hosts[0] + ".org/x\"\n}\n",
		}, []string{"downloaded", "names the registry"}},
		fixture{"words that hold one", map[string]string{"a.md": "docs/work/x, ${HOME}/tmp/x, a root, /rooted, /workspace/a, the folder /tmp of every Unix\n"}, nil},
	)
}

// marker stands in the first line of a generated file.
const marker = "generated by holotype; DO NOT EDIT"

func marked(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.Contains(first, marker)
}

// generatedFolders hold nothing but generated files. The outsider's module has its own.
var generatedFolders = []string{
	"docs/reference", "openapi", "tests/testdata/cards", "web/client",
	"tests/outsider/docs/reference", "tests/outsider/openapi", "tests/outsider/tests/testdata/cards", "tests/outsider/web/client",
}

// generatedSaySo: a generated Go or Markdown file carries the marker, and no file
// that people write does. Data that programs read is known by its folder.
func generatedSaySo(t *tree) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		generated := strings.HasSuffix(name, "_gen.go") ||
			slices.ContainsFunc(generatedFolders, func(dir string) bool { return under(path.Dir(name), dir) })
		switch has := marked(t.files[name]); {
		case generated && !has && slices.Contains([]string{".go", ".md"}, path.Ext(name)):
			faults = append(faults, fmt.Sprintf("%s is generated and its first line does not say %q", name, marker))
		case has && !generated:
			faults = append(faults, fmt.Sprintf("%s says that it is generated, and stands where people write", name))
		}
	}
	return faults
}

func TestGeneratedFilesSaySo(t *testing.T) {
	check(t, generatedSaySo,
		fixture{"no marker", map[string]string{
			"a/comments_gen.go": "package a\n", "docs/reference/a.md": "# a\n", "tests/testdata/cards/b.md": "# b\n",
		}, []string{"a/comments_gen.go", "docs/reference/a.md", "tests/testdata/cards/b.md"}},
		fixture{"a marker out of place", map[string]string{"docs/a.md": "<!-- " + marker + " -->\n"}, []string{"where people write"}},
		fixture{"as it should be", map[string]string{
			"a/comments_gen.go": "// Code " + marker + ".\n\npackage a\n", "openapi/openapi.json": "{}\n", "openapi/openapi.yaml": "openapi: 3.1.0\n", "docs/reference/x/a.md": "<!-- " + marker + " -->\n",
		}, nil},
	)
}

var link = regexp.MustCompile(`\]\(([^)\s#]+)(?:#[^)\s]*)?\)`)

// linksLead: a link between documents leads to a file.
func linksLead(t *tree) []string {
	folders := map[string]bool{}
	for name := range t.files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if path.Ext(name) != ".md" || strings.Contains(name, "testdata/") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(t.files[name], -1) {
			target := path.Join(path.Dir(name), m[1])
			_, file := t.files[target]
			if strings.Contains(m[1], ":") || strings.HasPrefix(m[1], "/") || file || folders[target] {
				continue
			}
			faults = append(faults, fmt.Sprintf("%s links to %s, which does not exist", name, m[1]))
		}
	}
	return faults
}

func TestLinksLeadSomewhere(t *testing.T) {
	check(t, linksLead,
		fixture{"a file that is gone", map[string]string{"docs/a.md": "[b](b.md) and [c](../c/d.md#x)\n"}, []string{"b.md", "../c/d.md"}},
		fixture{"files, folders, anchors and addresses", map[string]string{
			"docs/a.md": "[a](a.md#x), [docs](../docs/), [self](#x), [far](https://example.com/x), [served](/docs/codes/x)\n",
		}, nil},
	)
}
