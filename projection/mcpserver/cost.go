package mcpserver

import (
	"bytes"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Listed is what the list costs that a principal is given.
type Listed struct {
	capabilities.ListFacts
	Finds bool // the tools of discovery stand in place of the others
}

// Lists answers what the list costs that each of the principals is given. Lists that nobody
// has asked for are measured and not kept: there may be as many as there are tokens.
func (s *Server) Lists(principals ...*capabilities.Principal) []Listed {
	m := s.lists.measures()
	all := make([]Listed, len(principals))
	for i, p := range principals {
		tools := s.o.Viewer.View(p).Listed
		all[i].ListFacts = m.list(tools, s.keyed(p))
		if s.replaces(p, all[i].Tokens) {
			all[i] = Listed{findFacts(tools), true}
		}
	}
	return all
}

// measures is what tools cost in the lists of callers with and without operation keys.
type measures map[measured]*toolCost

type measured struct {
	tool  *capabilities.Capability
	keyed bool
}

// toolCost is what one tool costs; 0 tokens are not counted yet.
type toolCost struct{ bytes, tokens int }

// measures answers the sizes that are known from the lists that are kept.
func (l *lists) measures() measures {
	l.mu.RLock()
	kept := slices.Concat(l.kept, l.stale)
	l.mu.RUnlock()
	m := measures{}
	for _, one := range kept {
		for i, c := range one.tools {
			m[measured{c, one.keyed}] = &toolCost{bytes: len(one.part(i))}
		}
	}
	return m
}

// list adds up what the tools of a list cost.
func (m measures) list(tools []*capabilities.Capability, keyed bool) capabilities.ListFacts {
	write, shown := wire.AppendTool, wire.ModelBytes
	if keyed {
		write, shown = wire.AppendKeyedTool, wire.KeyedModelBytes
	}
	facts := capabilities.ListFacts{Tools: len(tools)}
	var page bytes.Buffer
	for _, c := range tools {
		of := m[measured{c, keyed}]
		if of == nil {
			page.Reset()
			compact(&page, write(nil, c))
			of = &toolCost{bytes: page.Len()}
			m[measured{c, keyed}] = of
		}
		if of.tokens == 0 {
			of.tokens = wire.Tokens(shown(c))
		}
		facts.Bytes += of.bytes
		facts.Tokens += of.tokens
	}
	return facts
}

// findFacts answers what the tools of discovery cost in place of a list of tools.
func findFacts(tools []*capabilities.Capability) capabilities.ListFacts {
	facts := capabilities.ListFacts{}
	for _, one := range discoveryTools() {
		facts.Tools++
		facts.Bytes += len(one.append(nil, tools))
		facts.Tokens += wire.Tokens(len(one.shown()))
	}
	return facts
}
