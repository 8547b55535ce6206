package config

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
)

// TLS is the certificate that the HTTP surface is served with. The zero value is none.
type TLS struct {
	// CertFile and KeyFile are absolute paths of PEM files: the certificate with what it was signed with, and its key.
	CertFile, KeyFile string
}

// Proxy is the reverse proxy that stands before the HTTP surface.
type Proxy struct {
	// Trusted are the addresses it may have; nil is no proxy.
	Trusted []netip.Prefix
	// Standard says that it tells of its callers in the header Forwarded (RFC 7239), and not in X-Forwarded-For, -Proto and -Host.
	Standard bool
}

// edge is what the file says of where the HTTP surface stands, and of where it is noted who comes.
type edge struct {
	tls   TLS
	proxy Proxy
	hosts []string
	audit Audit
}

func hostRule() rule {
	return rule{`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:[0-9]{1,5})?$`, 253, "a name such as tools.example, or a name with a port, in lower case"}
}

func addressesRule() rule {
	return rule{`^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$`, 0, "an address, or a network such as 10.0.0.0/8"}
}

// edgeFields are the top-level keys of an edge.
func edgeFields() []field[file] {
	return []field[file]{
		key("hosts", "Further names that the server is reached by, with a port or for any. A request that names another host is refused.",
			distinct(list(text(hostRule()))), func(f *file) *[]string { return &f.edge.hosts }),
		key("tls", "The certificate to serve HTTPS with, read again when its files change.", object([]field[TLS]{
			key("cert_file", "The certificate in PEM, and behind it what it was signed with; a relative path counts from the directory of this file.",
				text(filledRule()), func(t *TLS) *string { return &t.CertFile }).needed(),
			key("key_file", "The key of the certificate in PEM.", text(filledRule()), func(t *TLS) *string { return &t.KeyFile }).needed(),
		}, nil, func(d *decoder, _ *node, _ string, t *TLS) bool {
			for _, path := range []*string{&t.CertFile, &t.KeyFile} {
				if *path != "" && !filepath.IsAbs(*path) {
					*path = filepath.Join(d.dir, *path)
				}
			}
			return true
		}), func(f *file) *TLS { return &f.edge.tls }),
		key("proxy", "The reverse proxy in front of the server. Everybody but it, and this machine, is turned away where there is no `tls`.", proxyShape(), func(f *file) *Proxy { return &f.edge.proxy }),
		key("audit", "Where calls, and requests that were refused before they became any, are noted besides the database of the audit.", auditShape(), func(f *file) *Audit { return &f.edge.audit }),
	}
}

func proxyShape() shape[Proxy] {
	networks := list(text(addressesRule()))
	atLeastOne := *networks.schema
	atLeastOne.MinItems = 1
	trusted := shape[[]netip.Prefix]{schema: &atLeastOne, read: func(d *decoder, n *node, path string) ([]netip.Prefix, bool) {
		texts, ok := networks.read(d, n, path)
		if ok && len(texts) == 0 {
			d.fault(n.line, path, "the list is empty: leave proxy out where there is none")
			return nil, false
		}
		var all []netip.Prefix
		for i, one := range texts {
			p, err := network(one)
			if err != nil && ok {
				d.fault(n.items[i].line, at(path, i), "%v", err)
			}
			all, ok = append(all, p), ok && err == nil
		}
		return all, ok
	}}
	return object([]field[Proxy]{
		key("trusted", "The addresses, or networks, that the proxy's requests come from. What they say of their callers is believed, and nobody else's word is.",
			trusted, func(p *Proxy) *[]netip.Prefix { return &p.Trusted }).needed(),
		key("header", "How the proxy tells of its callers: in `x-forwarded` headers (For, Proto and Host), or in the header `forwarded` (RFC 7239). The other is not read.",
			choice(option[bool]{"x-forwarded", false}, option[bool]{"forwarded", true}), func(p *Proxy) *bool { return &p.Standard }).defaulting(`"x-forwarded"`),
	}, nil, nil)
}

// network reads an address, or a network whose address has no bit beyond its length.
func network(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		addr, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, fmt.Errorf("must be %s", addressesRule().words)
		}
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return netip.Prefix{}, fmt.Errorf("must be %s", addressesRule().words)
	case p != p.Masked():
		return netip.Prefix{}, fmt.Errorf("has bits beyond its length: write %s for the network, or the address alone", p.Masked())
	case p.Addr().Is4In6(): // those that are compared with it are of version 4 by then
		return netip.Prefix{}, fmt.Errorf("is a network of version 4: write %s/%d", p.Addr().Unmap(), p.Bits()-96)
	case p.Bits() == 0:
		return netip.Prefix{}, fmt.Errorf("is everybody, who would be believed whatever they say: name the addresses of the proxy")
	}
	return p, nil
}

// takeEdge takes over what the file says of where the HTTP surface stands, and judges it as a whole.
func (l *loading) takeEdge() {
	c := l.config
	c.TLS, c.Proxy, c.Hosts, c.Audit = c.read.edge.tls, c.read.edge.proxy, c.read.edge.hosts, c.read.edge.audit
	if c.Auth == AuthNone && c.Proxy.Trusted != nil {
		l.own.fault(c.lines["proxy"], "proxy", "what a proxy passes on comes from anywhere, and auth: none lets in whoever comes from this machine; remove one of them")
	}
}

// edge shows where the HTTP surface stands.
func (w *shower) edge() {
	if w.c.Hosts != nil {
		w.top("hosts", compact(w.c.Hosts))
	}
	if t := w.c.TLS; t != (TLS{}) {
		w.add("tls.cert_file", quoted(t.CertFile), w.ofFile("tls.cert_file"))
		w.add("tls.key_file", quoted(t.KeyFile), w.ofFile("tls.key_file"))
	}
	if p := w.c.Proxy; p.Trusted != nil {
		var all []string
		for _, one := range p.Trusted {
			all = append(all, one.String())
		}
		w.add("proxy.trusted", compact(all), w.ofFile("proxy.trusted"))
		header := "x-forwarded"
		if p.Standard {
			header = "forwarded"
		}
		w.add("proxy.header", quoted(header), w.ofFile("proxy.header"))
	}
}
