package config_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestDiscoveryIsShownWithItsPlace(t *testing.T) {
	for text, want := range map[string]int{"discovery: {above_tokens: 8000}\n": 8000, "packs: []\n": 0} {
		c, err := config.Load(config.Options{Path: write(t, "c.yaml", text)})
		if err != nil {
			t.Fatal(err)
		}
		if c.Discovery.AboveTokens != want {
			t.Errorf("%q: %d tokens", text, c.Discovery.AboveTokens)
		}
		shown := ""
		for _, s := range c.Show() {
			if s.Path == "discovery.above_tokens" {
				shown = string(s.Value)
			}
		}
		if (shown == "8000") != (want > 0) {
			t.Errorf("%q is shown as %q", text, shown)
		}
	}
}
