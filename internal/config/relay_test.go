package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

// What asks a client's model, or for its directories, is off for a server that everybody
// shares and on for a seat's own, unless the entry says otherwise.
func TestWhatIsRelayed(t *testing.T) {
	own := config.Relay{Elicitation: true, Sampling: true, Roots: true, Logging: true, Prompts: true, Resources: true}
	quiet := own
	quiet.Sampling, quiet.Prompts = false, false
	asking := usualRelay
	asking.Sampling = true
	for name, tc := range map[string]struct {
		entry string
		want  config.Relay
	}{
		"shared":             {"command: x", usualRelay},
		"shared, and asked":  {"command: x, relay: {sampling: true}", asking},
		"shared, and empty":  {"command: x, relay:", usualRelay},
		"a seat's":           {"command: x, shared: false", own},
		"a seat's, and less": {"command: x, shared: false, relay: {sampling: false, prompts: false}", quiet},
	} {
		file := "mcp_servers: [{name: a, " + tc.entry + "}]\n"
		if strings.Contains(tc.entry, "shared: false") {
			file += "units: [{id: u, name: u}]\nseats: [{id: s, name: s, unit: u, mcp_env: {a: {}}}]\n"
		}
		c := mustLoad(t, file, nil)
		for _, s := range c.Instances() {
			if d := cmp.Diff(tc.want, s.Relay); d != "" {
				t.Errorf("%s (-want +got)\n%s", name, d)
			}
		}
		if len(c.Instances()) != 1 {
			t.Errorf("%s: %d instances", name, len(c.Instances()))
		}
	}
	if _, err := load(t, "mcp_servers: [{name: a, command: x, relay: {samplign: true}}]", nil); err == nil {
		t.Error("a key that is none is taken")
	}
}
