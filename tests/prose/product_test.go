package prose_test

import (
	"encoding/json"
	"fmt"
	"go/build"
	"log/slog"
	"maps"
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
	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// A product is what there is.
type product struct {
	truth    prose.Truth
	files    map[string]string // the text files of the tree, by their paths
	folders  map[string]bool
	methods  []string               // of MCP, served or known and refused
	targets  []string               // of the Makefile
	symbols  map[string][]string    // a package of ours -> its exported names
	standard func(path string) bool // whether it is a package of the standard library
	synonyms map[string]string      // a word that is not used -> the one that is
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
	var err error
	if p.truth, err = server.Truth(t.Context()); err != nil {
		t.Fatal(err)
	}
	facts, err := system.DescribeProjection.Call(t.Context(), server, capabilities.OwnerPrincipal(), system.DescribeProjectionInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range facts.Surfaces {
		if s.Surface != string(capabilities.HTTP) {
			p.methods = slices.Concat(p.methods, s.MethodsServed, s.MethodsRefused)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`).FindAllStringSubmatch(p.files["Makefile"], -1) {
		p.targets = append(p.targets, m[1])
	}
	p.record(t)
	p.standard = func(name string) bool {
		info, err := os.Stat(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(name)))
		return name != "" && err == nil && info.IsDir()
	}
	p.synonyms = synonyms(p.files[vocabulary])
	constants, members := p.scan()
	p.truth.Words = slices.Concat(p.truth.Words, constants, members, stored(p.files))
	return p
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
			p.truth.Recorded = append(p.truth.Recorded, fmt.Sprintf("%s__%s", strings.TrimSuffix(server, ".json"), tool.Name))
		}
	}
	p.truth.Bridged = true
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
