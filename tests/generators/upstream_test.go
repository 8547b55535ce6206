package generators_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// upstreamEnv makes this program the MCP server that is bridged.
const upstreamEnv = "GENERATORS_TEST_UPSTREAM"

func TestMain(m *testing.M) {
	if os.Getenv(upstreamEnv) == "" {
		os.Exit(m.Run())
	}
	if err := serveScales(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// scales is the configuration of a client that knows the server.
func scales(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"scales": map[string]any{"command": self, "env": map[string]string{upstreamEnv: "1"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, text)
	return path
}

// The tools of the server. Its numbers have no format, as those of most servers.
const (
	weight     = `{"type":"object","properties":{"grams":{"type":"number"},"copies":{"type":"integer"}},"required":["grams","copies"]}`
	scaleTools = `{"name":"weigh","description":"Weighs something.","inputSchema":` + weight + `,"outputSchema":` + weight + `,"annotations":{"readOnlyHint":true}},` +
		`{"name":"break","description":"Breaks.","inputSchema":{"type":"object"}}`
)

// serveScales speaks newline-delimited JSON-RPC of the handshake era.
func serveScales(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"not served"}`
		switch {
		case m.Method == "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scales","version":"3"}}`
		case m.Method == "tools/list":
			answer = `"result":{"tools":[` + scaleTools + `]}`
		case m.Method == "tools/call" && m.Params.Name == "weigh":
			answer = `"result":{"content":[{"type":"text","text":"weighed"}],"structuredContent":` + string(m.Params.Arguments) + `}`
		case m.Method == "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"the spring is gone"}],"isError":true}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

// bridged reports whether a list has both tools of the server.
func bridged(tools []json.RawMessage) bool {
	n := 0
	for _, one := range tools {
		if strings.Contains(string(one), `"scales__`) {
			n++
		}
	}
	return n == 2
}
