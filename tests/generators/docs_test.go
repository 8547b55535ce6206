package generators_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// page is what tells people how to call from a program.
const page = "../../docs/clients.md"

// block answers the first block of a language of the page.
func block(t *testing.T, language, holds string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], holds) {
			return m[1]
		}
	}
	t.Fatalf("%s has no block of %s with %q", page, language, holds)
	return ""
}

// The way of the page with Go is gone: its command makes a client, and its program
// compiles with it, with the version that is named.
func TestTheProgramOfThePageCompiles(t *testing.T) {
	set, err := holotype.New(holotype.Options{}).Generate()
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t, nil)
	commands := block(t, "sh", "go tool oapi-codegen")
	version := regexp.MustCompile(`oapi-codegen/v2/cmd/oapi-codegen@(\S+)`).FindStringSubmatch(commands)
	mod, err := os.ReadFile("golang/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if version == nil || !strings.Contains(string(mod), "github.com/oapi-codegen/oapi-codegen/v2 "+version[1]+" ") {
		t.Errorf("the page names another version than golang/go.mod: %q", version)
	}
	program := filepath.Join(dir, "page")
	write(t, filepath.Join(program, "openapi.json"), set.Files["openapi/openapi.json"])
	write(t, filepath.Join(program, "main.go"), []byte(strings.Replace(block(t, "go", "package main"), "example.com/yours/", "example.com/generators/page/", 1)))
	write(t, filepath.Join(program, "client/doc.go"), []byte("// Package client is generated.\npackage client\n"))
	_, generate, _ := strings.Cut(commands, "mkdir -p client && ")
	if err := steps(t, program, append([]string{"generate"}, strings.Fields(generate)...), words("compile go vet .")); err != nil {
		t.Error(err)
	}
}
