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

// refusedMethods are the methods of the protocol that are known and not served: a
// request of one is answered with "method not found".
func refusedMethods() []string {
	return []string{
		"prompts/list", "prompts/get",
		"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
		"completion/complete", "logging/setLevel",
	}
}

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
	f.Instructions, f.Discovery = s.instructions(p), s.discovers(p, s.wholeList(p))
	return f
}
