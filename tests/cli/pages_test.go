package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// The commands of a page do what it says, one after the other in one shell, beside a
// server with the seats that it names.
func TestPagesOfCommands(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("there is no curl, which the pages have their readers use")
	}
	for name, c := range map[string]struct {
		config string
		before string // what the reader of the page has done
		says   []string
	}{
		"tokens.md": {"seats:\n  - id: builder\n", "holotype call create_project --key WEB --title Web\n", []string{"\nhlt_", " ci ", "seat builder", "is revoked since"}},
		"backup.md": {"", "holotype call create_project --key WEB --title Web\n", []string{"wrote ", "everything agrees", " all.ndjson", "backup_store"}},
		"grants.md": {"seats:\n  - id: builder\n    scopes: [\"tracker:read\"]\n", "", []string{`"status":"pending"`, "granted", "seat:builder", "revoked"}},
	} {
		t.Run(name, func(t *testing.T) { runPage(t, name, c.config, c.before, c.says) })
	}
}

func runPage(t *testing.T, name, settings, before string, says []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString(before)
	blocks := 0
	for _, block := range shellBlock.FindAllSubmatch(page, -1) {
		blocks++
		script.Write(block[1])
	}
	if blocks < 4 {
		t.Fatalf("only %d blocks of commands were found", blocks)
	}
	home := t.TempDir()
	config := filepath.Join(home, "config.yaml")
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "GORACE="+goRace)
	server := newProcess(exec.Command("holotype", "serve", "--listen", "127.0.0.1:0", "--config", config))
	server.cmd.Env = env
	if err := server.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.kill)
	if !server.out.Await(address) {
		t.Fatalf("the server does not say where it serves:\n%s\n%s", server.out.Text(), server.err.Text())
	}
	text := strings.ReplaceAll(script.String(), "http://127.0.0.1:4280", address.FindString(server.out.Text()))
	shell := exec.CommandContext(t.Context(), "sh", "-eux", "-c", text)
	shell.Env, shell.Dir = env, t.TempDir() // the pages write files where they are read
	var out, errw bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &errw
	if err := shell.Run(); err != nil {
		t.Fatalf("%v:\n%s\n%s", err, out.String(), errw.String())
	}
	for _, want := range says {
		if !strings.Contains("\n"+out.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, out.String())
		}
	}
}
