package clients_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// inspector is the command line of a version of the MCP Inspector, for one target.
type inspector struct {
	node string
	args []string
}

// run answers what it printed and its status. It has a home of its own, where it
// keeps what it keeps.
func (i inspector) run(t *testing.T, words ...string) (out, errw []byte, exit int) {
	t.Helper()
	cmd := exec.Command(i.node, append(slices.Clip(i.args), words...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	var status *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &status) {
		t.Fatal(err)
	}
	return o.Bytes(), e.Bytes(), cmd.ProcessState.ExitCode()
}

// The MCP Inspector lists, calls and is refused.
func TestInspector(t *testing.T) {
	packages(t)
	s := drive.Spawn(t, os.Getenv(programEnv))
	// The old one has no option for a header, so over HTTP it needs a server that wants none.
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, []byte("auth: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := drive.Spawn(t, os.Getenv(programEnv), "--config", config)
	listed := map[string]hints{}
	for _, raw := range s.Speakers(t)[0].List(t) {
		tool := parse[sentTool](t, raw)
		listed[tool.Name] = hintsOf(t, tool.Annotations)
	}

	stdio := []string{os.Getenv(programEnv), "mcp", "--data", s.Data}
	web := []string{s.URL + "/operator/mcp", "--transport", "http", "--header", "Authorization: Bearer " + s.Token}
	old := func(target ...string) func(*testing.T) inspector {
		return func(*testing.T) inspector {
			return inspector{"node", append([]string{"node_modules/inspector-0/build/cli.js", "--cli"}, target...)}
		}
	}
	current := func(era string, target []string) func(*testing.T) inspector {
		return func(t *testing.T) inspector {
			return inspector{newNode(t), append(append([]string{"node_modules/inspector-2/clients/launcher/build/index.js", "--cli"}, target...), "--protocol-era", era)}
		}
	}
	for _, c := range []struct {
		name      string
		refused   int // its status for a call that is refused
		inspector func(*testing.T) inspector
	}{
		{"0.15 over stdio", 0, old(stdio...)},
		{"0.15 over http, without a token", 0, old(open.URL+"/operator/mcp", "--transport", "http")},
		{"2.12 over stdio, legacy", 5, current("legacy", stdio)},
		{"2.12 over stdio, modern", 5, current("modern", stdio)},
		{"2.12 over http, legacy", 5, current("legacy", web)},
		{"2.12 over http, modern", 5, current("modern", web)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			i := c.inspector(t)
			out, errw, exit := i.run(t, "--method", "tools/list")
			if exit != 0 {
				t.Fatalf("tools/list exits %d: %s%s", exit, out, errw)
			}
			got := map[string]hints{}
			for _, tool := range parse[struct{ Tools []sentTool }](t, out).Tools {
				got[tool.Name] = hintsOf(t, tool.Annotations)
			}
			if diff := cmp.Diff(listed, got); diff != "" {
				t.Errorf("the tools it prints (-wire +printed):\n%s", diff)
			}

			type result struct {
				IsError    bool            `json:"isError"`
				Structured json.RawMessage `json:"structuredContent"`
				Meta       struct {
					Error struct{ Code string } `json:"holotype/error"`
				} `json:"_meta"`
			}
			call := []string{"--method", "tools/call", "--tool-name"}
			out, errw, exit = i.run(t, append(call, "get_tool", "--tool-arg", "name=list_tools")...)
			if r := parse[result](t, out); exit != 0 || r.IsError || parse[struct{ Name string }](t, r.Structured).Name != "list_tools" {
				t.Errorf("a call exits %d: %s%s", exit, out, errw)
			}
			out, errw, exit = i.run(t, append(call, "get_tool", "--tool-arg", "nome=list_tools")...)
			if r := parse[result](t, out); exit != c.refused || !r.IsError || r.Meta.Error.Code != "invalid" {
				t.Errorf("a refused call exits %d: %s%s", exit, out, errw)
			}
		})
	}
}
