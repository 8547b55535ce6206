package signin

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	serverPath   = "/.well-known/oauth-authorization-server"
	openIDPath   = "/.well-known/openid-configuration"

	offlineAccess = "offline_access"
)

// place is where a server is signed in to, as the server and its authorization server say.
type place struct {
	resource string
	// scopes are those that the server says it knows.
	scopes []string
	meta   oauthex.AuthServerMeta
	reach  reach
}

// discover asks a server where it is signed in to (MCP, Authorization Server Discovery)..
func (c *Client) discover(ctx context.Context, s Server, asked challenge) (*place, error) {
	ctx, cancel := context.WithTimeout(ctx, discoveryTime)
	defer cancel()
	endpoint, err := url.Parse(s.URL)
	if err != nil {
		return nil, faultf("the url of the server is none")
	}
	if endpoint.Scheme != "https" && !isLoopback(endpoint.Hostname()) {
		return nil, faultf("its url is not https, and a token can be read on the way; give it an https url")
	}
	p := &place{resource: resourceOf(endpoint)}
	described, from, err := c.describe(ctx, endpoint, asked.hint)
	if err != nil {
		return nil, err
	}
	p.reach = from
	issuer := s.Issuer
	if issuer != "" {
		p.reach = allAddresses // it was named by whoever runs this program
	}
	if described != nil {
		p.resource, p.scopes = described.Resource, scopeTokens(described.ScopesSupported...)
		if issuer == "" {
			if len(described.AuthorizationServers) == 0 {
				return nil, faultf("it names no authorization server; set oauth.issuer")
			}
			issuer = described.AuthorizationServers[0]
		}
	}
	old := issuer == ""
	if old {
		// A server of 2025-03-26 is its own authorization server.
		issuer = endpoint.Scheme + "://" + endpoint.Host
	}
	meta, err := c.describeServer(ctx, issuer, p.reach)
	if err != nil {
		return nil, err
	}
	switch {
	case meta != nil:
		p.meta = *meta
	case old && !asked.seen:
		return nil, faultf("it asks for no sign-in, and says nothing of one")
	case old:
		p.meta = oauthex.AuthServerMeta{Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token", RegistrationEndpoint: issuer + "/register"}
	default:
		return nil, faultf("its authorization server %s has no metadata", short(issuer))
	}
	return p, nil
}

// describe fetches what a server says of itself (RFC 9728); nil where there is nothing.
func (c *Client) describe(ctx context.Context, endpoint *url.URL, hint string) (*oauthex.ProtectedResourceMetadata, reach, error) {
	root := endpoint.Scheme + "://" + endpoint.Host + resourcePath
	var asked []string
	// What a challenge names is taken where the server stands itself: it is the server that says where its tokens come from.
	if hint != "" && sameOrigin(hint, root) && judgeAddress(hint, allAddresses) == nil {
		asked = append(asked, hint)
	}
	if path := strings.TrimSuffix(endpoint.EscapedPath(), "/"); path != "" {
		asked = append(asked, root+path)
	}
	asked = append(asked, root)
	var from reach
	for i, address := range asked {
		if slices.Contains(asked[:i], address) {
			continue
		}
		doc, at, err := getJSON[oauthex.ProtectedResourceMetadata](ctx, c.web, address, allAddresses)
		if err != nil {
			return nil, 0, err
		}
		from = at
		switch {
		case doc == nil || doc.Resource == "":
		case !covers(doc.Resource, endpoint):
			return nil, 0, faultf("it says that its tokens are for %s, which it is not", short(doc.Resource))
		default:
			return doc, from, nil
		}
	}
	return nil, from, nil
}

// covers reports whether a resource is the endpoint, or what the endpoint is below.
func covers(resource string, endpoint *url.URL) bool {
	u, err := url.Parse(resource)
	if err != nil || len(resource) > maxAddress || strings.Contains(resource, "#") || u.User != nil || u.Opaque != "" || originOf(u) != originOf(endpoint) {
		return false
	}
	if u.RawQuery != "" && u.RawQuery != endpoint.RawQuery {
		return false
	}
	above, path := strings.TrimSuffix(u.EscapedPath(), "/"), strings.TrimSuffix(endpoint.EscapedPath(), "/")
	return path == above || strings.HasPrefix(path, above+"/")
}

// resourceOf answers the URL of an endpoint as the resource that tokens are for (RFC 8707 section 2). What stands in its query may be a key, and
// a browser and an authorization server are told the resource.
func resourceOf(endpoint *url.URL) string {
	u := url.URL{Scheme: strings.ToLower(endpoint.Scheme), Host: strings.ToLower(endpoint.Host), Path: endpoint.Path, RawPath: endpoint.RawPath}
	return u.String()
}

// describeServer fetches the metadata of an authorization server (RFC 8414, and OpenID Connect Discovery 1.0 section 4); nil where there is
// none. What it answers has been judged.
func (c *Client) describeServer(ctx context.Context, issuer string, most reach) (*oauthex.AuthServerMeta, error) {
	if err := judgeAddress(issuer, most); err != nil {
		return nil, err
	}
	u, err := url.Parse(issuer)
	if err != nil || u.RawQuery != "" {
		return nil, faultf("%s is no issuer", short(issuer))
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	asked := []string{origin + serverPath + path, origin + openIDPath + path}
	if path != "" {
		asked = append(asked, origin+path+openIDPath)
	}
	var lied error
	for _, address := range asked {
		doc, _, err := getJSON[oauthex.AuthServerMeta](ctx, c.web, address, most)
		switch {
		case err != nil:
			return nil, err
		case doc == nil || doc.Issuer == "":
		case !sameIssuer(doc.Issuer, issuer):
			lied = faultf("the authorization server %s says that it is %s", short(issuer), short(doc.Issuer))
		default:
			return doc, judgeServer(doc, most)
		}
	}
	return nil, lied
}

// sameIssuer compares letter by letter (RFC 8414 section 3.3), but for the path / which is the same URL as none (RFC 3986 section 6.2.3) and
// leads to the same metadata: libraries write either.
func sameIssuer(a, b string) bool {
	bare := func(issuer string) string {
		if strings.Count(issuer, "/") == 3 {
			return strings.TrimSuffix(issuer, "/")
		}
		return issuer
	}
	return bare(a) == bare(b)
}

// judgeServer refuses an authorization server at which signing in is not safe, and takes away what is not to be used of it.
func judgeServer(m *oauthex.AuthServerMeta, most reach) error {
	if !slices.Contains(m.CodeChallengeMethodsSupported, "S256") {
		return faultf("the authorization server %s does not offer PKCE with S256, without which somebody else could use the answer to a sign-in", short(m.Issuer))
	}
	if len(m.ResponseTypesSupported) > 0 && !slices.Contains(m.ResponseTypesSupported, "code") {
		return faultf("the authorization server %s does not sign in by a code", short(m.Issuer))
	}
	for _, endpoint := range []string{m.AuthorizationEndpoint, m.TokenEndpoint} {
		if err := judgeAddress(endpoint, most); err != nil {
			return err
		}
	}
	for _, endpoint := range []*string{&m.RegistrationEndpoint, &m.RevocationEndpoint} {
		if judgeAddress(*endpoint, most) != nil {
			*endpoint = ""
		}
	}
	return nil
}
