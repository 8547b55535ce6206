package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/config"
)

// FuzzClientFile: the file of a client, which other programs write, is servers that can
// be reached or are held back, or it is faults.
func FuzzClientFile(f *testing.F) {
	for _, s := range []string{
		`{"mcpServers":{"a":{"command":"x","args":["y"],"env":{"K":"secret"}}}}`, `{"servers":{"a":{"type":"http","url":"https://h/secret","headers":{"A":"Bearer secret"}}}}`,
		`{"mcpServers":{"a":{"command":"x","env":{"K":"${secret"}}}}`, `{"mcpServers":{"a":{"url":"secret://x"}}}`, `{"mcpServers":[]}`, `{"mcpServers":{"a":{"command":"x","env":"secret"}}}`,
		`// a comment` + "\n" + `{"servers":{"a":{"command":"x",},},}`, `{"mcpServers":{"a":{"command":"x","disabled":true,"envFile":"f"}}}`, ``, `{`,
	} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "mcp.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Options{MCPConfigPath: path, Lookup: func(string) (string, bool) { return "", false }})
		if (c == nil) == (err == nil) {
			t.Fatalf("%q: configuration %v, error %v", data, c, err)
		}
		if err != nil {
			if err.Error() == "" {
				t.Fatalf("%q is refused without a word", data)
			}
			return
		}
		for _, s := range c.Servers {
			if s.Name == "" || (s.Command == "") == (s.URL == "") && len(s.Unresolved) == 0 {
				t.Fatalf("%q gives a server that cannot be reached and is not held back: %+v", data, s)
			}
		}
	})
}
