package arch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A home is where a third party may be imported from outside tests.
type home struct {
	module string // and everything below it
	dirs   []string
	why    string
}

var homes = []home{
	{"github.com/danielgtaylor/huma/v2", []string{"projection/httpapi"}, "the HTTP surface alone knows how HTTP is routed"},
	{"github.com/go-chi/chi/v5", []string{"projection/httpapi"}, "the HTTP surface alone knows how HTTP is routed"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"projection/mcpserver", "capabilities/bridge", "internal/mcphook", "internal/signin"}, "the protocol stands at the two ends of MCP, in the sign-in to one of them, and tests may reach into one"},
	{"github.com/invopop/jsonschema", []string{"capabilities"}, "Go types become schemas in one place"},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"internal/schema"}, "there is one judge"},
	{"github.com/spf13/cobra", []string{"projection/cli", "cmd"}, "no type of the command line is in our contract"},
	{"github.com/spf13/pflag", []string{"projection/cli", "cmd"}, "no type of the command line is in our contract"},
	{"go.yaml.in/yaml/v4", []string{"internal/config", "internal/entrytext", "codegen"}, "YAML is read once, edited once and written once"},
	{"github.com/pelletier/go-toml/v2", []string{"internal/entrytext"}, "TOML is only in the files of clients"},
	{"github.com/yuin/goldmark", []string{"codegen/site"}, "Markdown is rendered where pages are served"},
	{"github.com/go-jose/go-jose/v4", []string{"internal/oauth"}, "signatures of others are checked in one place"},
	{"filippo.io/age", []string{"internal/secrets"}, "secrets are sealed in one place"},
	{"github.com/jmoiron/sqlx", []string{"internal/store", "internal/audit"}, "rows become structs where statements run"},
	{"github.com/mattn/go-sqlite3", []string{"internal/store/sqlite"}, "an engine is a folder, and packs need none"},
	{"github.com/jackc/pgx/v5", []string{"internal/store/postgres", "internal/store/storetest"}, "an engine is a folder, and its tests ask the server for themselves"},
	{"github.com/pressly/goose/v3", []string{"internal/store"}, "tables are made in one place"},
	{"golang.org/x/text", []string{"capabilities/tracker", "internal/store/postgres"}, "two spellings of one name are one where names are kept, and where they are looked for"},
	{"golang.org/x/sys", []string{"capabilities/bridge", "internal/datadir"}, "only processes and sockets need the system"},
	{"golang.org/x/term", []string{"", "projection/cli", "cmd"}, "only a command asks whether somebody is there"},
	{"golang.org/x/sync", []string{"", "capabilities", "projection", "internal", "codegen", "cmd"}, "it is what the standard library leaves out"},
}

// exact names homes that do not include the folders below them.
var exact = []string{"", "capabilities"}

// thirdPartiesAtHome: a package of another module is imported in its home alone.
func thirdPartiesAtHome(t *tree) []string {
	var faults []string
	importsOf(t, func(file *goFile, imported string) {
		first, _, _ := strings.Cut(imported, "/")
		if !strings.Contains(first, ".") || imported == module || strings.HasPrefix(imported, module+"/") {
			return
		}
		i := slices.IndexFunc(homes, func(h home) bool { return under(imported, h.module) })
		switch {
		case i < 0:
			faults = append(faults, fmt.Sprintf("%s imports %s, which has no home: write a decision record and give it one here", file.path, imported))
		case !homes[i].holds(file.dir):
			faults = append(faults, fmt.Sprintf("%s imports %s, whose home is %s: %s", file.path, imported, strings.Join(homes[i].dirs, ", "), homes[i].why))
		}
	})
	return faults
}

func (h home) holds(dir string) bool {
	return slices.ContainsFunc(h.dirs, func(d string) bool {
		return dir == d || !slices.Contains(exact, d) && under(dir, d)
	})
}

