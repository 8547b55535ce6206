package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A base is where the paths of a document begin: an origin, and what of a path stands
// before all of them.
type base struct {
	url    *url.URL
	before string // encoded, without a slash at its end
}

// at is the address of an encoded path and query.
func (b *base) at(path, query string) (*url.URL, error) {
	text := b.url.Scheme + "://" + b.url.Host + b.before + path
	if query != "" {
		text += "?" + query
	}
	return url.Parse(text)
}

// newBase answers where the operator says that calls go, or the first server of the
// document. A credential is for the operator to direct, so that a document which comes from
// one origin sends none to another.
func newBase(d *document, o *Options) (*base, error) {
	if o.BaseURL != "" {
		b, why := baseOf(o.BaseURL)
		if why != "" {
			return nil, fmt.Errorf("goes with a base_url that %s", why)
		}
		return b, nil
	}
	address, err := firstServer(d)
	if err != nil {
		return nil, err
	}
	from, remote := o.remote()
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("has a first server at #/servers/0/url that is no address; state base_url")
	case !u.IsAbs() && !remote:
		return nil, fmt.Errorf("has no absolute address at #/servers/0/url, only %q; state base_url", short(address, 120))
	case !u.IsAbs():
		of := *from
		of.User = nil // it is for the document
		u = of.ResolveReference(u)
	}
	b, why := baseOf(u.String())
	if why != "" {
		return nil, fmt.Errorf("has a first server at #/servers/0/url that %s; state base_url", why)
	}
	if remote && o.secret() && bridge.OriginOf(b.url) != bridge.OriginOf(from) {
		return nil, fmt.Errorf("has its first server in another origin than its own, %s; state base_url to have the credential sent there", bridge.OriginOf(b.url))
	}
	return b, nil
}

// baseOf reads an address that paths can stand behind.
func baseOf(address string) (b *base, why string) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, "is no http or https address"
	case u.User != nil:
		return nil, "has a credential in it"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, "has a query or a fragment, behind which no path can stand"
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if part == ".." || part == "." {
			return nil, "has a segment . or .. in its path"
		}
	}
	return &base{u, strings.TrimRight(u.EscapedPath(), "/")}, ""
}

// firstServer is the address of the first server, its variables as they are by default. The
// standard says "/" where a document names none.
func firstServer(d *document) (string, error) {
	for _, one := range rawjson.Elements(rawjson.Member(d.root, "servers")) {
		address, _ := rawjson.String(rawjson.Member(one, "url"))
		for name, of := range rawjson.Members(rawjson.Member(one, "variables")) {
			if !strings.Contains(address, "{") {
				break
			}
			value, _ := rawjson.String(rawjson.Member(of, "default"))
			if strings.Contains(value, "{") { // which another one would replace, and so on
				return "", errors.New("has a variable with a brace in its default at #/servers/0; state base_url")
			}
			variable := "{" + name + "}"
			if len(address)+strings.Count(address, variable)*len(value) > maxAddress {
				return "", fmt.Errorf("has an address of more than %d bytes at #/servers/0/url; state base_url", maxAddress)
			}
			address = strings.ReplaceAll(address, variable, value)
		}
		if strings.Contains(address, "{") {
			return "", errors.New("has a variable without a default at #/servers/0/url; state base_url")
		}
		return address, nil
	}
	return "/", nil
}
