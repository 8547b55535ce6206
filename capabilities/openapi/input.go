package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A parameter is one of the path, the query or the headers.
type parameter struct {
	property string // of the arguments
	name     string
	in       string // "path", "query" or "header"
	style    string
	explode  bool
	reserved bool // some reserved characters stay as they are
	asJSON   bool
	required bool
}

// bodyProperty is the argument that is the body.
const bodyProperty = "body"

// A property of the arguments, with its schema.
type property struct {
	name     string
	schema   []byte
	required bool
}

// inputs reads the parameters and the body of an operation into op, and answers the
// properties of its arguments: the parameters by their names, and the body as one.
func (b *builder) inputs(op *operation, path string, item, raw json.RawMessage, in *bundle) ([]property, error) {
	var err error
	if op.path, err = template(path); err != nil {
		return nil, err
	}
	all, err := b.parameters(item, raw)
	if err != nil {
		return nil, err
	}
	var props []property
	taken := map[string]bool{}
	if op.body, err = b.body(raw); err != nil {
		return nil, err
	}
	if op.body != nil {
		taken[bodyProperty] = true
	}
	for _, said := range all {
		p, err := b.parameter(said)
		switch {
		case err != nil:
			return nil, err
		case p == nil, p.in == "path" && !slices.Contains(op.path, segment{p.name, true}):
			continue
		}
		if p.property = clean(p.name, 64); taken[p.property] || p.property == "" {
			p.property = clean(p.in+"_"+p.name, 64)
		}
		if taken[p.property] {
			return nil, fmt.Errorf("two of its parameters would be the argument %q", p.property)
		}
		taken[p.property] = true
		schema, err := b.schemaOf(said, in)
		if err != nil {
			return nil, fmt.Errorf("the parameter %q: %w", short(p.name, 100), err)
		}
		props = append(props, property{p.property, schema, p.required})
		op.params = append(op.params, *p)
	}
	for _, s := range op.path {
		if s.parameter && !slices.ContainsFunc(op.params, func(p parameter) bool { return p.in == "path" && p.name == s.text }) {
			return nil, fmt.Errorf("its path has {%s}, and no parameter of that name", short(s.text, 100))
		}
	}
	if op.body == nil {
		return props, nil
	}
	schema, err := in.add(orAny(op.body.schema))
	if err != nil {
		return nil, fmt.Errorf("the body: %w", err)
	}
	return append(props, property{bodyProperty, described(schema, op.body.says), op.body.required}), nil
}

// parameters are those of an operation and of its path, those of the operation before
// those of the path that are the same.
func (b *builder) parameters(item, raw json.RawMessage) ([]json.RawMessage, error) {
	var all []json.RawMessage
	place := map[[2]string]int{}
	for _, of := range []json.RawMessage{item, raw} {
		for _, one := range rawjson.Elements(rawjson.Member(of, "parameters")) {
			target, err := b.d.follow(one)
			if err != nil {
				return nil, fmt.Errorf("a parameter: %w", err)
			}
			name, _ := rawjson.String(rawjson.Member(target, "name"))
			in, _ := rawjson.String(rawjson.Member(target, "in"))
			key := [2]string{in, name}
			if in == "header" { // which is the same in any case (RFC 9110, section 5.1)
				key[1] = strings.ToLower(name)
			}
			if i, twice := place[key]; twice {
				all[i] = target
				continue
			}
			place[key] = len(all)
			all = append(all, target)
		}
	}
	return all, nil
}

// parameter reads one. It is nil for one that the caller does not give.
func (b *builder) parameter(raw json.RawMessage) (*parameter, error) {
	p := &parameter{}
	text := func(key string) string { s, _ := rawjson.String(rawjson.Member(raw, key)); return s }
	p.name, p.in, p.style = text("name"), text("in"), text("style")
	p.required = p.in == "path" || string(rawjson.Member(raw, "required")) == "true"
	if p.name == "" {
		return nil, errors.New("a parameter has no name")
	}
	switch p.in {
	case "cookie":
		if p.required {
			return nil, fmt.Errorf("it needs the cookie %q, and none is sent", short(p.name, 100))
		}
		return nil, nil
	case "header":
		name := textproto.CanonicalMIMEHeaderKey(p.name)
		if strings.ContainsFunc(p.name, notToken) {
			return nil, fmt.Errorf("the header %q has a name that no header can have", short(p.name, 100))
		}
		if name == "Accept" || name == "Content-Type" || name == "Authorization" { // "shall be ignored", says the standard
			return nil, nil
		}
		if b.o.gives(p.in, name) {
			return nil, nil
		}
		if slices.Contains(ownHeaders[:], name) {
			if p.required {
				return nil, fmt.Errorf("it needs the header %q, which belongs to the connection", p.name)
			}
			return nil, nil
		}
		p.style = cmp.Or(p.style, "simple")
	case "query":
		if b.o.gives(p.in, p.name) {
			return nil, nil
		}
		p.style = cmp.Or(p.style, "form")
	case "path":
		p.style = cmp.Or(p.style, "simple")
	default:
		return nil, fmt.Errorf("the parameter %q is said to be in %q, which is no place for one", short(p.name, 100), short(p.in, 40))
	}
	if !slices.Contains(styles(p.in), p.style) {
		return nil, fmt.Errorf("the parameter %q has the style %q, which is none in the %s", short(p.name, 100), short(p.style, 40), p.in)
	}
	p.explode = p.style == "form"
	if e, ok := rawjson.Bool(rawjson.Member(raw, "explode")); ok {
		p.explode = e
	}
	p.reserved = string(rawjson.Member(raw, "allowReserved")) == "true"
	if content := rawjson.Member(raw, "content"); rawjson.Kind(content) == '{' {
		for kind := range rawjson.Members(content) {
			if !isJSON(kind) {
				return nil, fmt.Errorf("the parameter %q is %s, and only JSON is written into one", short(p.name, 100), short(kind, 60))
			}
			p.asJSON = true
		}
	}
	return p, nil
}

