package generators_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs one program for a step and answers its standard output.
func run(t *testing.T, dir, step string, line ...string) (string, error) {
	t.Helper()
	return pipe(t, dir, step, nil, line...)
}

// pipe runs one program with a standard input.
func pipe(t *testing.T, dir, step string, in []byte, line ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(in)
	// The module has what it needs written down, and the paths of this run are no part of
	// what the go command keeps.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly -trimpath -buildvcs=false", "GOWORK=off", "NO_COLOR=1")
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	if err := cmd.Run(); err != nil {
		return "", &fault{step, err, out.String() + errw.String()}
	}
	return out.String(), nil
}

// module copies the Go module of this folder, with a document beside it, to where
// code is generated into it.
func module(t *testing.T, doc []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("golang")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "document.json"), doc)
	return dir
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// steps runs command lines in a folder until one fails.
func steps(t *testing.T, dir string, lines ...[]string) error {
	t.Helper()
	for _, line := range lines {
		if _, err := run(t, dir, line[0], line[1:]...); err != nil {
			return err
		}
	}
	return nil
}

func words(text string) []string { return strings.Fields(text) }

func buildOapi(t *testing.T, doc []byte) ([]string, error) {
	dir := module(t, doc)
	write(t, filepath.Join(dir, "oapi/client/doc.go"), []byte("// Package client is generated.\npackage client\n"))
	return []string{filepath.Join(dir, "program")}, steps(t, dir,
		words("generate go tool oapi-codegen -generate types,client -package client -o oapi/client/client.go document.json"),
		words("compile go build -o program ./oapi"),
	)
}

func buildOgen(t *testing.T, doc []byte) ([]string, error) {
	dir := module(t, doc)
	return []string{filepath.Join(dir, "program")}, steps(t, dir,
		words("generate go tool ogen -config ogen/config.yml -loglevel error -clean -package client -target ogen/client document.json"),
		words("compile go build -o program ./ogen"),
	)
}

func buildTypeScript(t *testing.T, doc []byte) ([]string, error) {
	dir := beside(t, doc, map[string]string{"client.ts": "client.ts", "tsconfig.json": "tsconfig.json", "package.json": "package.json"})
	return []string{"node", filepath.Join(dir, "client.js")}, steps(t, dir,
		words("generate node node_modules/openapi-typescript/bin/cli.js document.json --output document.ts --default-non-nullable=false"),
		words("compile node node_modules/typescript/bin/tsc --project ."),
	)
}

// beside copies files of this folder to where the packages of npm and the document stand.
func beside(t *testing.T, doc []byte, files map[string]string) string {
	t.Helper()
	install(t)
	here, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(here, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for from, to := range files {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), data)
	}
	write(t, filepath.Join(dir, "document.json"), doc)
	return dir
}

// install installs the npm packages of this folder where they are missing. Without
// node or npm the test is skipped, and fails in CI.
func install(t *testing.T) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not in the PATH, and CI must not go without it", program)
			}
			t.Skipf("SKIPPED: %s is not in the PATH, so no client in TypeScript is generated; install node 20 or newer", program)
		}
	}
	if _, err := os.Stat("node_modules/.package-lock.json"); err == nil {
		return
	}
	if _, err := run(t, "", "install", words("npm ci --no-audit --no-fund --loglevel=error")...); err != nil {
		t.Fatal(err)
	}
}
