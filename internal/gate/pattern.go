package gate

import (
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ours stands before a name the way clients show it that know this server by its usual
// name. The name of another server before it names a tool of that server, never one here.
const ours = "mcp__holotype__"

// patterns are a list of patterns, each the name of a tool or the beginning of one.
type patterns struct {
	exact  map[string]struct{}
	starts []string
}

func compile(list []string) patterns {
	p := patterns{exact: map[string]struct{}{}}
	for _, one := range list {
		one = strings.TrimPrefix(one, ours)
		if start, ok := strings.CutSuffix(one, "*"); ok {
			p.starts = append(p.starts, start)
			continue
		}
		p.exact[one] = struct{}{}
	}
	return p
}

// names reports whether a pattern stands for a name.
func (p patterns) names(name string) bool {
	if _, ok := p.exact[name]; ok {
		return true
	}
	for _, start := range p.starts {
		if strings.HasPrefix(name, start) {
			return true
		}
	}
	return false
}

// match reports whether a pattern stands for a capability, by any name it has had.
func (p patterns) match(c *capabilities.Capability) bool {
	return (len(p.exact) > 0 || len(p.starts) > 0) && c.AnyName(p.names)
}
