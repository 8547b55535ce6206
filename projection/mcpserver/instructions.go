package mcpserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Limits of the derived instructions: they stand in every conversation.
const (
	maxNamedWriters = 12
	maxNamedSources = 8
)

// instructions answers the text that a client of this principal is given at its
// start: who answers, and which tools write to what other people see. It is
// derived from the principal's view and names nothing outside it.
func (s *Server) instructions(p *capabilities.Principal) string {
	view := s.o.Viewer.View(p)
	var names []string
	writers, sources := map[string]int{}, map[string]int{}
	for _, c := range view.Listed {
		sources[c.Server()]++
		if capabilities.WritesToSharedSurface(c) {
			names = append(names, c.Name())
			writers[c.Server()]++
		}
	}
	return fmt.Sprintf("%s %s answers here, one door to %s. %s", s.o.Name, s.o.Version, tally(len(view.Listed), sources), writersSentence(names, writers))
}

func writersSentence(names []string, writers map[string]int) string {
	const what = "may change what other people see, or remove what exists"
	switch n := len(names); {
	case n == 0:
		return "No tool is known to change what other people see, or to remove what exists."
	case n == 1:
		return "One tool " + what + ": " + names[0] + "."
	case n <= maxNamedWriters:
		return "These tools " + what + ": " + strings.Join(names, ", ") + "."
	default:
		return "Of these, " + tally(n, writers) + " " + what + "; the effect in each tool's _meta and its annotations say which."
	}
}

// tally counts tools by the bridged server they come from, "" for builtins.
func tally(total int, sources map[string]int) string {
	switch total {
	case 0:
		return "no tools"
	case 1:
		return "1 tool (" + origins(sources) + ")"
	}
	return fmt.Sprintf("%d tools (%s)", total, origins(sources))
}

func origins(sources map[string]int) string {
	var parts []string
	if n := sources[""]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d of its own", n))
	}
	named, rest, servers := 0, 0, 0
	for _, server := range slices.Sorted(maps.Keys(sources)) {
		switch {
		case server == "":
		case named < maxNamedSources:
			named++
			parts = append(parts, fmt.Sprintf("%d of the MCP server %q", sources[server], server))
		default:
			rest, servers = rest+sources[server], servers+1
		}
	}
	if servers > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d more", rest, servers))
	}
	return strings.Join(parts, ", ")
}
