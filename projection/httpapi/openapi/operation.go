package openapi

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// headers are the input fields that travel as a header when a route is called.
var headers = []struct{ field, header, text string }{
	{"if_match", "If-Match", "The version the caller read: the call is refused as stale_version when it is no longer the current one (RFC 9110 section 13.1.1)."},
	{"if_none_match", "If-None-Match", "Refuse the call when what it would create is already there (RFC 9110 section 13.1.2)."},
}

// side is one schema of a capability, rewritten, with the members of the root at
// hand.
type side struct {
	unit *unit
	root *node
}

func (c *components) side(raw []byte, owner string, foreign bool) (*side, error) {
	u, err := c.newUnit(raw, c.names.take(owner, string(raw)), foreign)
	if err != nil {
		return nil, err
	}
	return &side{u, u.root()}, nil
}

// publish writes the root as a component and answers a reference to it.
func (s *side) publish() *node {
	s.unit.schemas = append(s.unit.schemas, member{s.unit.owner, s.root})
	return refTo(s.unit.owner)
}

func (c *components) operation(capa *capabilities.Capability) (*node, error) {
	id := pascal(capa.Name())
	in, err := c.side(capa.Input().Raw(), id+"Input", capa.Bridged())
	if err != nil {
		return nil, fmt.Errorf("reading the input schema: %w", err)
	}
	success, err := c.success(capa, id)
	if err != nil {
		return nil, fmt.Errorf("reading the output schema: %w", err)
	}
	calls := examplesOf(capa)
	parameters := c.parameters(capa, in, calls)
	body := c.body(capa, in, calls)
	op := object().
		add("tags", strs(tagOf(capa))).
		str("summary", summary(capa)).
		str("description", description(capa)).
		str("operationId", capa.Name())
	if len(parameters.items) > 0 {
		op.add("parameters", parameters)
	}
	op.add("requestBody", body).
		add("responses", c.responsesOf(capa, success)).
		str("x-holotype-source", capa.Source()).
		add("x-holotype-effect", raw(wire.Effect(capa))).
		add("x-holotype-hints", hints(capa)).
		add("x-holotype-hint-sources", hintSources(capa)).
		str("x-holotype-scope", capa.Scope()).
		str("x-holotype-delivers", capabilities.Delivers(capa)).
		add("x-holotype-codes", codeNames(capa.Codes())).
		add("x-holotype-aliases", aliases(capa))
	return op, nil
}

// raw reads JSON that this program wrote.
func raw(data []byte) *node {
	n, err := parse(data)
	if err != nil { // not reached
		return &node{}
	}
	return n
}

func summary(c *capabilities.Capability) string {
	if t := visibleText(c.Title()); t != "" {
		return t
	}
	return c.Name()
}

func description(c *capabilities.Capability) string {
	if t := visibleText(c.Summary()); t != "" {
		return t
	}
	return "Call the tool " + c.Tool() + " of the MCP server " + visibleText(c.Server()) + ", which does not describe it."
}

// hints are the known hints alone: an absent key asserts nothing.
func hints(c *capabilities.Capability) *node {
	o := object()
	c.Hints().Each(func(key string, h capabilities.Hint) {
		if h.Known() {
			o.add(key, boolean(h == capabilities.Yes))
		}
	})
	return o
}

// hintSources says of a bridged tool who stated each hint, and what the server
// sent, or nil.
func hintSources(c *capabilities.Capability) *node {
	if !c.Bridged() {
		return nil
	}
	o := object()
	c.HintFacts().Each(func(key string, f capabilities.HintFact) {
		if f.From == capabilities.FromNowhere && len(f.Raw) == 0 {
			return
		}
		one := object().str("from", f.From.String())
		if sent, err := parse(f.Raw); err == nil {
			one.add("sent", sent)
		}
		o.add(key, one)
	})
	return o
}

func aliases(c *capabilities.Capability) *node {
	all := c.Aliases()
	if len(all) == 0 {
		return nil
	}
	list := array()
	for _, a := range all {
		list.items = append(list.items, object().str("name", a.Name).str("since", a.Since).str("until", a.Until))
	}
	return list
}

