package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// OAuth says from whom OAuth 2.1 access tokens are taken: from another authorization server, the Issuer, or from the one of this program. It
// is one of the two, never both.
type OAuth struct {
	// Address is where clients reach this server, such as https://tools.example, without a slash at its end; empty when it is where it listens.
	Address string
	// Server says that this program is the authorization server itself.
	Server bool
	// RedirectSchemes are the schemes without a dot that a client of this program's authorization server may be answered at, besides https,
	// http on the loopback and schemes with a dot; nil for what [OAuth.Schemes] says then.
	RedirectSchemes []string
	// Issuer is the identifier of the authorization server (RFC 8414); empty when Server is set.
	Issuer string
	// Audience is what tokens are for, in place of the addresses of this server; empty for those.
	Audience string
	// JWKSURL is where the keys of the issuer stand; empty when its metadata says so.
	JWKSURL string
	// Algorithms are those that tokens may be signed with; never empty beside an Issuer.
	Algorithms []string
	// Scopes are the scopes here that each scope of the issuer stands for. Nil when its scopes are named as those here, of which it cannot
	// give admin then.
	Scopes map[string][]string
	// SubjectClaim is the claim that says whom a token is for; sub when the file does not say.
	SubjectClaim string
	// People are the people that subjects are, by the value of the claim. PeopleOnly refuses everybody else.
	People     map[string]string
	PeopleOnly bool
	// Line is where the entry stands; 0 when the file has none.
	Line int
}

// On reports whether access tokens are taken.
func (o *OAuth) On() bool { return o.Server || o.Issuer != "" }

// ScopesPath answers where the scopes stand that one of the issuer's stands for.
func (o *OAuth) ScopesPath(scope string) string { return under("oauth.scopes", scope) }

// oauthEntry is the entry as it was read.
type oauthEntry struct {
	OAuth
	node   *node
	scopes []pair[[]string]
	people []pair[string]
}

// Algorithms that a token of an issuer may be signed with. Those with a shared secret are not among them, nor is none.
const (
	AlgorithmRS256 = "RS256"
	AlgorithmES256 = "ES256"
	AlgorithmEdDSA = "EdDSA"
)

func secureURLRule() rule {
	return rule{`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@"<>\\]+(/[^\s?#"<>\\]*)?$`, 2000, "an https url, without a query, a fragment and a credential; http is for a loopback address"}
}

// secureURL accepts an https url, and http for a loopback address.
func secureURL() shape[string] {
	of := text(secureURLRule())
	return shape[string]{schema: of.schema, read: func(d *decoder, n *node, path string) (string, bool) {
		s, ok := of.read(d, n, path)
		if ok && !SecureURL(s) {
			d.fault(n.line, path, "must be %s", secureURLRule().words)
			return "", false
		}
		return s, ok
	}}
}

// SecureURL reports whether nobody on the way can read or change what a url answers: it is https, or http to an address of the loopback.
func SecureURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "https":
		return true
	case "http":
		ip, err := netip.ParseAddr(u.Hostname())
		return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
	}
	return false
}

// oauthShape is the table of the entry oauth.
func oauthShape() shape[oauthEntry] {
	claim := rule{`^[A-Za-z0-9_:./-]+$`, 200, "the name of a claim, such as sub or email"}
	theirs := rule{`^[\x21\x23-\x5B\x5D-\x7E]+$`, 200, "a scope: visible ASCII characters without \" and \\"}
	subject := rule{`^[^\x00]+$`, 255, "a subject of 1 to 255 characters"}
	return object([]field[oauthEntry]{
		key("server", "Whether this server is the authorization server itself: the owner consents to each client in the browser.", boolean(),
			func(o *oauthEntry) *bool { return &o.Server }).defaulting("false"),
		key("redirect_schemes", "Schemes without a dot that programs are opened by which this server gives tokens to.", redirectSchemes(),
			func(o *oauthEntry) *[]string { return &o.RedirectSchemes }).defaulting(`["cursor"]`),
		key("issuer", "The authorization server whose access tokens are taken, as its metadata names it.", secureURL(), func(o *oauthEntry) *string { return &o.Issuer }),
		key("address", "Where clients reach this server, such as `https://tools.example`. Without it, where it listens.", secureURL(),
			func(o *oauthEntry) *string { return &o.Address }),
		key("audience", "The audience that tokens of the issuer are for. Without it, the address of this server or of the MCP endpoint that is called.",
			text(rule{`^\S+$`, 2000, "an audience, without spaces"}), func(o *oauthEntry) *string { return &o.Audience }),
		key("jwks_url", "Where the keys of the issuer stand. Without it, its metadata says so.", secureURL(), func(o *oauthEntry) *string { return &o.JWKSURL }),
		key("algorithms", "What tokens may be signed with. Without it, any of the three.",
			filled(distinct(list(choice(option[string]{AlgorithmRS256, AlgorithmRS256}, option[string]{AlgorithmES256, AlgorithmES256}, option[string]{AlgorithmEdDSA, AlgorithmEdDSA}))),
				"leave the key out to allow all of them"), func(o *oauthEntry) *[]string { return &o.Algorithms }),
		key("scopes", "The scopes here that each scope of the issuer stands for. Without it, a scope of the issuer is the one here of the same name, and `admin` is none.",
			dictionary(theirs, distinct(list(text(scopeRule())))), func(o *oauthEntry) *[]pair[[]string] { return &o.scopes }),
		key("subject_claim", "The claim of a token that says whom it is for.", text(claim), func(o *oauthEntry) *string { return &o.SubjectClaim }).defaulting(`"sub"`),
		key("people", "The ids of the people that subjects are, by what the claim says.", dictionary(subject, text(idRule())), func(o *oauthEntry) *[]pair[string] { return &o.people }),
		key("people_only", "Whether tokens of subjects that are no person here are refused.", boolean(), func(o *oauthEntry) *bool { return &o.PeopleOnly }).defaulting("false"),
	}, nil, checkOAuth)
}

