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
	maxNamedWriters = 20
	maxNamedSources = 8
)

// instructions answers the text that a client of this principal is given at its
// start: who answers, which tools are known to write, and how many leave it open. It
// is derived from the principal's view and names nothing outside it.
func (s *Server) instructions(p *capabilities.Principal) string {
	view := s.o.Viewer.View(p)
	var names []string
	writers, sources, silent := map[string]int{}, map[string]int{}, 0
	for _, c := range view.Listed {
		sources[c.Server()]++
		switch {
		case capabilities.KnownToWrite(c):
			names = append(names, c.Name())
			writers[c.Server()]++
		case !capabilities.ReadOnlyProven(c):
			silent++
		}
	}
	text := fmt.Sprintf("%s %s answers here, one door to %s. %s%s", s.o.Name, s.o.Version, tally(len(view.Listed), sources),
		writersSentence(names, writers), silentSentence(silent))
	if s.discovers(p, s.wholeList(p)) {
		text += discoverySentence
	}
	awaited, _ := s.awaited(p)
	return text + awaitedSentence(awaited)
}

// awaitedSentence says that the tools are not all of those there will be.
func awaitedSentence(servers int) string {
	switch servers {
	case 0:
		return ""
	case 1:
		return " One MCP server has not told its tools yet: list them again later."
	}
	return fmt.Sprintf(" %d MCP servers have not told their tools yet: list them again later.", servers)
}

// discoverySentence says where the tools are when the list has four others.
const discoverySentence = " The list does not show them: find them with " + capabilities.FindTools + ", read what they take with " + capabilities.DescribeTools +
	", and call them with " + capabilities.CallRead + " or " + capabilities.CallWrite + "."

// silentSentence keeps the list of the writers from being read as all of them.
func silentSentence(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " Of 1 more nobody says whether it does."
	}
	return fmt.Sprintf(" Of %d more nobody says whether they do.", n)
}

func writersSentence(names []string, writers map[string]int) string {
	const what = "may add, change or remove something, here or elsewhere"
	switch n := len(names); {
	case n == 0:
		return "No tool is known to add, change or remove anything."
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
