package clients_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// upstream is a server that somebody else wrote.
type upstream struct {
	name string
	args []string // of node
}

// upstreams are the two that are bridged. The second serves the files of a folder.
func upstreams(t *testing.T, folder string) []upstream {
	t.Helper()
	return []upstream{
		{"everything", []string{script(t, "server-everything"), "stdio"}},
		{"filesystem", []string{script(t, "server-filesystem"), folder}},
	}
}

// clientFile writes what a client's own configuration says: the two servers, and one
// that does not exist.
func clientFile(t *testing.T, all []upstream) string {
	t.Helper()
	type entry struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
	}
	servers := map[string]entry{"missing": {Command: "no-such-mcp-server"}}
	for _, u := range all {
		servers[u.name] = entry{"node", u.args}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sentTool is as much of a tool as says what its server asserts.
type sentTool struct {
	Name        string                     `json:"name"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Annotations map[string]json.RawMessage `json:"annotations"`
}

// ask starts a server and answers the tools that it lists to a client without
// features, read off the wire.
func (u upstream) ask(t *testing.T) []sentTool {
	t.Helper()
	cmd := exec.Command("node", u.args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Process.Kill() // its answer has come
		_ = cmd.Wait()         // killed, it fails
	}()
	lines := bufio.NewReader(out)
	exchange := func(request string, want int) json.RawMessage {
		if _, err := in.Write([]byte(request + "\n")); err != nil {
			t.Fatal(err)
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatalf("%s: %v", u.name, err)
			}
			m := parse[struct {
				ID     *int            `json:"id"`
				Method string          `json:"method"`
				Result json.RawMessage `json:"result"`
			}](t, line)
			if m.ID != nil && *m.ID == want && m.Method == "" {
				return m.Result
			}
		}
	}
	// What the bridge declares for servers that are shared: some have a tool for each.
	exchange(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"clients-test","version":"1"}}}`, 1)
	list := exchange(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`, 2)
	tools := parse[struct{ Tools []sentTool }](t, list).Tools
	if len(tools) == 0 {
		t.Fatalf("%s lists no tools", u.name)
	}
	return tools
}

func parse[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("reading %.500s: %v", data, err)
	}
	return v
}
