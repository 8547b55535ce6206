package system

import (
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// contains reports whether a capability's name, title or summary holds the text,
// whatever the case.
func contains(c *capabilities.Capability, text string) bool {
	if text == "" {
		return true
	}
	text = strings.ToLower(text)
	for _, s := range []string{c.Name(), c.Title(), c.Summary()} {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	return false
}
