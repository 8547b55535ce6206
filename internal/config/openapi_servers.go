package config

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// TransportOpenAPI is the transport of a server that an OpenAPI document describes.
const TransportOpenAPI Transport = "openapi"

// OpenAPIServer is one entry of openapi_servers: an API whose operations are presented as the tools of an MCP server are. What it has in common
// with one stands in Server: its name and place, Headers, Allow, Deny, ToolAnnotations, the time limits, Limits, Secrets and Unresolved. Nothing it says
// of itself can drift: it says nothing of what a call does.
type OpenAPIServer struct {
	Server
	// Document is where the OpenAPI document is: an absolute path, or an http or https url, variables replaced. It is empty while it is unresolved.
	Document string
	// BaseURL is where calls go, variables replaced; empty when the document says so.
	BaseURL string
	// Auth is the credential of every request.
	Auth APIAuth
	// Effects are what the operator says that operations do, by their operationId or their METHOD and path.
	Effects map[string]APIEffect
}

// APIAuth is a credential. The zero value is none.
type APIAuth struct {
	// Type is bearer, basic, header, query or scheme; the last is what the document says of the security scheme of the name.
	Type string
	Name string
	User string
	// Value is the credential, variables replaced; empty while it is unresolved.
	Value string
}

// APIEffect is an effect in the words of the declarations, such as read and world.
type APIEffect struct{ Change, Reach string }

// Bridged returns every server that is presented here: those of Servers, and after them what the entries of openapi_servers have in common with them.
func (c *Config) Bridged() []Server {
	all := slices.Clone(c.Servers)
	for _, s := range c.OpenAPIServers {
		all = append(all, s.Server)
	}
	return all
}

// Documents returns the files that openapi_servers name, in their order, each once.
func (c *Config) Documents() []string {
	var all []string
	for _, s := range c.OpenAPIServers {
		if s.Document != "" && !isRemote(s.Document) && !slices.Contains(all, s.Document) {
			all = append(all, s.Document)
		}
	}
	return all
}

func isRemote(document string) bool { return beginsLikeURL.MatchString(document) }

// apiEntry is an entry as it was read, before variables.
type apiEntry struct {
	entry
	document, base string
	auth           *apiAuth
	effects        []pair[APIEffect]
}

// apiAuth is the key auth as it was read.
type apiAuth struct{ kind, scheme, name, user, value string }

func operationRule() rule {
	return rule{`^[^*\x00]+$`, 0, "the exact operationId of an operation, or its METHOD and path with a space between them; * is not a pattern"}
}

// apiShape is the table of an entry of openapi_servers.
func apiShape() shape[apiEntry] {
	fields := []field[apiEntry]{
		key("name", "The name of the server, unique among all servers: 1 to 64 printable characters. The prefix of its tools is derived from it.",
			text(nameRule()), func(e *apiEntry) *string { return &e.name }).needed(),
		key("document", "The OpenAPI 3.0 or 3.1 document, JSON or YAML: a file, which counts from the directory of this one, or an http or https url. `${NAME}` in a url stands for a variable.",
			text(filledRule()), func(e *apiEntry) *string { return &e.document }).needed(),
		key("base_url", "Where calls go. Without it, the first server of the document. `${NAME}` stands for a variable.",
			text(urlRule()), func(e *apiEntry) *string { return &e.base }),
		key("headers", "HTTP headers for every request to the API. `${NAME}` in a value stands for a variable, `$$` for a dollar sign.",
			optional(dictionary(headerRule(), headerValue())), func(e *apiEntry) *[]pair[string] { return &e.headers }),
		key("auth", "The credential of every request to the API. Without it, none.", apiAuthShape(), func(e *apiEntry) **apiAuth { return &e.auth }),
		key("allow", "The operations to keep, by operationId or by `METHOD /path`. Without this key all of them are kept; with an empty list none.",
			distinct(list(text(operationRule()))), func(e *apiEntry) *[]string { return &e.allow }),
		key("deny", "The operations to leave out, by operationId or by `METHOD /path`. It wins over `allow`.",
			distinct(list(text(operationRule()))), func(e *apiEntry) *[]string { return &e.deny }),
		key("effects", "What operations do, by operationId or by `METHOD /path`: a change, or an object of `change` and `reach`. Without this nothing is known of any of them.",
			optional(dictionary(operationRule(), apiEffectShape())), func(e *apiEntry) *[]pair[APIEffect] { return &e.effects }),
	}
	for _, f := range sharedFields() {
		if slices.Contains([]string{"tool_prefix", "tool_annotations", "startup_timeout_seconds", "call_timeout_seconds", "limits"}, f.names[0]) {
			fields = append(fields, ofEntry(f))
		}
	}
	return object(fields, nil, checkAPI)
}

