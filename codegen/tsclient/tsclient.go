package tsclient

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Folder is where [Files] belong in a repository, as a package for npm.
const Folder = "web/client"

// Kept are the files and folders within [Folder] that npm and the compiler make there.
func Kept() []string {
	return []string{Folder + "/dist", Folder + "/node_modules", Folder + "/package-lock.json"}
}

// About is what the package says beside the capabilities. The version must not change
// from build to build, or the files would.
type About struct {
	Name, Version     string // of the program; neither is empty
	Homepage, License string // an URL and an SPDX identifier; "" for none
	// Keyless says that the server keeps no operation keys: calls are sent without.
	Keyless bool
}

//go:embed runtime
var runtime embed.FS

// Files answers the client of an OpenAPI 3.1 document, by path relative to the output
// folder: its types, the table of its calls, and the runtime. The document is one that
// projection/httpapi/openapi wrote; codes are those of its registry, which say the base
// of each.
func Files(a About, doc []byte, codes []capabilities.CodeInfo) (map[string][]byte, error) {
	types, err := Types(doc)
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", Folder, err)
	}
	d := newDocument(doc)
	files := map[string][]byte{
		Folder + "/src/schema.ts": types,
		Folder + "/src/calls.ts":  d.calls(codes, !a.Keyless),
		Folder + "/README.md":     d.readme(a),
	}
	if files[Folder+"/package.json"], err = manifest(a); err != nil {
		return nil, fmt.Errorf("generating %s: %w", Folder, err)
	}
	files[Folder+"/tsconfig.json"] = []byte(compiler)
	sources, err := runtime.ReadDir("runtime")
	if err != nil {
		return nil, err
	}
	for _, f := range sources {
		source, err := runtime.ReadFile(path.Join("runtime", f.Name()))
		if err != nil {
			return nil, err
		}
		files[Folder+"/src/"+f.Name()] = slices.Concat([]byte("// "+markdown.Marker+"\n\n"), source)
	}
	return files, nil
}

// compiler is the configuration of the TypeScript compiler: as strict as it can be, so
// that the sources compile in every project.
const compiler = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": [],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noUncheckedIndexedAccess": true,
    "noImplicitOverride": true,
    "noImplicitReturns": true,
    "noFallthroughCasesInSwitch": true,
    "noUnusedLocals": true,
    "noUnusedParameters": true,
    "verbatimModuleSyntax": true,
    "isolatedModules": true,
    "erasableSyntaxOnly": true,
    "rewriteRelativeImportExtensions": true,
    "declaration": true,
    "rootDir": "src",
    "outDir": "dist"
  },
  "include": ["src"]
}
`

// compilerVersion is the version of TypeScript that the package is built with.
const compilerVersion = "5.9.3"

// PackageName answers the name of the npm package of a program.
func PackageName(program string) string { return strings.ToLower(program) + "-client" }

func manifest(a About) ([]byte, error) {
	type export struct {
		Types   string `json:"types"`
		Default string `json:"default"`
	}
	p := struct {
		Name        string            `json:"name"`
		Version     string            `json:"version"`
		Description string            `json:"description"`
		Homepage    string            `json:"homepage,omitempty"`
		License     string            `json:"license,omitempty"`
		Type        string            `json:"type"`
		Exports     map[string]export `json:"exports"`
		Files       []string          `json:"files"`
		SideEffects bool              `json:"sideEffects"`
		Engines     map[string]string `json:"engines"`
		Scripts     map[string]string `json:"scripts"`
		Developing  map[string]string `json:"devDependencies"`
	}{
		Name: PackageName(a.Name), Version: npmVersion(a.Version), Description: "Calls the capabilities of " + a.Name + ", with types",
		Homepage: a.Homepage, License: a.License, Type: "module",
		Exports:    map[string]export{".": {"./dist/index.d.ts", "./dist/index.js"}},
		Files:      []string{"dist", "src"},
		Engines:    map[string]string{"node": ">=20.3"},
		Scripts:    map[string]string{"build": "tsc", "prepare": "tsc"},
		Developing: map[string]string{"typescript": compilerVersion},
	}
	text, err := json.MarshalIndent(p, "", "  ")
	return append(text, '\n'), err
}

// npmVersion answers a version that npm takes: three numbers, and what follows a hyphen.
func npmVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	core, _, _ := strings.Cut(v, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 || slices.ContainsFunc(parts, func(p string) bool {
		return p == "" || strings.Trim(p, "0123456789") != "" || len(p) > 1 && p[0] == '0'
	}) {
		return "0.0.0"
	}
	return v
}
