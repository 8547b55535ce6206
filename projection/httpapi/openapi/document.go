package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// base is the path that every route stands under, where no server is named.
const base = "/api/v1"

// Options is what a document says beside its capabilities.
type Options struct {
	// Title and Version are those of the API; neither is empty.
	Title, Version string
	// ServerURL is what the routes stand under: "/api/v1" of the server that the
	// document came from, which empty means too, or an absolute URL such as
	// "http://127.0.0.1:4280/api/v1".
	ServerURL string
	// Packs describe the tags of builtins.
	Packs []capabilities.PackInfo
	// Codes are the codes of the registry. The base set need not be in it.
	Codes []capabilities.CodeInfo
	// Homepage is the URL of whoever offers the API, License the SPDX identifier of
	// its licence; "" says nothing about it.
	Homepage, License string
	// CookieName is the cookie that carries the session of a signed-in browser; "" says
	// nothing of sessions: every server has a name of its own for it.
	CookieName string
}

// Document answers the OpenAPI 3.1 document of the capabilities as JSON: one
// operation each, under its route. An alias has no route and is named by the
// operation it is an old name of. The bytes depend on the arguments alone, not on
// the order of caps. It fails when two capabilities have one route, or when a
// schema is no JSON.
func Document(o Options, caps []*capabilities.Capability) ([]byte, error) {
	doc, err := document(o, caps)
	if err != nil {
		return nil, err
	}
	return doc.bytes(), nil
}

// Documents answers [Document], and the same as [YAML].
func Documents(o Options, caps []*capabilities.Capability) (json, yaml []byte, err error) {
	doc, err := document(o, caps)
	if err != nil {
		return nil, nil, err
	}
	return doc.bytes(), doc.yaml(), nil
}

func document(o Options, caps []*capabilities.Capability) (*node, error) {
	caps = slices.DeleteFunc(slices.Clone(caps), func(c *capabilities.Capability) bool { return c.Route().IsZero() })
	// Builtins name their components first: a bridged tool must not rename them.
	slices.SortFunc(caps, func(a, b *capabilities.Capability) int {
		if a.Bridged() != b.Bridged() {
			if b.Bridged() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
	c := newComponents()
	c.addShared(codesOf(o, caps))
	paths := map[string]map[string]*node{}
	for _, capa := range caps {
		r := capa.Route()
		op, err := c.operation(capa)
		if err != nil {
			return nil, fmt.Errorf("describing %s: %w", capa.Name(), err)
		}
		if paths[r.Path] == nil {
			paths[r.Path] = map[string]*node{}
		}
		if paths[r.Path][r.Method] != nil {
			return nil, fmt.Errorf("describing %s: another capability has the route %s", capa.Name(), r)
		}
		paths[r.Path][r.Method] = op
	}
	return object().
		str("openapi", "3.1.0").
		add("info", info(o)).
		add("servers", array(object().str("url", serverURL(o)).str("description", "This server."))).
		add("security", security(o)).
		add("tags", tags(o, caps)).
		add("paths", pathsNode(paths)).
		add("components", c.node(o.CookieName)), nil
}

func security(o Options) *node {
	either := array(object().add(schemeBearer, array()))
	if o.CookieName != "" {
		either.items = append(either.items, object().add(schemeCookie, array()))
	}
	return either
}

func serverURL(o Options) string {
	if o.ServerURL == "" {
		return base
	}
	return strings.TrimSuffix(o.ServerURL, "/")
}

const about = `Every operation is one capability; operationId is its name, the same on every surface.

x-holotype-effect says what a call may change and where. x-holotype-hints has the hints that are known: true and false are assertions, and a hint that nobody stated is absent.

A call that is refused answers a Problem (RFC 9457). Its code says what happened and what to do; each operation lists the codes it may answer.

A builtin write takes an Idempotency-Key: the same call with the same key has its effect once and answers the same receipt. With dry_run it answers the receipt it would have given and changes nothing.

A schema with x-holotype-opaque says less than the server that declared it.`

func info(o Options) *node {
	n := object().str("title", o.Title).str("version", o.Version).str("description", about)
	if o.Homepage != "" {
		n.add("contact", object().str("name", o.Title).str("url", o.Homepage))
	}
	if o.License != "" {
		n.add("license", object().str("name", o.License).str("identifier", o.License))
	}
	return n
}

// tagOf answers the tag of a capability: its pack, or its bridged server, whose
// name no pack has.
func tagOf(c *capabilities.Capability) string {
	if c.Bridged() {
		return c.Server()
	}
	return c.Pack()
}

func tags(o Options, caps []*capabilities.Capability) *node {
	list := array()
	done := map[string]bool{}
	add := func(name, title, text string) {
		if !done[name] {
			done[name] = true
			t := object().str("name", name).str("description", visibleText(text))
			list.items = append(list.items, t.str("x-displayName", title))
		}
	}
	used := map[string]bool{}
	for _, c := range caps {
		used[tagOf(c)] = true
	}
	for _, p := range o.Packs {
		if used[p.Name] {
			add(p.Name, p.Title, p.Summary)
		}
	}
	var servers []string
	for _, c := range caps {
		if c.Bridged() {
			servers = append(servers, c.Server())
		} else {
			add(c.Pack(), "", "The pack "+c.Pack()+".")
		}
	}
	slices.Sort(servers)
	for _, s := range servers {
		add(s, "", "Tools of the bridged MCP server "+s+".")
	}
	return list
}

// methods is the order of the operations of one path.
var methods = [...]string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodPatch}

func pathsNode(paths map[string]map[string]*node) *node {
	var list []member
	for path, ops := range paths {
		item := object()
		for _, m := range methods {
			item.add(strings.ToLower(m), ops[m])
		}
		list = append(list, member{path, item})
	}
	return byKey(list)
}
