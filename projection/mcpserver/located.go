package mcpserver

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// Two servers may have resources of one URI. Here a resource is known by its server's name
// and the URI that the server has for it, one after the other and both as they are: a
// template stays one, and whatever a client fills in or takes from it is told apart again.

// resourceScheme begins the URI of every resource.
const resourceScheme = "holotype:"

// located answers the URI, or the template of URIs, that a server's own is known by here.
func located(server, uri string) string {
	return resourceScheme + url.PathEscape(server) + "/" + uri
}

// locate answers what a URI here stands for; ok is false for one that is none.
func locate(uri string) (server, own string, ok bool) {
	rest, ours := strings.CutPrefix(uri, resourceScheme)
	name, own, cut := strings.Cut(rest, "/")
	server, err := url.PathUnescape(name)
	return server, own, ours && cut && err == nil && server != "" && own != ""
}

// withLocated answers an object whose member is a URI of the server's, with the one here.
func withLocated(object json.RawMessage, member, server string) json.RawMessage {
	return rawjson.Replace(object, member, func(value json.RawMessage) []byte {
		uri, ok := rawjson.String(value)
		if !ok || uri == "" {
			return value
		}
		return rawjson.AppendQuoted(nil, located(server, uri))
	})
}

// locatedBlock answers a block of content with the URI of the resource in it, or that it
// links to.
func locatedBlock(block json.RawMessage, server string) json.RawMessage {
	switch kind, _ := rawjson.String(rawjson.Member(block, "type")); kind {
	case "resource_link":
		return withLocated(block, "uri", server)
	case "resource":
		return rawjson.Replace(block, "resource", func(value json.RawMessage) []byte {
			if rawjson.Kind(value) != '{' {
				return value
			}
			return withLocated(value, "uri", server)
		})
	}
	return block
}

// locatedResult answers the result of a tool with its resources as they can be read here.
func (s *Server) locatedResult(p *capabilities.Principal, c *capabilities.Capability, r *capabilities.Result) *capabilities.Result {
	if r == nil || c == nil || !c.Bridged() || !hasResource(r.Blocks) || s.relayOf(p, c.Server(), capabilities.RelayRead) == nil {
		return r
	}
	own := *r
	own.Blocks = make([]capabilities.Block, len(r.Blocks))
	for i, b := range r.Blocks {
		own.Blocks[i] = capabilities.Block(locatedBlock(json.RawMessage(b), c.Server()))
	}
	return &own
}

func hasResource(blocks []capabilities.Block) bool {
	for _, b := range blocks {
		switch kind, _ := rawjson.String(rawjson.Member(json.RawMessage(b), "type")); kind {
		case "resource", "resource_link":
			return true
		}
	}
	return false
}

// mapped answers an array with what each makes of its elements.
func mapped(array json.RawMessage, each func(json.RawMessage) json.RawMessage) []byte {
	out := []byte{'['}
	for i, one := range rawjson.Elements(array) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, each(one)...)
	}
	return append(out, ']')
}