func TestThirdPartiesAtHome(t *testing.T) {
	source := func(imported string) string { return fmt.Sprintf("package x\n\nimport _ %q\n", imported) }
	check(t, thirdPartiesAtHome,
		fixture{"a router in a pack", map[string]string{
			"capabilities/system/x.go": source("github.com/go-chi/chi/v5/middleware"),
		}, []string{"whose home is projection/httpapi: the HTTP surface alone"}},
		fixture{"reflection in a pack", map[string]string{
			"capabilities/system/x.go": source("github.com/invopop/jsonschema"),
		}, []string{"whose home is capabilities"}},
		fixture{"the command line in the root", map[string]string{
			"x.go": source("github.com/spf13/cobra"),
		}, []string{"no type of the command line"}},
		fixture{"a stranger", map[string]string{
			"internal/wire/x.go": source("example.com/assert"),
		}, []string{"which has no home"}},
		fixture{"a module whose name begins alike", map[string]string{
			"projection/httpapi/x.go": source("github.com/go-chi/chi/v55"),
		}, []string{"which has no home"}},
		fixture{"at home, and in a test", map[string]string{
			"projection/httpapi/x.go":       source("github.com/go-chi/chi/v5"),
			"capabilities/system/x_test.go": source("github.com/google/go-cmp/cmp"),
		}, nil},
	)
}

var requirement = regexp.MustCompile(`(?m)^\s*(?:require\s+)?([a-z0-9.-]+\.[a-z]+/\S+) v\S+[ \t]*$`)

// dependenciesRecorded: a decision record names every direct requirement.
func dependenciesRecorded(t *tree) []string {
	var records strings.Builder
	for name, text := range t.files {
		if strings.HasPrefix(name, "docs/decisions/") {
			records.WriteString(text)
		}
	}
	var faults []string
	for _, m := range requirement.FindAllStringSubmatch(t.files["go.mod"], -1) {
		if !strings.Contains(records.String(), m[1]+" ") {
			faults = append(faults, fmt.Sprintf("go.mod requires %s, which no record in docs/decisions names", m[1]))
		}
	}
	return faults
}

func TestDependenciesAreRecorded(t *testing.T) {
	const mod = "module x\n\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b/v2 v2.0.0\n\texample.com/c v1.0.0 // indirect\n)\n\nrequire example.com/d v1.0.0\n"
	check(t, dependenciesRecorded,
		fixture{"two of three have no record", map[string]string{
			"go.mod": mod, "docs/decisions/0001-x.md": "| example.com/b/v2 v2.0.0 | home |\n",
		}, []string{"requires example.com/a,", "requires example.com/d,"}},
		fixture{"indirect ones need none", map[string]string{"go.mod": "require example.com/c v1.0.0 // indirect\n"}, nil},
	)
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath string
	Standard   bool
	CgoFiles   []string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// list asks the go command about the module's packages and all they stand on, with
// cgo allowed, so that it shows where it is used.
func list() ([]listed, error) {
	cmd := exec.Command("go", "list", "-tags", "sqlite_fts5", "-deps", "-json=ImportPath,Standard,CgoFiles,GoFiles,Imports,Deps", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.Bytes())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listed
		switch err := dec.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, one)
	}
}

// withoutCgo: the vocabulary, the packs and the surfaces need no C compiler, so that
// a program made of them is built for another system with one command. The standard
// library's own use of cgo has a fallback and does not count.
func withoutCgo(all []listed) []string {
	cgo := map[string]bool{}
	for _, p := range all {
		cgo[p.ImportPath] = !p.Standard && len(p.CgoFiles) > 0
	}
	var faults []string
	for _, p := range all {
		rel := strings.TrimPrefix(p.ImportPath, module+"/")
		if !under(rel, "capabilities") && !under(rel, "projection") {
			continue
		}
		for _, dep := range append([]string{p.ImportPath}, p.Deps...) {
			if cgo[dep] {
				faults = append(faults, fmt.Sprintf("%s stands on %s, which needs cgo", rel, dep))
			}
		}
	}
	return faults
}

func TestNoCgoBelowTheRoot(t *testing.T) {
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("go list named no package")
	}
	for _, fault := range withoutCgo(all) {
		t.Error(fault)
	}
	broken := withoutCgo([]listed{
		{ImportPath: "example.com/sqlite", CgoFiles: []string{"x.go"}},
		{ImportPath: "net", Standard: true, CgoFiles: []string{"cgo.go"}},
		{ImportPath: module + "/projection/cli", Deps: []string{"net", "example.com/sqlite"}},
		{ImportPath: module + "/capabilities/system", CgoFiles: []string{"c.go"}},
		{ImportPath: module + "/internal/store", Deps: []string{"example.com/sqlite"}},
	})
	if len(broken) != 2 {
		t.Errorf("the rule finds %d faults in a module that has 2: %q", len(broken), broken)
	}
}