// styles are those that a place knows (OpenAPI 3.1.1, style values).
func styles(in string) []string {
	switch in {
	case "path":
		return []string{"simple", "label", "matrix"}
	case "query":
		return []string{"form", "spaceDelimited", "pipeDelimited", "deepObject"}
	}
	return []string{"simple"}
}

// ownHeaders belong to the connection, and to the two ends of it.
var ownHeaders = [...]string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Cookie", "Expect", "Holotype-Mark", "Host", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding",
	"Upgrade", "User-Agent", "X-Idempotency-Key",
}

// notToken reports what no name of a header has (RFC 9110, section 5.6.2).
func notToken(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// template reads a path.
func template(path string) ([]segment, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, errors.New("its path does not begin with /")
	}
	if strings.ContainsAny(path, "?#\\") {
		return nil, errors.New("its path has a character that no path has: ?, # or a backslash")
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return nil, errors.New("its path has a segment . or .., which leads elsewhere")
		}
	}
	var all []segment
	for rest := path; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		all = append(all, segment{text: literal(before)})
		if !found {
			break
		}
		name, behind, closed := strings.Cut(after, "}")
		if !closed || name == "" {
			return nil, errors.New("its path has a brace without another")
		}
		all = append(all, segment{name, true})
		rest = behind
	}
	return all, nil
}

// schemaOf is the schema of a parameter, with its description.
func (b *builder) schemaOf(raw json.RawMessage, in *bundle) ([]byte, error) {
	of := rawjson.Member(raw, "schema")
	if all := medias(b.d, rawjson.Member(raw, "content")); of == nil && len(all) > 0 {
		of = all[0].schema
	}
	schema, err := in.add(orAny(of))
	if err != nil {
		return nil, err
	}
	says, _ := rawjson.String(rawjson.Member(raw, "description"))
	return described(schema, says), nil
}

func orAny(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return json.RawMessage("{}")
	}
	return schema
}

// described puts a description before what a schema says, unless it has one.
func described(schema []byte, says string) []byte {
	if says = strings.TrimSpace(says); says == "" || schema[0] != '{' || rawjson.Member(schema, "description") != nil {
		return schema
	}
	out := rawjson.AppendQuoted([]byte(`{"description":`), says)
	if rest := schema[1:]; rest[0] != '}' {
		return append(append(out, ','), rest...)
	}
	return append(out, '}')
}

// body reads what an operation is sent; nil for nothing.
func (b *builder) body(raw json.RawMessage) (*body, error) {
	said := rawjson.Member(raw, "requestBody")
	if said == nil {
		return nil, nil
	}
	target, err := b.d.follow(said)
	if err != nil {
		return nil, fmt.Errorf("the body: %w", err)
	}
	required := string(rawjson.Member(target, "required")) == "true"
	all := medias(b.d, rawjson.Member(target, "content"))
	if len(all) == 0 || rank(all[0].kind) == 2 {
		if !required {
			return nil, nil
		}
		if len(all) == 0 {
			return nil, errors.New("it needs a body, and says no type of it")
		}
		return nil, fmt.Errorf("it needs a body of %s: JSON and %s are sent", short(all[0].kind, 80), formType)
	}
	if strings.ContainsFunc(all[0].kind, func(r rune) bool { return r < ' ' || r >= 0x7f }) {
		return nil, errors.New("the type of its body has a character that no header can carry")
	}
	says, _ := rawjson.String(rawjson.Member(target, "description"))
	return &body{media: all[0].kind, form: !isJSON(all[0].kind), required: required, says: says, schema: all[0].schema}, nil
}

// inputSchema writes the schema of the arguments.
func inputSchema(op *operation, props []property, in *bundle) ([]byte, error) {
	defs, err := in.defs()
	if err != nil {
		return nil, err
	}
	out := []byte(`{"type":"object","properties":{`)
	var required []byte
	for i, p := range props {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendQuoted(out, p.name), ':'), p.schema...)
		if p.required {
			if required != nil {
				required = append(required, ',')
			}
			required = rawjson.AppendQuoted(required, p.name)
		}
	}
	out = append(out, '}')
	if required != nil {
		out = append(append(append(out, `,"required":[`...), required...), ']')
	}
	out = append(out, `,"additionalProperties":false`...)
	if defs != nil {
		out = append(append(out, `,"$defs":`...), defs...)
	}
	if op.body != nil {
		op.body.schema, op.body.says = nil, "" // they are in the tool
	}
	return append(out, '}'), nil
}
