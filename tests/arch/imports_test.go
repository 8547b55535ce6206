package arch_test

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"testing"
)

// A ranked row gives the packages at or below a folder their rank. The first row
// that fits counts.
type ranked struct {
	dir  string // "" is the root package alone
	tree bool   // everything below, too
	rank int
	why  string
}

var ranks = []ranked{
	{"cmd", true, 7, "a program is the library's first user and nothing else"},
	{"codegen", false, 5, "the writer of generated files knows none of them"},
	{"codegen/reference", true, 4, "its pages are written by one package and served by another, so it stands below both"},
	{"codegen", true, 5, "a generator describes every surface, so it stands above them"},
	{"projection/catalogue", true, 2, "rows are what packs and surfaces are made of"},
	{"projection/httpapi/openapi", true, 3, "the document of a surface stands below the surface"},
	{"projection/inspect", true, 3, "it judges what the bridge observes, and surfaces show it"},
	{"projection", true, 4, "no surface knows another, and none knows who decides"},
	{"capabilities/bridge", true, 2, "the bridge is a source of capabilities and knows no pack"},
	{"capabilities/openapi", true, 3, "it speaks for servers that the bridge presents, and knows no pack"},
	{"capabilities", false, 0, "the vocabulary stands on nothing but the judge of JSON"},
	{"capabilities", true, 3, "no pack knows another pack, or a surface"},
	{"internal/gate", true, 2, "it decides about capabilities"},
	{"internal/ledger", true, 2, "it keeps calls of capabilities"},
	{"internal/identity", true, 2, "it answers principals"},
	{"internal/approval", true, 2, "it makes calls of capabilities wait"},
	{"internal/grant", true, 2, "it keeps what principals were granted"},
	{"internal/ratelimit", true, 2, "it refuses calls of capabilities"},
	{"internal/oauth", true, 2, "it answers principals"},
	{"internal/authserver", true, 3, "it makes tokens of identity for clients"},
	{"internal/audit", true, 2, "it intercepts calls of capabilities"},
	{"internal/telemetry", true, 2, "it intercepts calls of capabilities, and sends what is counted"},
	{"internal/schema", true, -1, "it judges JSON and knows no capability"},
	{"internal/rawjson", true, -1, "it finds parts of JSON and knows nobody"},
	{"internal/entrytext", true, 0, "it edits text and knows no client"},
	{"internal/clientconf", true, 2, "it finds credentials by the words of config"},
	{"internal/adopt", true, 3, "it makes a configuration of what clients have"},
	{"internal/signin", true, 2, "it refuses what callers ask, and waits for what runs"},
	{"internal/publicnet", true, -1, "it judges addresses and knows nobody"},
	{"internal/unseen", true, -1, "it judges characters and knows nobody"},
	{"internal/plainfile", true, -1, "it reads bytes and knows nobody"},
	{"internal/broadcast", true, -1, "it wakes whoever waits and knows nobody"},
	{"internal/durable", true, -1, "it writes bytes and knows nobody"},
	{"internal/store/storetest", true, 3, "it opens stores on any engine"},
	{"internal/store", false, 1, "it knows no engine and no pack"},
	{"internal/store", true, 2, "an engine is one of several, and the store knows none"},
	{"internal", true, 1, "one noun each, below everything that composes them"},
	{"web", true, 1, "embedded files know nobody"},
	{"docs", true, 1, "embedded files know nobody"},
	{"", false, 6, "the one place that knows every part"},
}

func rankOf(dir string) (ranked, bool) {
	for _, r := range ranks {
		if dir == r.dir || r.tree && under(dir, r.dir) {
			return r, true
		}
	}
	return ranked{}, false
}

// importsOf calls f for every import of a Go file that is not a test.
func importsOf(t *tree, f func(file *goFile, imported string)) {
	for _, file := range t.goes {
		if file.test {
			continue
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				f(file, imported)
			}
		}
	}
}

// importsPointDown: a package imports only packages of a strictly lower rank.
func importsPointDown(t *tree) []string {
	var faults []string
	importsOf(t, func(file *goFile, imported string) {
		if imported != module && !strings.HasPrefix(imported, module+"/") {
			return
		}
		target := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
		from, ok := rankOf(file.dir)
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: its folder has no rank: give it one in the table of this test", file.path))
			return
		}
		to, ok := rankOf(target)
		switch {
		case under(target, "tests"):
			faults = append(faults, fmt.Sprintf("%s imports %s: tests are imported by nobody", file.path, target))
		case !ok:
			faults = append(faults, fmt.Sprintf("%s imports %s, which has no rank: give it one in the table of this test", file.path, target))
		case to.rank >= from.rank:
			faults = append(faults, fmt.Sprintf("%s (rank %d) imports %s (rank %d): %s; move what both need down",
				file.path, from.rank, path.Clean(target), to.rank, from.why))
		}
	})
	return faults
}

func TestImportsPointDown(t *testing.T) {
	source := func(name, imported string) string {
		return fmt.Sprintf("package %s\n\nimport _ %q\n", name, imported)
	}
	check(t, importsPointDown,
		fixture{"a surface imports a surface", map[string]string{
			"projection/cli/x.go": source("cli", module+"/projection/httpapi"),
		}, []string{"no surface knows another"}},
		fixture{"a surface imports a pack", map[string]string{
			"projection/cli/x.go": source("cli", module+"/capabilities/system"),
		}, nil},
		fixture{"a surface imports the bridge and the catalogue", map[string]string{
			"projection/cli/x.go": source("cli", module+"/capabilities/bridge"),
			"projection/cli/y.go": source("cli", module+"/projection/catalogue"),
		}, nil},
		fixture{"a pack imports a pack", map[string]string{
			"capabilities/system/x.go": source("system", module+"/capabilities/tracker"),
		}, []string{"no pack knows another"}},
		fixture{"a pack imports a surface", map[string]string{
			"capabilities/system/x.go": source("system", module+"/projection/httpapi"),
		}, []string{"no pack knows another pack, or a surface"}},
		fixture{"the vocabulary imports what stands on it", map[string]string{
			"capabilities/x.go": source("capabilities", module+"/internal/wire"),
		}, []string{"(rank 0) imports internal/wire (rank 1)"}},
		fixture{"the vocabulary imports the judge", map[string]string{
			"capabilities/x.go": source("capabilities", module+"/internal/schema"),
		}, nil},
		fixture{"the judge imports the vocabulary", map[string]string{
			"internal/schema/x.go": source("schema", module+"/capabilities"),
		}, []string{"knows no capability"}},
		fixture{"a part imports the composition root", map[string]string{
			"codegen/card/x.go": source("card", module),
		}, []string{"(rank 5) imports . (rank 6)"}},
		fixture{"a program imports tests", map[string]string{
			"cmd/holotype/x.go": source("main", module+"/tests/bench"),
		}, []string{"tests are imported by nobody"}},
		fixture{"a folder nobody ranked", map[string]string{
			"extra/x.go": source("extra", module+"/capabilities"),
		}, []string{"its folder has no rank"}},
		fixture{"a test imports what it likes", map[string]string{
			"capabilities/x_test.go": source("capabilities_test", module+"/projection/httpapi"),
			"tests/e2e/x.go":         source("e2e", module),
		}, nil},
		fixture{"a file of another system", map[string]string{
			"internal/wire/x_windows.go": source("wire", module+"/projection/cli"),
		}, []string{"internal/wire/x_windows.go"}},
	)
}
