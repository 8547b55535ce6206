package gate

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Unmatched says of every pattern that can stand for no tool where it is. builtins are the
// tools of this program; of a server, whose tools come and go, only the prefix is known.
func Unmatched(c *config.Config, builtins *capabilities.Registry, prefixes []string) []config.Notice {
	var notices []config.Notice
	judge := func(r config.Rules) {
		for _, list := range []struct {
			key      string
			patterns []string
		}{{"allow", r.Allow}, {"deny", r.Deny}, {"refuse", r.Refuse}} {
			for i, pattern := range list.patterns {
				if standsForSome(pattern, builtins, prefixes) {
					continue
				}
				path := fmt.Sprintf("%s.%s[%d]", r.Path, list.key, i)
				text := "no tool here can have the name"
				if start, ok := strings.CutSuffix(pattern, "*"); ok {
					text = fmt.Sprintf("no tool here can have a name that begins with %q", start)
				} else {
					text += fmt.Sprintf(" %q", pattern)
				}
				f := c.Fault(path, text)
				notices = append(notices, config.Notice{File: f.File, Line: f.Line, Text: f.Path + ": " + f.Message})
			}
		}
	}
	judge(c.Gate.Rules)
	for _, p := range c.Principals {
		judge(p.Rules)
	}
	for _, s := range c.Seats {
		judge(s.Gate)
	}
	return notices
}

func standsForSome(pattern string, builtins *capabilities.Registry, prefixes []string) bool {
	p := compile([]string{pattern})
	for c := range builtins.All() {
		if p.names(c.Name()) {
			return true
		}
	}
	start, open := strings.CutSuffix(strings.TrimPrefix(pattern, ours), "*")
	for _, prefix := range prefixes {
		if strings.HasPrefix(start, prefix) || open && strings.HasPrefix(prefix, start) {
			return true
		}
	}
	return false
}

// Unknown answers a fault for every name that is switched off and that no pack and no
// server has.
func Unknown(c *config.Config, names map[string]bool) []config.Fault {
	var faults []config.Fault
	for i, name := range c.Gate.Off {
		if !names[name] {
			faults = append(faults, c.Fault(fmt.Sprintf("gate.off[%d]", i), fmt.Sprintf("there is no pack and no MCP server %q", name)))
		}
	}
	return faults
}