// ofEntry is a key of an entry of mcp_servers as one of this kind.
func ofEntry(f field[entry]) field[apiEntry] {
	return field[apiEntry]{names: f.names, doc: f.doc, def: f.def, schema: f.schema, read: func(d *decoder, n *node, path string, into *apiEntry) bool {
		return f.read(d, n, path, &into.entry)
	}}
}

func apiAuthShape() shape[*apiAuth] {
	kinds := choice(option[string]{"bearer", "bearer"}, option[string]{"basic", "basic"}, option[string]{"header", "header"}, option[string]{"query", "query"})
	of := object([]field[apiAuth]{
		key("type", "How the value is sent: `bearer` and `basic` in the header Authorization, `header` and `query` under `name`.", kinds, func(a *apiAuth) *string { return &a.kind }),
		key("scheme", "The name of a security scheme of the document, which says how the value is sent, in place of `type`.", text(filledRule()), func(a *apiAuth) *string { return &a.scheme }),
		key("name", "The header or the parameter of the query that has the value.", text(headerRule()), func(a *apiAuth) *string { return &a.name }),
		key("user", "The user of `basic`, and of a security scheme that is. `${NAME}` stands for a variable.", text(filledRule()), func(a *apiAuth) *string { return &a.user }),
		key("value", "The token, the password or the key, such as `${PETS_TOKEN}`.", headerValue(), func(a *apiAuth) *string { return &a.value }).needed(),
	}, nil, func(d *decoder, n *node, path string, a *apiAuth) bool {
		given := func(k string) bool { return n.get(k) != nil }
		named := a.kind == "header" || a.kind == "query"
		switch {
		case given("type") == given("scheme"):
			d.fault(n.line, path, "needs type or scheme, and not both")
		case named && !given("name"):
			d.fault(n.line, path, "needs the name of the %s", a.kind)
		case !named && given("name"):
			d.fault(n.lineOf("name"), under(path, "name"), "means nothing without type: header or type: query; remove it")
		case a.kind == "basic" && !given("user"):
			d.fault(n.line, path, "needs the user that the value is the password of")
		case given("user") && a.kind != "basic" && !given("scheme"):
			d.fault(n.lineOf("user"), under(path, "user"), "means nothing beside type: %s; remove it", a.kind)
		default:
			return true
		}
		return false
	})
	return mapped(of, func(a apiAuth) *apiAuth { return &a })
}

// apiEffectShape accepts a change alone, which then reaches the world, or with a reach.
func apiEffectShape() shape[APIEffect] {
	word := func(words ...string) shape[string] {
		var all []option[string]
		for _, w := range words {
			all = append(all, option[string]{w, w})
		}
		return choice(all...)
	}
	change, reach := word("read", "append", "amend", "set", "destroy"), word("private", "local", "shared", "world")
	both := object([]field[APIEffect]{
		key("change", "What a call may do to what exists, as in a declaration.", change, func(e *APIEffect) *string { return &e.Change }).needed(),
		key("reach", "Where that lands.", reach, func(e *APIEffect) *string { return &e.Reach }).defaulting(`"world"`),
	}, nil, nil)
	return shape[APIEffect]{schema: &schema{OneOf: []*schema{change.schema, both.schema}}, read: func(d *decoder, n *node, path string) (APIEffect, bool) {
		e, ok := APIEffect{}, false
		if n.kind == kindObject {
			e, ok = both.read(d, n, path)
		} else {
			e.Change, ok = change.read(d, n, path)
		}
		e.Reach = cmp.Or(e.Reach, "world")
		return e, ok
	}}
}