// checkOAuth judges what no key can alone, and fills in what is not said.
func checkOAuth(d *decoder, n *node, path string, o *oauthEntry) bool {
	o.Line, o.node = n.line, n
	o.Address = strings.TrimRight(o.Address, "/")
	switch given := n.get("issuer") != nil; {
	case given && o.Server:
		d.fault(n.lineOf("server"), under(path, "server"), "issuer says that another server gives the tokens; keep one of the two")
		return false
	case !given && !o.Server && len(n.members) == 1 && o.Address != "":
		return true // it says no more than where this server is, which sign-ins to others need, too
	case !given && !o.Server:
		d.fault(n.line, path, "takes tokens from nobody: write issuer for an authorization server, or server: true to be one")
		return false
	}
	if o.Server {
		for _, k := range []string{"audience", "jwks_url", "algorithms", "scopes", "subject_claim", "people", "people_only"} {
			if n.get(k) != nil {
				d.fault(n.lineOf(k), under(path, k), "means nothing beside server: true; remove it")
				return false
			}
		}
		return true
	}
	if n.get("redirect_schemes") != nil {
		d.fault(n.lineOf("redirect_schemes"), under(path, "redirect_schemes"), "means nothing beside issuer, which has clients of its own; remove it")
		return false
	}
	if o.Algorithms == nil {
		o.Algorithms = []string{AlgorithmRS256, AlgorithmES256, AlgorithmEdDSA}
	}
	if o.SubjectClaim == "" {
		o.SubjectClaim = "sub"
	}
	if n.get("scopes") != nil {
		o.Scopes = map[string][]string{}
	}
	for _, p := range o.scopes {
		o.Scopes[p.key] = p.value
	}
	if n.get("people") != nil {
		o.People = map[string]string{}
	}
	for _, p := range o.people {
		o.People[p.key] = p.value
	}
	return true
}

// checkOAuthPeople judges whom the entry names.
func (l *loading) checkOAuthPeople(people idSet) {
	o := &l.config.read.oauth
	if o.node == nil {
		return
	}
	if l.config.Auth == AuthNone && o.On() {
		l.own.fault(o.Line, "oauth", "auth: none lets everybody in without a token; remove one of the two")
	}
	for _, p := range o.people {
		people.need(p.value, "oauth.people", p.key, l.config.lines)
	}
}

// oauth shows the entry oauth.
func (w *shower) oauth() {
	o := &w.c.read.oauth
	if o.node == nil {
		return
	}
	for _, k := range []given{
		{"server", compact(o.Server), true},
		{"redirect_schemes", compact(o.Schemes()), o.Server || o.RedirectSchemes != nil},
		{"issuer", quoted(o.Issuer), o.Issuer != ""},
		{"address", quoted(o.Address), o.Address != ""},
		{"audience", quoted(o.Audience), o.Audience != ""},
		{"jwks_url", quoted(o.JWKSURL), o.JWKSURL != ""},
		{"algorithms", compact(slices.Clone(o.Algorithms)), o.Algorithms != nil},
		{"subject_claim", quoted(o.SubjectClaim), o.SubjectClaim != ""},
		{"people_only", compact(o.PeopleOnly), !o.Server},
	} {
		if k.shown {
			w.add(under("oauth", k.key), k.value, w.ofFile(under("oauth", k.key)))
		}
	}
	for _, p := range o.scopes {
		path := under("oauth.scopes", p.key)
		w.add(path, compact(p.value), w.ofFile(path))
	}
	for _, p := range o.people {
		path := under("oauth.people", p.key)
		w.add(path, quoted(p.value), w.ofFile(path))
	}
}
