package clientconf

import (
	"fmt"
	"path/filepath"
	"strings"
)

// The systems that [Client.Files] has a path for, as Go names them.
const (
	Linux   = "linux"
	MacOS   = "darwin"
	Windows = "windows"
)

// Host is where files are looked for: a system, and the variables of a user.
type Host struct {
	System string // [Linux], [MacOS] or [Windows]; any other is taken for Linux
	Lookup func(name string) (string, bool)
}

// File answers the absolute path of a client's file. The error names the variable that it
// would need.
func (h Host) File(c *Client) (string, error) {
	if c.Moved != "" {
		if folder, _ := h.Lookup(c.Moved); filepath.IsAbs(folder) {
			return filepath.Join(folder, c.MovedFile), nil
		}
	}
	which := map[string]int{MacOS: 1, Windows: 2}[h.System]
	return h.expand(c.Files[which])
}

// expand replaces the word in braces that a path begins with: HOME is the user's folder,
// CONFIG $XDG_CONFIG_HOME or .config below HOME, PROFILE and APPDATA the folders that
// Windows names in USERPROFILE and APPDATA.
func (h Host) expand(pattern string) (string, error) {
	word, rest, _ := strings.Cut(strings.TrimPrefix(pattern, "{"), "}")
	name := map[string]string{"HOME": "HOME", "CONFIG": "HOME", "PROFILE": "USERPROFILE", "APPDATA": "APPDATA"}[word]
	if word == "CONFIG" {
		if base, _ := h.Lookup("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
			return filepath.Join(base, rest), nil
		}
		rest = "/.config" + rest
	}
	base, _ := h.Lookup(name)
	if base == "" || h.System != Windows && !filepath.IsAbs(base) {
		return "", fmt.Errorf("the file cannot be found: %s is not set to the path of a folder", name)
	}
	return filepath.Join(base, rest), nil
}

// Others answers the further files of a client that are there.
func (h Host) Others(c *Client) []string {
	path, err := h.File(c)
	if err != nil || c.Others == "" {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(quoteGlob(filepath.Dir(path)), c.Others)) // the pattern is one of ours
	return found
}

// quoteGlob writes a path so that a pattern takes it as it is.
func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
