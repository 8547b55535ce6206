package mcpserver

import (
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// defaultPath is where the handler is mounted below the paths of the rest.
const defaultPath = "/operator/mcp"

// servedMethods are the requests and notifications that are served.
func servedMethods() []string {
	return []string{
		methodInitialize, methodPing, methodDiscover, methodList, methodCall, methodListen,
		"notifications/initialized", noteCancelled, noteProgress,
	}
}

// refusedMethods are the methods of the protocol that are known and nothing here serves
// itself: a request of one is answered with "method not found", unless a server behind has
// what it is about.
func refusedMethods() []string { return relayMethods() }

// SurfaceFacts says what is true of the server whoever asks, and how many sessions
// are attached now. Instructions name tools, which are one caller's to see, so they
// are left out; [Server.FactsFor] has them.
func (s *Server) SurfaceFacts() capabilities.SurfaceFacts {
	refused := slices.DeleteFunc(refusedMethods(), func(m string) bool { return s.served[m] })
	path := s.o.Path
	if path == "" {
		path = defaultPath
	}
	return capabilities.SurfaceFacts{
		Surface: capabilities.MCP, Name: s.o.Name, Version: s.o.Version,
		ProtocolVersions: slices.Clone(s.versions),
		Transports: []capabilities.Transport{
			{Name: "streamable_http", Address: path, Sessions: s.sessions.len() + int(s.streams.listening.Load())},
			{Name: "stdio", Sessions: int(s.streams.stdio.Load())},
			{Name: "unix_socket", Sessions: int(s.streams.socket.Load())},
		},
		Served:  append(servedMethods(), s.o.Hook.Methods...),
		Refused: refused,
		Prompts: s.served["prompts/list"],
	}
}

// FactsFor is [Server.SurfaceFacts] with the instructions that a principal's
// clients are given.
func (s *Server) FactsFor(p *capabilities.Principal) capabilities.SurfaceFacts {
	f := s.SurfaceFacts()
	whole := s.wholeList(p)
	f.Instructions, f.Discovery = s.instructions(p), s.discovers(p, whole)
	list, finds := s.lists.measures().list(whole.tools, whole.keyed), findFacts(whole.tools)
	f.List, f.Finds, f.FindsAbove = &list, &finds, s.limit()
	f.Served = append(f.Served, slices.DeleteFunc(relayMethods(), func(m string) bool { return s.served[m] || !s.serves(p, m) })...)
	f.Refused = slices.DeleteFunc(f.Refused, func(m string) bool { return s.serves(p, m) })
	f.Relays = relayFacts(s.o.Viewer.View(p).Relays)
	return f
}

// relayFacts answers what is relayed, a server at a time.
func relayFacts(all []*capabilities.Capability) []capabilities.RelayFacts {
	var facts []capabilities.RelayFacts
	for _, c := range all {
		if n := len(facts); n == 0 || facts[n-1].Server != c.Server() {
			facts = append(facts, capabilities.RelayFacts{Server: c.Server()})
		}
		last := &facts[len(facts)-1]
		last.Methods = append(last.Methods, c.Method())
	}
	return facts
}
