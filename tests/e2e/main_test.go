// Package e2e_test compares what the surfaces of one running server say about its
// tools: the same names everywhere, and for every tool, bridged ones included, the
// same four hints.
package e2e_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain makes this program the MCP servers that it tests with: started with a
// mode in its environment, it serves and exits.
func TestMain(m *testing.M) {
	if mode := os.Getenv("E2E_SERVER"); mode != "" {
		if err := serve(mode, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}
