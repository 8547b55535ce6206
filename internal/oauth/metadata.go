package oauth

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/config"
)

// MetadataPath is where the metadata of RFC 9728 stands. Behind it may stand the path of an
// MCP endpoint.
const MetadataPath = "/.well-known/oauth-protected-resource"

// metadata is that of a protected resource (RFC 9728 section 2).
type metadata struct {
	Resource      string   `json:"resource"`
	Servers       []string `json:"authorization_servers"`
	Scopes        []string `json:"scopes_supported,omitempty"`
	Methods       []string `json:"bearer_methods_supported"`
	Name          string   `json:"resource_name"`
	Documentation string   `json:"resource_documentation"`
}

// Metadata answers the metadata of the resource at a path of this server, as JSON; "" is
// the server as a whole. Nothing is answered for a path that is no resource, and where no
// access tokens are taken. Whether a seat or a pack of the path exists is not told.
func (s *Resource) Metadata(r *http.Request, path string) ([]byte, bool) {
	o := &s.o.Config().OAuth
	path = strings.TrimSuffix(path, "/")
	if !o.On() || path != "" && (resourcePath(path) != path || !plain(path)) {
		return nil, false
	}
	base := s.Address(r)
	m := metadata{
		Resource: base + path, Servers: []string{o.Issuer}, Methods: []string{"header"},
		Name: s.o.Title, Documentation: base + "/docs/oauth",
	}
	if o.Server {
		m.Servers, m.Scopes = []string{base}, OfferedScopes()
	}
	for scope := range o.Scopes {
		m.Scopes = append(m.Scopes, scope)
	}
	slices.Sort(m.Scopes)
	body, err := json.Marshal(m)
	return body, err == nil
}

// OfferedScopes answers the scopes that a client asks for that has no idea of its own:
// everything but admin, in two parts.
func OfferedScopes() []string { return []string{"*:read", "*:write"} }

// Challenge answers the parameter of WWW-Authenticate that leads to the metadata for a
// path; "" is none, where no access tokens are taken.
func (s *Resource) Challenge(r *http.Request) string {
	if !s.o.Config().OAuth.On() {
		return ""
	}
	path := resourcePath(r.URL.Path)
	if !plain(path) {
		path = ""
	}
	return `resource_metadata="` + s.Address(r) + MetadataPath + path + `"`
}

// Scopes answers the scopes to ask the authorization server for by which a client gets one
// of ours, parted by spaces; "" is none that is known.
func (s *Resource) Scopes(ours string) string {
	o := &s.o.Config().OAuth
	if !o.On() || o.Server {
		return ours
	}
	if all := theirs(ours, o); len(all) > 0 {
		return all[0] // each of them alone is enough
	}
	return ""
}

// Address answers where the server is for whoever sends a request, without a slash at its
// end. It is what the configuration says; else where it listens, under the name of the
// loopback that the request goes by. Any other Host is no address: whoever takes a token
// for itself could send it on under its own.
func (s *Resource) Address(r *http.Request) string {
	if a := s.o.Config().OAuth.Address; a != "" {
		return a
	}
	u, err := url.Parse(s.o.Address)
	if err != nil || !loopback(u.Hostname()) {
		return s.o.Address
	}
	asked, err := url.Parse("//" + r.Host)
	if err != nil || asked.Port() != u.Port() || !loopback(asked.Hostname()) || strings.ToLower(r.Host) != r.Host {
		return s.o.Address
	}
	u.Host = r.Host
	return u.String()
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || host == "localhost"
}

// resourcePath answers the path of the MCP endpoint that a path is, without a slash at its
// end; "" for every other path. Each endpoint is a resource of its own.
func resourcePath(path string) string {
	const operator, seats, below, find = "/operator/mcp", "/seats/", "/mcp", "/find"
	path = strings.TrimSuffix(path, "/")
	if path == operator || path == operator+"/readonly" || path == operator+find {
		return path
	}
	if pack, ok := strings.CutPrefix(path, operator+"/x/"); ok && pack != "" && !strings.Contains(pack, "/") {
		return path
	}
	if seat, ok := strings.CutPrefix(path, seats); ok {
		if seat, ok = strings.CutSuffix(strings.TrimSuffix(seat, find), below); ok && seat != "" && !strings.Contains(seat, "/") {
			return path
		}
	}
	return ""
}

// plain reports whether a path can stand in a header and in a URL as it is.
func plain(path string) bool {
	return len(path) <= 200 && !strings.ContainsFunc(path, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("/-._~", c)
	})
}

// Addresses answers what a token of this server itself may be for at the address of a
// request.
func (s *Resource) Addresses(r *http.Request) []string {
	return s.audiences(&config.OAuth{}, r)
}

// Owns reports whether an address is one that tokens can be for: the server as a whole, or
// one of its MCP endpoints.
func (s *Resource) Owns(r *http.Request, address string) bool {
	path, ok := strings.CutPrefix(address, s.Address(r))
	return ok && (path == "" || path == "/" || resourcePath(path) == path && plain(path))
}
