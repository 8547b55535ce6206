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

// A credential beside a variable stays where it is, and is said; what stands beside one and is none
// is not.
func TestWhatStandsBesideAVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, value string
		want       bool
	}{
		{"DSN", "postgres://u:s3cr3t@${HOST}/db", true},
		{"DSN", "postgres://u:${PASSWORD}@db.example/db", false},
		{"AUTH", "${USER_NAME}:ghp_0123456789abcdefghij", true},
		{"API_TOKEN", "${PREFIX}-a1b2c3d4e5", true},
		{"MODE", "${PREFIX}-a1b2c3d4e5", false},
		{"API_TOKEN", "Bearer ${TOKEN}", false},
		{"API_TOKEN", "$$ghp_0123456789abcdefghij", false}, // no variable: all of it is moved
		{"URL", "https://${HOST}/some/place?lang=en", false},
	} {
		p := adopt.Propose(adopt.Input{
			Found:  []clientconf.Server{{Client: &clientconf.Client{ID: "cursor"}, Name: "x", Command: "x", Env: []clientconf.Pair{{Key: c.key, Value: c.value}}}},
			Secret: func(string) (string, bool) { return "", false },
			Ours:   func(clientconf.Server) bool { return false },
			Judge:  func(adopt.Taken) error { return nil },
			Clash:  func(string, string, string) string { return "" },
		})
		notes := strings.Join(p.Taken[0].Notes, "\n")
		if got := strings.Contains(notes, "env."+c.key+" has what looks like a credential beside a variable"); got != c.want {
			t.Errorf("%s=%s: said %v, want %v: %q", c.key, c.value, got, c.want, notes)
		}
	}
}
