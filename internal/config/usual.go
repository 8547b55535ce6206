package config

import (
	"os"
	"path/filepath"
)

// UsualFile returns the configuration file that a program's commands read when no flag names one: [UsualPath], and "" when no file stands there.
func UsualFile(program string, lookup func(string) (string, bool)) string {
	path := UsualPath(program, lookup)
	if path == "" {
		return ""
	}
	if _, err := os.Stat(path); err != nil {
		return "" // one that cannot be looked at is nobody's wish
	}
	return path
}

// UsualPath returns where [UsualFile] looks: config.yaml in $XDG_CONFIG_HOME/program, else in ~/.config/program, on macOS too. It is "" without
// a home directory. A relative XDG_CONFIG_HOME is not looked at, as the XDG base directory specification demands.
func UsualPath(program string, lookup func(string) (string, bool)) string {
	lookup = Env(lookup)
	base, _ := lookup("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		home, _ := lookup("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, program, "config.yaml")
}
