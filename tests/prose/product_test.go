package prose_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/build"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// A product is what there is.
type product struct {
	files      map[string]string // the text files of the tree, by their paths
	folders    map[string]bool
	names      []string            // every tool-shaped word that is one: capabilities first, then codes, keys, members, events
	tools      []string            // the capabilities
	codes      []string            // of refusals
	commands   map[string][]string // a command's path -> its flags; "" is the program itself
	toolFlag   func(tool string) []string
	recorded   []string               // tools of recorded servers, exposed
	transports []string               // the ways to reach MCP
	methods    []string               // of MCP, served or known and refused
	routes     []string               // METHOD and pattern
	answers    func(path string) bool // whether a GET of a path leads somewhere
	targets    []string               // of the Makefile
	symbols    map[string][]string    // a package of ours -> its exported names
	standard   func(path string) bool // whether it is a package of the standard library
	synonyms   map[string]string      // a word that is not used -> the one that is
}

// sorted answers the paths of the files in order.
func (p *product) sorted() []string { return slices.Sorted(maps.Keys(p.files)) }

// served answers the product that this tree makes.
func served(t *testing.T) *product {
	t.Helper()
	p := &product{files: tree(t), folders: map[string]bool{}}
	for name := range p.files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			p.folders[dir] = true
		}
	}
	server := holotype.New(holotype.Options{
		Data: holotype.InMemory, Log: slog.New(slog.DiscardHandler),
		Lookup: func(string) (string, bool) { return "", false },
	})
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	p.ask(t, server)
	p.help(t, server)
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(p.files["Makefile"], -1) {
		p.targets = append(p.targets, m[1])
	}
	p.record(t)
	p.standard = func(name string) bool {
		info, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(name)))
		return name != "" && err == nil && info.IsDir()
	}
	p.synonyms = synonyms(p.files["docs/vocabulary.md"])
	events, members := p.scan()
	p.names = slices.Concat(p.tools, p.codes, configKeys(t), p.transports, members, events, stored(p.files))
	return p
}

// ask takes from a running server its capabilities, codes, routes and methods.
func (p *product) ask(t *testing.T, server *holotype.Server) {
	t.Helper()
	owner := capabilities.OwnerPrincipal()
	tools, err := server.Client(owner).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		p.tools = append(p.tools, tool.Name)
		detail, err := system.GetTool.Call(t.Context(), server, owner, system.GetToolInput{Name: tool.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range detail.Refusals {
			p.codes = append(p.codes, r.Code)
		}
	}
	for _, c := range capabilities.BaseCodes() {
		p.codes = append(p.codes, string(c.Code))
	}
	slices.Sort(p.codes)
	p.codes = slices.Compact(p.codes)
	facts, err := system.DescribeProjection.Call(t.Context(), server, owner, system.DescribeProjectionInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range facts.Surfaces {
		if s.Surface == string(capabilities.HTTP) {
			p.routes = append(p.routes, s.MethodsServed...)
		} else {
			for _, way := range s.Transports {
				p.transports = append(p.transports, way.Name)
			}
			p.methods = slices.Concat(p.methods, s.MethodsServed, s.MethodsRefused)
		}
	}
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	token, err := server.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	p.answers = remember(func(path string) bool {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4280"+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code != http.StatusNotFound
	})
}

// remember answers f that asks once for each value.
func remember[V any](f func(string) V) func(string) V {
	known := map[string]V{}
	return func(s string) V {
		if _, ok := known[s]; !ok {
			known[s] = f(s)
		}
		return known[s]
	}
}

// help reads the commands and their flags from what the program says about itself.
func (p *product) help(t *testing.T, server *holotype.Server) {
	t.Helper()
	ask := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := server.Command().Run(t.Context(), append(args, "--help"), strings.NewReader(""), &out, &errs); code != 0 {
			t.Fatalf("holotype %s --help: exit status %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return out.String()
	}
	p.commands = map[string][]string{}
	var walk func(at []string)
	walk = func(at []string) {
		text := ask(at...)
		p.commands[strings.Join(at, " ")] = flagsOf(text)
		for _, sub := range commandsOf(text) {
			if sub != "help" {
				walk(append(slices.Clone(at), sub))
			}
		}
	}
	walk(nil)
	p.commands["help"] = []string{"--help"}
	p.toolFlag = remember(func(tool string) []string { return flagsOf(ask("call", tool)) })
}

var (
	flagLine    = regexp.MustCompile(`(?m)^ {2,6}(?:-[a-z], )?(--[a-z][a-z-]*)`)
	shortFlag   = regexp.MustCompile(`(?m)^ {2,6}(-[a-z]), --`)
	commandHead = regexp.MustCompile(`(?m)^Available Commands:\n((?:  \S.*\n)+)`)
	commandRow  = regexp.MustCompile(`(?m)^  (\S+)`)
)

func flagsOf(help string) []string {
	var all []string
	for _, re := range []*regexp.Regexp{flagLine, shortFlag} {
		for _, m := range re.FindAllStringSubmatch(help, -1) {
			all = append(all, m[1])
		}
	}
	return all
}

func commandsOf(help string) []string {
	var all []string
	if m := commandHead.FindStringSubmatch(help); m != nil {
		for _, row := range commandRow.FindAllStringSubmatch(m[1], -1) {
			all = append(all, row[1])
		}
	}
	return all
}

// record takes the tools of the recorded servers, as they are exposed.
func (p *product) record(t *testing.T) {
	t.Helper()
	for _, name := range p.sorted() {
		server, ok := strings.CutPrefix(name, "tests/testdata/wire/")
		if !ok || path.Ext(server) != ".json" {
			continue
		}
		var answer struct {
			Result struct {
				Tools []struct{ Name string }
			}
		}
		if err := json.Unmarshal([]byte(p.files[name]), &answer); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, tool := range answer.Result.Tools {
			p.recorded = append(p.recorded, fmt.Sprintf("%s__%s", strings.TrimSuffix(server, ".json"), tool.Name))
		}
	}
}

// configKeys answers the keys of the configuration file.
func configKeys(t *testing.T) []string {
	t.Helper()
	text, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return properties(t, text)
}

// stored answers the names that the schema files declare: tables, columns, indexes.
func stored(files map[string]string) (names []string) {
	comment, word := regexp.MustCompile(`(?m)--.*$`), regexp.MustCompile(`\b[a-z]+(?:_[a-z0-9]+)+\b`)
	for name, text := range files {
		if path.Ext(name) == ".sql" {
			names = append(names, word.FindAllString(comment.ReplaceAllString(text, ""), -1)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// properties answers the names below every "properties" of a JSON document.
func properties(t *testing.T, text []byte) []string {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var all []string
	var walk func(at any)
	walk = func(at any) {
		switch at := at.(type) {
		case []any:
			for _, v := range at {
				walk(v)
			}
		case map[string]any:
			for k, v := range at {
				if m, ok := v.(map[string]any); ok && k == "properties" {
					all = append(all, slices.Sorted(maps.Keys(m))...)
				}
				walk(v)
			}
		}
	}
	walk(document)
	return slices.Compact(slices.Sorted(slices.Values(all)))
}
