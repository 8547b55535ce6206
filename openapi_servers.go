package holotype

import (
	"cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// bridged are the servers that a configuration asks for: those that speak MCP, and the APIs
// that documents describe.
func (e *engine) bridged(c *config.Config) []bridge.Server {
	all := bridgeServers(c, e.within)
	for _, s := range c.OpenAPIServers {
		all = append(all, e.apiServer(s))
	}
	return all
}

// apiServer is an API as the bridge has it. Its hints are what the operator says of its
// effects and, on top of that, of single hints.
func (e *engine) apiServer(s config.OpenAPIServer) bridge.Server {
	b := bridgeServer(s.Server, "")
	b.Transport, b.ShownURL = "", s.MaskedURL
	b.Peer = openapi.New(openapi.Options{
		Document: s.Document, BaseURL: s.BaseURL, Headers: s.Headers, Version: e.version, Mark: e.mark,
		Auth: openapi.Auth{Kind: openapi.AuthKind(s.Auth.Type), Name: s.Auth.Name, User: s.Auth.User, Value: s.Auth.Value},
	})
	for operation, said := range s.Effects {
		effect, ok := capabilities.ParseEffect(said.Change, said.Reach)
		if !ok {
			continue // cannot happen: the configuration knows both sets
		}
		b.Annotations[operation] = over(effect.Hints(), b.Annotations[operation])
	}
	return b
}

// over is an override that says hints, but for those that it says already.
func over(h capabilities.Hints, o bridge.Override) bridge.Override {
	return bridge.Override{
		ReadOnly: cmp.Or(o.ReadOnly, &h.ReadOnly), Destructive: cmp.Or(o.Destructive, &h.Destructive),
		Idempotent: cmp.Or(o.Idempotent, &h.Idempotent), OpenWorld: cmp.Or(o.OpenWorld, &h.OpenWorld), Title: o.Title,
	}
}
