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
		type named struct {
			key      string
			patterns []string
		}
		lists := []named{{"allow", r.Allow}, {"deny", r.Deny}, {"refuse", r.Refuse}}
		for i, a := range r.Approve {
			lists = append(lists, named{fmt.Sprintf("approve[%d].tools", i), a.Tools})
		}
		for _, list := range lists {
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
	for r := range c.EveryRules() {
		judge(r)
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

// Unknown answers a fault for every name that is switched off, or whose calls need an
// approval, and that no pack and no server has.
func Unknown(c *config.Config, names map[string]bool) []config.Fault {
	var faults []config.Fault
	judge := func(path string, list []string) {
		for i, name := range list {
			if !names[name] {
				faults = append(faults, c.Fault(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("there is no pack and no MCP server %q", name)))
			}
		}
	}
	judge("gate.off", c.Gate.Off)
	for r := range c.EveryRules() {
		for i, a := range r.Approve {
			judge(fmt.Sprintf("%s.approve[%d].of", r.Path, i), a.Of)
		}
	}
	return faults
}
