package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Proxy is the reverse proxy that stands before the surface.
type Proxy struct {
	// Trusted are the addresses that its requests come from. What they say of their
	// callers is believed: the address, the scheme and the host that these used.
	Trusted []netip.Prefix
	// Standard says that it tells of them in the header Forwarded (RFC 7239), and not in
	// X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host. The other is not read: a
	// proxy that does not know it passes on what a caller made up.
	Standard bool
	// Open lets in callers who do not come through the proxy from another machine,
	// because the connection itself protects them.
	Open bool
}

// said is what a proxy says of one caller; "" is nothing.
type said struct{ address, scheme, host string }

func (p *Proxy) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(n netip.Prefix) bool { return n.Contains(a) })
}

// forwarded answers a request as its caller sent it to the proxy. From anybody but the
// proxy and this machine it is refused, where nothing else protects what is sent.
func (s *Server) forwarded(x *exchange, r *http.Request) (_ *http.Request, reason string, e *capabilities.Error) {
	p := s.o.Proxy
	if p == nil {
		return r, "", nil
	}
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	peer := at.Addr().Unmap().WithZone("")
	switch {
	case err == nil && p.trusts(peer):
	case err == nil && (peer.IsLoopback() || p.Open || r.TLS != nil):
		return r, "", nil
	default:
		return r, PastProxy, capabilities.Refuse(capabilities.Forbidden, "this server is reached through the proxy before it alone: use the proxy's address")
	}
	what := p.headers(r.Header)
	own := new(http.Request)
	*own = *r // as http.Request.WithContext does
	if a, ok := addressIn(what.address); ok {
		own.RemoteAddr = net.JoinHostPort(a.String(), "0")
	}
	if what.host != "" {
		own.Host = what.host
	}
	switch {
	case strings.EqualFold(what.scheme, "https"):
		x.secure = true
	case strings.EqualFold(what.scheme, "http"), what.scheme == "" && r.TLS == nil:
		x.secure = false
	case what.scheme == "":
	default:
		return r, "", capabilities.Refuse(capabilities.Invalid, "the proxy says that it was reached by %q: it has to say http or https", clip(what.scheme))
	}
	return own, "", nil
}

// headers answers what the proxies say of a caller, whose address is the nearest one that
// is none of theirs.
func (p *Proxy) headers(h http.Header) said {
	if p.Standard {
		return p.standard(h)
	}
	what := said{scheme: last(h["X-Forwarded-Proto"]), host: last(h["X-Forwarded-Host"])}
	hops := strings.Split(strings.Join(h["X-Forwarded-For"], ","), ",")
	for _, hop := range slices.Backward(hops) {
		a, ok := addressIn(strings.TrimSpace(hop))
		if !ok {
			break // whoever wrote it, it names nobody: the caller is the hop that did
		}
		what.address = a.String()
		if !p.trusts(a) {
			break
		}
	}
	return what
}

// standard is headers for RFC 7239. An element is about the hop that its writer was
// reached by.
func (p *Proxy) standard(h http.Header) (what said) {
	elements := split(strings.Join(h["Forwarded"], ","), ',')
	for _, element := range slices.Backward(elements) {
		one := said{}
		for _, pair := range split(element, ';') {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = unquoted(value)
			switch strings.ToLower(name) {
			case "for":
				one.address = value
			case "proto":
				one.scheme = value
			case "host":
				one.host = value
			}
		}
		a, ok := addressIn(one.address)
		if !ok {
			one.address = what.address
		}
		what = one
		if !ok || !p.trusts(a) {
			break
		}
	}
	return what
}

// last answers the last value of a header that is a list: the one of the nearest proxy.
func last(values []string) string {
	all := strings.Join(values, ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}

// addressIn reads an address, with a port or without, one of version 6 in brackets or
// without.
func addressIn(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	a, err := netip.ParseAddr(text)
	return a.Unmap().WithZone(""), err == nil
}

// split parts a header at a separator, but not within quotes.
func split(text string, by byte) (parts []string) {
	begin, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == by && !quoted:
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// unquoted answers a value without its quotes (RFC 9110 section 5.6.4).
func unquoted(value string) string {
	inner, ok := strings.CutPrefix(strings.TrimSpace(value), `"`)
	if !ok {
		return strings.TrimSpace(value)
	}
	inner = strings.TrimSuffix(inner, `"`)
	if !strings.Contains(inner, `\`) {
		return inner
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}