// checkAPI judges what no key can alone.
func checkAPI(d *decoder, n *node, path string, e *apiEntry) bool {
	e.node, e.line, e.path, e.transport = n, n.line, path, TransportOpenAPI
	ok := checkHeaders(d, under(path, "headers"), e.headers, false)
	if e.auth == nil {
		return ok
	}
	taken := e.auth.name
	if e.auth.kind == "bearer" || e.auth.kind == "basic" {
		taken = "Authorization"
	}
	if e.auth.kind == "header" && slices.Contains(ownHeaders(), strings.ToLower(taken)) {
		d.fault(n.get("auth").line, under(path, "auth"), "the header %s belongs to the protocol; name another one", taken)
		return false
	}
	for _, h := range e.headers {
		if e.auth.kind != "query" && strings.EqualFold(h.key, taken) {
			d.fault(h.line, under(under(path, "headers"), h.key), "auth gives this header; keep one of the two")
			return false
		}
	}
	return ok
}

// buildAPIs makes the servers of the entries of openapi_servers.
func (l *loading) buildAPIs() {
	first := map[string]string{}
	for _, dec := range l.config.declared {
		if !dec.disabled {
			first[dec.name] = strings.TrimSuffix(position(dec.d.file, dec.line), ": ")
		}
	}
	for i := range l.config.read.apis {
		e := &l.config.read.apis[i]
		if e.node == nil {
			continue // not an object at all, which was reported
		}
		if place, twice := first[e.name]; twice && e.name != "" {
			l.own.fault(e.line, e.path, "a server named %q is declared at %s already; give one of them another name", e.name, place)
		}
		first[e.name] = strings.TrimSuffix(position(l.own.file, e.line), ": ")
		l.config.OpenAPIServers = append(l.config.OpenAPIServers, l.api(e))
	}
}

// api fills in what the variables stand for.
func (l *loading) api(e *apiEntry) OpenAPIServer {
	dec := declaration{e.entry, l.own, Origin{File: l.own.file, Line: e.line}}
	who := "server " + compactText(e.name)
	s := OpenAPIServer{Server: Server{
		Name: e.name, Shared: true, File: l.own.file, Line: e.line, Origin: dec.origin, Transport: TransportOpenAPI, ToolPrefix: e.prefix, Allow: e.allow, Deny: e.deny,
		ToolAnnotations: byKey(e.annotations), Drift: DriftWarn, StartupTimeout: startupTimeout(e.entry), CallTimeout: callTimeout(e.entry), Limits: e.limits,
		MaskedURL: shownDocument(e.document),
	}, Effects: byKey(e.effects)}
	x := &expander{l: l, d: l.own, server: &s.Server, held: map[string]bool{}}
	one := func(place, text string) (string, bool) {
		l.own.lookalikes(e.line, under(e.path, place), text)
		return x.one(place, text, false)
	}
	for _, v := range dec.values() {
		l.own.judge(v, e.path+"."+v.place, who)
		if text, ok := x.one(v.place, v.text, false); ok && x.sends(v.place, text) {
			if s.Headers == nil {
				s.Headers = map[string]string{}
			}
			s.Headers[v.key] = text
		}
	}
	if e.base != "" {
		if address, ok := one("base_url", e.base); ok && x.reaches("base_url", address) {
			s.BaseURL = address
		}
	}
	s.Document = l.document(x, e)
	if a := e.auth; a != nil {
		s.Auth = APIAuth{Type: cmp.Or(a.kind, "scheme"), Name: cmp.Or(a.name, a.scheme)}
		if a.user != "" {
			s.Auth.User, _ = one("auth.user", a.user)
		}
		if value, ok := one("auth.value", a.value); ok && x.sends("auth.value", value) {
			s.Auth.Value = value
			if names, _ := references(a.value); len(names) == 0 {
				l.own.notice(e.line, "%s: auth.value is a credential and is written out; put it in a variable and write ${NAME}", who)
				s.secret("auth.value", value)
			}
			// It is one whatever it looks like, and as Basic sends it the whole has to go.
			s.secret("auth.credential", value)
			if s.Auth.User != "" {
				s.secret("auth.basic.credential", base64.StdEncoding.EncodeToString([]byte(s.Auth.User+":"+value)))
			}
		}
	}
	return s
}

