package clients_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is generated of a running configuration is the same, whether its server runs or is
// started for it, in every folder and time zone; the bridged tools are in it, and its client
// calls them.
func TestGeneratedOfARunningConfiguration(t *testing.T) {
	s, all := serve(t, t.TempDir())
	attached, alone := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "a longer", "name ü")
	var both sync.Mutex
	said := map[string]string{}
	t.Run("generate", func(t *testing.T) {
		for _, run := range []struct {
			out, zone, locale string
			args              []string
		}{
			{attached, "Asia/Tokyo", "C", []string{"--data", s.Data}},
			{alone, "America/St_Johns", "de_DE.UTF-8", []string{"--data", ":memory:", "--mcp-config", clientFile(t, all)}},
		} {
			t.Run(run.zone, func(t *testing.T) {
				t.Parallel()
				cmd := exec.CommandContext(t.Context(), os.Getenv(programEnv), append([]string{"generate", "--running", "--out", run.out}, run.args...)...)
				cmd.Env = append(os.Environ(), "TZ="+run.zone, "LC_ALL="+run.locale, "LANG="+run.locale)
				var out, errw bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errw
				if err := cmd.Run(); err != nil {
					t.Fatalf("%v\n%s", err, &errw)
				}
				both.Lock()
				said[run.out] = errw.String()
				both.Unlock()
			})
		}
	})
	first, second := tree(t, attached), tree(t, alone)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("they differ:\n%s", diff)
	}
	if !strings.Contains(said[alone], "missing") {
		t.Errorf("nothing is said of the server that does not come: %q", said[alone])
	}
	for _, name := range []string{
		"server.json", "mcpb/manifest.json", "openapi/openapi.json", "openapi/openapi.yaml", "docs/reference/README.md", "docs/reference/llms.txt", "docs/reference/bridged.md",
		"docs/reference/capabilities/everything__echo.md", "man/man1/holotype.1", "man/man1/holotype-secrets-set.1", "man/man1/holotype-call-everything__echo.1",
		"completions/bash/holotype", "completions/zsh/_holotype", "completions/fish/holotype.fish", "completions/powershell/holotype.ps1", "web/client/src/index.ts",
	} {
		if first[name] == "" {
			t.Errorf("there is no %s", name)
		}
	}
	for _, name := range []string{"openapi/openapi.json", "mcpb/manifest.json", "docs/reference/bridged.md", "web/client/src/calls.ts"} {
		if !strings.Contains(first[name], "everything__echo") || !strings.Contains(first[name], "filesystem__read_text_file") {
			t.Errorf("%s lacks the bridged tools", name)
		}
	}
	script := filepath.Join(attached, "call.mjs")
	source := `import { createClient } from "./web/client/src/index.ts";
const client = createClient({ baseUrl: process.argv[2], token: process.argv[3] });
const echoed = await client.must("everything__echo", { message: "hello" });
const refused = await client.call("everything__echo", {});
process.stdout.write(JSON.stringify([echoed.content[0].text, refused.refusal.code]));
`
	if err := os.WriteFile(script, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), newNode(t), script, s.URL, s.Token)
	var errw bytes.Buffer
	cmd.Stderr = &errw
	if out, err := cmd.Output(); err != nil || string(out) != `["Echo: hello","invalid"]` {
		t.Errorf("its client answers %s, %v\n%s", out, err, &errw)
	}
}

// tree answers the files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
