package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestUsualFile(t *testing.T) {
	home, xdg, bare := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(home, ".config"), xdg} {
		if err := os.MkdirAll(filepath.Join(dir, "acme"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "acme", "config.yaml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inHome := filepath.Join(home, ".config", "acme", "config.yaml")
	for name, tc := range map[string]struct {
		env  map[string]string
		want string
	}{
		"below home":                 {map[string]string{"HOME": home}, inHome},
		"where XDG says":             {map[string]string{"HOME": home, "XDG_CONFIG_HOME": xdg}, filepath.Join(xdg, "acme", "config.yaml")},
		"XDG says a relative path":   {map[string]string{"HOME": home, "XDG_CONFIG_HOME": "here"}, inHome},
		"none stands there":          {map[string]string{"HOME": home, "XDG_CONFIG_HOME": bare}, ""},
		"no home":                    {map[string]string{}, ""},
		"a home that is no absolute": {map[string]string{"HOME": "."}, ""},
	} {
		got := config.UsualFile("acme", func(name string) (string, bool) {
			value, ok := tc.env[name]
			return value, ok
		})
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
