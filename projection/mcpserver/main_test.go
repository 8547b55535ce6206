package mcpserver_test

import (
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain makes this binary a server on its standard streams, of the revision that its
// environment names, for the tests of what is relayed.
func TestMain(m *testing.M) {
	if era := os.Getenv("RELAY_SERVER"); era != "" {
		serveStdio(newUpstream(era), &mcp.StdioTransport{})
		return
	}
	os.Exit(m.Run())
}
