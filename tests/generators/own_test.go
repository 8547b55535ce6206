package generators_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/codegen/tsclient"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// buildOwn compiles the client that the product generates, beside the types that
// openapi-typescript makes of the same document: they are the same, or nothing compiles.
func buildOwn(t *testing.T, doc []byte) ([]string, error) {
	return buildOwnTyped(t, doc, func(types []byte) []byte { return types })
}

// buildOther is buildOwn with one type that is another.
func buildOther(t *testing.T, doc []byte) ([]string, error) {
	return buildOwnTyped(t, doc, func(types []byte) []byte {
		return bytes.Replace(types, []byte("next_cursor?: string;"), []byte("next_cursor?: string | null;"), 1)
	})
}

func buildOwnTyped(t *testing.T, doc []byte, typed func([]byte) []byte) ([]string, error) {
	t.Helper()
	codes := capabilities.CodesOf(fixture.Pack.Describe(), system.Pack.Describe(), tracker.Pack.Describe())
	files, err := tsclient.Files(tsclient.About{Name: "holotype", Version: "1.2.3"}, doc, codes)
	if err != nil {
		return nil, &fault{"generate", err, ""}
	}
	dir := beside(t, doc, map[string]string{"own.ts": "own.ts", "equal.ts": "equal.ts", "own.json": "tsconfig.json", "package.json": "package.json"})
	files[tsclient.Folder+"/src/schema.ts"] = typed(files[tsclient.Folder+"/src/schema.ts"])
	for name, data := range files {
		rel, err := filepath.Rel(tsclient.Folder, name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "client", rel), data)
	}
	return []string{"node", filepath.Join(dir, "own.js")}, steps(t, dir,
		words("generate node node_modules/openapi-typescript/bin/cli.js document.json --output document.ts --default-non-nullable=false"),
		words("compile node node_modules/typescript/bin/tsc --project ."),
	)
}

// The package of this repository compiles as strictly as its own configuration says, what
// comes out runs on the oldest Node that it is for, and the test of it in tests/clients has
// the types that it seems to have.
func TestThePackageCompiles(t *testing.T) {
	dir := beside(t, nil, map[string]string{"package.json": "package.json", "../clients/typescript.ts": "tests/clients/typescript.ts"})
	if err := os.CopyFS(filepath.Join(dir, tsclient.Folder), os.DirFS(filepath.Join("../..", tsclient.Folder))); err != nil {
		t.Fatal(err)
	}
	example := strings.Replace(block(t, "ts", "createClient"), `"holotype-client"`, `"../web/client/src/index.ts"`, 1)
	write(t, filepath.Join(dir, "tests/page.ts"), []byte(example))
	write(t, filepath.Join(dir, "tsconfig.json"), []byte(`{"extends":"./web/client/tsconfig.json","compilerOptions":{"rootDir":".","outDir":"out"},"include":["tests"]}`))
	write(t, filepath.Join(dir, "run.mjs"), []byte(`import { createClient } from "./web/client/dist/index.js";
const answer = await createClient({ baseUrl: "http://x", fetch: async (url) => new Response(JSON.stringify({ items: [url] }), { headers: { "Content-Type": "application/json" } }) }).must("list_projects", { limit: 1 });
process.stdout.write(JSON.stringify(answer));
`))
	if err := steps(t, dir,
		words("package node node_modules/typescript/bin/tsc --project web/client"),
		words("test node node_modules/typescript/bin/tsc --project ."),
	); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, dir, "run", "node", "run.mjs"); err != nil || out != `{"items":["http://x/api/v1/projects?limit=1"]}` {
		t.Errorf("it answers %s, %v", out, err)
	}
}
