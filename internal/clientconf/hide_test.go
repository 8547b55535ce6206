package clientconf_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// A credential is hidden however the file spells it.
func TestHideSpellings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		format     entrytext.Format
		text, leak string
	}{
		"escaped slashes":    {entrytext.JSON, `{"env": {"API_TOKEN": "ab\/cdsecret\/9x"}}`, "cdsecret"},
		"yaml single quotes": {entrytext.YAML, "env:\n  API_TOKEN: 'ab''cdsecret9x'\n", "cdsecret"},
		"yaml block":         {entrytext.YAML, "env:\n  PRIVATE_KEY: |\n    first-cdsecret-1\n    other-cdsecret-2\n", "cdsecret"},
		"toml lines":         {entrytext.TOML, "[env]\nPRIVATE_KEY = '''\nfirst-cdsecret-1\nother-cdsecret-2'''\n", "cdsecret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said, err := entrytext.Read(c.format, []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			shown := clientconf.Hide(clientconf.Diff("a", "b", []byte(c.text), nil), said)
			if strings.Contains(shown, c.leak) || !strings.Contains(shown, "(set)") {
				t.Errorf("a credential is shown:\n%s", shown)
			}
		})
	}
}