// secret has a value masked that no variable stands for.
func (s *Server) secret(name, value string) {
	if s.Secrets == nil {
		s.Secrets = map[string]string{}
	}
	s.Secrets[name] = value
}

// document is where the document of an entry is.
func (l *loading) document(x *expander, e *apiEntry) string {
	names, _ := references(e.document)
	if !isRemote(e.document) && len(names) == 0 {
		if strings.Contains(e.document, "://") {
			l.own.fault(e.line, under(e.path, "document"), "is neither a path nor an http or https url")
		}
		if filepath.IsAbs(e.document) || l.own.dir == "" {
			return e.document
		}
		return filepath.Join(l.own.dir, e.document)
	}
	l.own.lookalikes(e.line, under(e.path, "document"), e.document)
	address, ok := x.one("document", e.document, false)
	if !ok || !x.reaches("document", address) {
		return ""
	}
	return address
}

// sends reports whether a header can carry a value, and else holds the server back.
func (x *expander) sends(place, value string) bool {
	words := sendable(value)
	if words != "" {
		x.hold(place + ": " + words)
	}
	return words == ""
}

// reaches reports whether a value is an address, and else holds the server back.
func (x *expander) reaches(place, value string) bool {
	words := reachable(value)
	if words != "" {
		x.hold(place + ": " + words)
	}
	return words == ""
}

// shownDocument is a document without what may be a secret in it.
func shownDocument(document string) string {
	if u, err := url.Parse(document); err == nil && u.Scheme != "" && u.Host != "" || strings.Contains(document, "${") {
		return maskedURL(document)
	}
	return document
}

// apis shows the entries of openapi_servers.
func (w *shower) apis() {
	for i := range w.c.read.apis {
		e := &w.c.read.apis[i]
		if e.node == nil {
			continue
		}
		path, place := under("openapi_servers", e.name), at("openapi_servers", i)
		show := func(key string, value []byte, shown bool) {
			if shown {
				w.add(path+"."+key, value, w.ofFile(place+"."+key))
			}
		}
		show("document", quoted(shownDocument(e.document)), true)
		show("base_url", quoted(maskedURL(e.base)), e.base != "")
		for _, v := range e.entry.values() {
			w.add(path+"."+v.place, quoted(maskedValue(v.text)), w.ofFile(place+"."+v.place))
		}
		if a := e.auth; a != nil {
			show("auth.type", quoted(a.kind), a.kind != "")
			show("auth.scheme", quoted(a.scheme), a.scheme != "")
			show("auth.name", quoted(a.name), a.name != "")
			show("auth.user", quoted(maskedValue(a.user)), a.user != "")
			show("auth.value", quoted(maskedValue(a.value)), true)
		}
		show("allow", compact(e.allow), e.allow != nil)
		show("deny", compact(e.deny), e.deny != nil)
		for _, one := range e.effects {
			w.add(under(path+".effects", one.key), compact(map[string]string{"change": one.value.Change, "reach": one.value.Reach}), w.ofFile(under(place+".effects", one.key)))
		}
		show("tool_prefix", quoted(e.prefix), e.prefix != "")
		for _, a := range e.annotations {
			w.annotation(under(path+".tool_annotations", a.key), a.value, w.ofFile(under(place+".tool_annotations", a.key)))
		}
		show("startup_timeout_seconds", compact(int(startupTimeout(e.entry).Seconds())), true)
		show("call_timeout_seconds", compact(int(callTimeout(e.entry).Seconds())), true)
		show("limits", compact(limitsJSON(e.limits)), e.limits != (Limits{}))
	}
}

func compactText(s string) string { return string(compact(s)) }
