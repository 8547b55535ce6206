package config

import "strings"

// SignIn says how a server over HTTP is signed in to where it asks for that and no Authorization header is configured (MCP, Authorization). The
// zero value is what holds without the key.
type SignIn struct {
	// Off never signs in.
	Off bool
	// ClientID is that of a client which is registered at the authorization server already, or the https url of a document that describes one; ""
	// has one registered. ClientSecret goes with it, variables replaced.
	ClientID, ClientSecret string
	// Issuer is the one authorization server that is signed in at; "" is the one that the server names.
	Issuer string
	// Scopes are asked for in place of those that the server names. Nil asks for what it names.
	Scopes []string
}

// signInEntry is the same as an entry gives it, before variables: the zero value says nothing.
type signInEntry struct {
	Enabled      *bool    `json:"enabled,omitempty"`
	ClientID     string   `json:"client_id,omitempty"`
	ClientSecret string   `json:"client_secret,omitempty"`
	Issuer       string   `json:"issuer,omitempty"`
	Scopes       []string `json:"scopes,omitzero"`

	// line is where it stands; 0 for nowhere.
	line int
}

const signInDoc = "How the server is signed in to by OAuth where it asks for that and `headers` has no Authorization. `false` never signs in; without the key, what the server says is done."

// signInField is the key of our own entries.
func signInField() field[entry] {
	return key("oauth", signInDoc, optional(signInShape()), func(e *entry) *signInEntry { return &e.signIn })
}

// clientSignInField is the same of the clients' entries, which say more there that is about the client.
func clientSignInField() field[entry] {
	of := signInShape("clientId", "clientSecret")
	open := *of.schema.OneOf[1]
	open.AdditionalProperties = nil
	known := map[string]bool{}
	for _, p := range open.Properties {
		known[p.name] = true
	}
	all := optional(shape[signInEntry]{schema: &schema{OneOf: []*schema{of.schema.OneOf[0], &open}}, read: of.read})
	return field[entry]{names: []string{"oauth"}, doc: signInDoc, schema: all.schema, read: func(d *decoder, n *node, path string, e *entry) bool {
		kept := *n
		if n.kind == kindObject {
			kept.members = nil
			for _, m := range n.members {
				if known[m.key] {
					kept.members = append(kept.members, m)
				} else {
					e.ignored = append(e.ignored, remark{under("oauth", m.key), m.line, "Ignored: it is about how that client signs in."})
				}
			}
		}
		var ok bool
		e.signIn, ok = all.read(d, &kept, path)
		return ok
	}}
}

// signInShape accepts false, or an object; more are other spellings of client_id and client_secret.
func signInShape(more ...string) shape[signInEntry] {
	id := key("client_id", "The id of a client that is registered at the authorization server already, or the https url of a document that describes one. `${NAME}` stands for a variable. Without it, one is registered.",
		text(filledRule()), func(s *signInEntry) *string { return &s.ClientID })
	secret := key("client_secret", "The secret of that client, as `${NAME}`. It goes with `issuer`, so that no server can have it sent elsewhere.",
		text(filledRule()), func(s *signInEntry) *string { return &s.ClientSecret })
	if len(more) == 2 {
		id, secret = id.also(more[0]), secret.also(more[1])
	}
	flag := mapped(boolean(), func(b bool) *bool { return &b })
	whole := object([]field[signInEntry]{
		key("enabled", "False never signs in.", flag, func(s *signInEntry) **bool { return &s.Enabled }),
		id, secret,
		key("issuer", "The one authorization server that is signed in at, as it names itself. Without it, the one that the server names.",
			text(issuerRule()), func(s *signInEntry) *string { return &s.Issuer }),
		key("scopes", "What is asked for, in place of what the server names.",
			distinct(list(text(scopeTokenRule()))), func(s *signInEntry) *[]string { return &s.Scopes }),
	}, nil, func(d *decoder, n *node, path string, s *signInEntry) bool {
		if s.ClientSecret != "" && s.ClientID == "" {
			d.fault(n.line, path, "client_secret goes with a client_id, which is missing")
			return false
		}
		return true
	})
	bare := &schema{}
	for _, name := range secret.names {
		bare.Properties = append(bare.Properties, property{name, nothing()})
	}
	whole.schema.AnyOf = []*schema{bare}
	for _, name := range id.names {
		whole.schema.AnyOf = append(whole.schema.AnyOf, &schema{Required: []string{name}})
	}
	word := boolean()
	return shape[signInEntry]{schema: &schema{OneOf: []*schema{word.schema, whole.schema}}, read: func(d *decoder, n *node, path string) (signInEntry, bool) {
		var out signInEntry
		switch n.kind {
		case kindBool:
			on, ok := word.read(d, n, path)
			out.Enabled, out.line = &on, n.line
			return out, ok
		case kindObject:
			out, ok := whole.read(d, n, path)
			out.line = n.line
			return out, ok
		case kindNull, kindText, kindNumber, kindList:
		}
		d.fault(n.line, path, "must be true, false or an object, not %s", n.kind)
		return out, false
	}}
}

func issuerRule() rule {
	// The issuer is shown to whoever asks how a server stands.
	return rule{`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(/[^\s?#]*)?$`, 2048, "the http or https address of an authorization server, without a query and a credential"}
}

// scopeTokenRule is RFC 6749, section 3.3.
func scopeTokenRule() rule {
	return rule{`^[\x21\x23-\x5b\x5d-\x7e]+$`, 256, "the name of a scope: printable ASCII without a space, a quote or a backslash"}
}

// given reports whether the entry says anything about it.
func (s *signInEntry) given() bool { return s.line > 0 }

// values are the texts in which variables are replaced.
func (s *signInEntry) values() []value {
	var out []value
	for _, v := range []value{{"client_id", s.ClientID, s.line, "oauth.client_id"}, {"client_secret", s.ClientSecret, s.line, "oauth.client_secret"}} {
		if v.text != "" {
			out = append(out, v)
		}
	}
	return out
}

// shown is what is shown of it: a secret that is written out is not.
func (s signInEntry) shown() signInEntry {
	s.ClientSecret = maskedValue(s.ClientSecret)
	return s
}

// fillSignIn fills in what the variables of the key stand for.
func (x *expander) fillSignIn(s *signInEntry) {
	out := SignIn{Off: s.Enabled != nil && !*s.Enabled, Issuer: s.Issuer, Scopes: s.Scopes}
	if out.Off {
		x.server.SignIn = SignIn{Off: true}
		return
	}
	for _, v := range s.values() {
		text, ok := x.one(v.place, v.text, false)
		if words := sendable(text); ok && words != "" {
			x.hold(v.place + ": " + words)
		}
		switch v.key {
		case "client_id":
			out.ClientID = text
		case "client_secret":
			out.ClientSecret = text
		}
	}
	x.server.SignIn = out
}

// remarkSignIn says of the key that it is not acted on.
func (dec declaration) remarkSignIn() {
	s := &dec.signIn
	if !s.given() || s.Enabled != nil && !*s.Enabled {
		return
	}
	for _, h := range dec.headers {
		if strings.EqualFold(h.key, "Authorization") {
			dec.d.notice(s.line, "server %q: oauth is not acted on: headers has an Authorization, which counts", dec.name)
		}
	}
}
