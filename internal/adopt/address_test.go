package adopt_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/adopt"
	"github.com/seed-89b9419b/holotype/internal/clientconf"
)

// What is secret in an address is moved from its own place, also where a user is called the
// same, and where something else of the address is a reference.
func TestWhatIsSecretInAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://hunter22:hunter22@mcp.example.com/mcp":                     "https://hunter22:${X_PASSWORD}@mcp.example.com/mcp",
		"https://mcp.example.com/${TEAM}?api_key=sk-12345678901234567890":   "https://mcp.example.com/${TEAM}?api_key=${X_API_KEY}",
		"https://mcp.example.com/mcp?api_key=${KEY}":                        "https://mcp.example.com/mcp?api_key=${KEY}",
		"https://mcp.example.com/${TEAM}?api_key=sk-1234$$5678901234567890": "https://mcp.example.com/${TEAM}?api_key=${X_API_KEY}",
	} {
		p := adopt.Propose(adopt.Input{
			Found:  []clientconf.Server{{Client: &clientconf.Client{ID: "cursor"}, Name: "x", URL: address}},
			Secret: func(string) (string, bool) { return "", false },
			Ours:   func(clientconf.Server) bool { return false },
			Judge:  func(adopt.Taken) error { return nil },
			Clash:  func(string, string, string) string { return "" },
		})
		text, err := p.Text("c.yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: got %s, want %s", address, text, want)
		}
	}
}