// parameters answers what travels in the path, the query and headers, and takes
// it out of the input's root.
func (c *components) parameters(capa *capabilities.Capability, in *side, calls []call) *node {
	list := array()
	add := func(p *node) { list.items = append(list.items, p) }
	r := capa.Route()
	if capa.Bridged() {
		return list // its route holds the names already, its arguments are the body
	}
	for _, field := range r.Fields {
		add(in.parameter(field, field, "path", calls))
	}
	for _, h := range headers {
		if in.field(h.field) != nil {
			add(in.header(h.field, h.header, h.text))
		}
	}
	if r.Method == http.MethodGet {
		for _, m := range slices.Clone(in.properties()) {
			add(in.parameter(m.key, m.key, "query", calls))
		}
	}
	if capa.Writes() {
		c.writes = true
		add(object().str("$ref", "#/components/parameters/DryRun"))
		add(object().str("$ref", "#/components/parameters/IdempotencyKey"))
	}
	return list
}

func (s *side) properties() []member {
	if p := s.root.get("properties"); p != nil {
		return p.members
	}
	return nil
}

func (s *side) field(name string) *node { return s.root.get("properties").get(name) }

func (s *side) required(name string) bool {
	r := s.root.get("required")
	return r != nil && slices.ContainsFunc(r.items, func(n *node) bool { return n.text == name })
}

// take removes a field from the root and answers its schema and whether it is
// required.
func (s *side) take(name string) (schema *node, required bool) {
	schema, required = s.field(name), s.required(name)
	rest := &node{kind: kindObject, members: slices.Clone(s.root.members)}
	properties := &node{kind: kindObject, members: slices.Clone(s.properties())}
	properties.remove(name)
	rest.set("properties", properties)
	if r := s.root.get("required"); r != nil {
		left := slices.DeleteFunc(slices.Clone(r.items), func(n *node) bool { return n.text == name })
		rest.set("required", array(left...))
		if len(left) == 0 {
			rest.remove("required")
		}
	}
	s.root = rest
	return schema, required
}

// parameter moves a field of the input into a parameter. The description stands
// with the parameter, once.
func (s *side) parameter(field, name, in string, calls []call) *node {
	schema, required := s.take(field)
	if schema == nil { // not reached: assembly checks that path fields are fields
		schema = object().str("type", "string")
	}
	text := stringOf(schema.get("description"))
	bare := &node{kind: kindObject, members: slices.Clone(schema.members)}
	bare.remove("description")
	p := object().str("name", name).str("in", in).str("description", text)
	if required || in == "path" {
		p.add("required", boolean(true))
	}
	if in == "query" && stringOf(bare.get("type")) == "array" {
		p.str("style", "form").add("explode", boolean(true))
	}
	p.add("schema", bare)
	return p.add("examples", exampleValues(calls, field))
}

// header moves a precondition into its header. Entity tags are strings, whatever
// type the version has; If-None-Match knows "*" only.
func (s *side) header(field, name, text string) *node {
	schema, required := s.take(field)
	p := object().str("name", name).str("in", "header").str("description", text+" "+stringOf(schema.get("description")))
	if field == "if_none_match" {
		return p.add("schema", object().str("type", "string").add("enum", strs("*")))
	}
	if required {
		p.add("required", boolean(true))
	}
	return p.add("schema", object().str("type", "string"))
}

// body answers the request body, or nil where nothing is left for one.
func (c *components) body(capa *capabilities.Capability, in *side, calls []call) *node {
	if capa.Route().Method == http.MethodGet || !capa.Bridged() && len(in.properties()) == 0 {
		return nil
	}
	media := object().add("schema", in.publish()).add("examples", bodyExamples(calls, in))
	required := in.root.get("required") != nil
	return object().
		add("required", boolean(required)).
		add("content", object().add("application/json", media))
}

// same reports whether two nodes are the same JSON text.
func same(a, b *node) bool { return bytes.Equal(a.bytes(), b.bytes()) }
