package authserver

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// client is who asks for tokens, as far as its own words go: whoever registers itself says
// what it wants.
type client struct {
	id, name  string
	redirects []string
	// host is where the metadata document of the client stands, which nobody else can put
	// there; "" for one that registered itself.
	host string
}

const (
	maxRedirects = 10
	maxRedirect  = 500 // characters of one
	maxName      = 64
	prefixClient = "client"
)

// clientOf answers the client with an id. The failure is told to the person, and to
// nobody by way of an address that the request names.
func (s *Server) clientOf(ctx context.Context, id string) (*client, error) {
	if strings.HasPrefix(id, "https://") {
		return s.documents.client(ctx, id)
	}
	return s.registered(ctx, id)
}

// redirectsTo reports whether the client may be answered at an address: it is one of those
// that it named, word for word. Of a program on the same machine the port may be another
// one (RFC 8252 section 7.3).
func (c *client) redirectsTo(address string) bool {
	for _, known := range c.redirects {
		if known == address || samePlace(known, address) {
			return true
		}
	}
	return false
}

func samePlace(known, address string) bool {
	k, err := url.Parse(known)
	if err != nil || k.Scheme != "http" || !loopback(k.Hostname()) {
		return false
	}
	a, err := url.Parse(address)
	if err != nil || redirectFault(address, nil) != "" || a.Scheme != "http" || a.Hostname() != k.Hostname() {
		return false
	}
	a.Host = k.Host
	return a.String() == k.String() && address != ""
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost"
}

// redirectFault says what is wrong with an address that a code may be sent to; "" is
// nothing. It is https, or http to a program on the person's own machine, or of a scheme
// that is a program's own: one with a dot, as the name of a domain turned round has (RFC
// 8252 section 7.1), or one of those schemes without a dot that the operator has named.
// Whatever else a browser or a desktop opens by a scheme, nobody can list.
func redirectFault(address string, schemes []string) string {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxRedirect:
		return "is too long"
	case err != nil || !u.IsAbs() || strings.ContainsFunc(address, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"<>\^{|}`+"`", c) }):
		return "is no absolute URI"
	case u.Fragment != "" || strings.Contains(address, "#"):
		return "has a fragment"
	case u.User != nil:
		return "holds a credential"
	case strings.ContainsFunc(u.Host, func(c rune) bool { // what else a host may hold parts the words of a policy
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-._~:[]", c)
	}):
		return "has a host with signs that names have not"
	}
	switch {
	case u.Scheme == "https":
		if u.Hostname() == "" {
			return "has no host"
		}
	case u.Scheme == "http":
		if !loopback(u.Hostname()) {
			return "is http to another machine: use https"
		}
	case !strings.Contains(strings.Trim(u.Scheme, "."), ".") && !slices.Contains(schemes, u.Scheme):
		return "has a scheme without a dot, which may be any program's: use https, http on the loopback or a scheme as com.example.app, or ask the operator to name it under oauth.redirect_schemes"
	}
	return ""
}

// placeOf answers what a person is shown of an address: its host, or the program that has
// the scheme.
func placeOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Host
	}
	return u.Scheme + ": (a program on your machine)"
}

// sourceOf answers what a content security policy calls the place of an address.
func sourceOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

// nameOf answers a name that somebody gave a client as a line that shows nothing but
// itself; "" where nothing is left.
func nameOf(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	clean = strings.TrimSpace(clean)
	if runes := []rune(clean); len(runes) > maxName {
		clean = strings.TrimSpace(string(runes[:maxName-3])) + "..."
	}
	return clean
}

// label is what the API token of a client is called: by its name, and by the place that
// cannot be somebody else's.
func (c *client) label(redirect string) string {
	place := c.host
	if place == "" {
		place = placeOf(redirect)
	}
	name, room := []rune(c.name), maxName-len([]rune(place))-3
	switch {
	case len([]rune(place)) > maxName: // whose a host is stands at its end
		return "..." + string([]rune(place)[len([]rune(place))-maxName+3:])
	case room < 4 || len(name) == 0:
		return place
	case len(name) > room:
		return nameOf(string(name[:room])) + " (" + place + ")"
	}
	return c.name + " (" + place + ")"
}
