package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// preparation checks a decoded schema for what the library would answer late, vaguely or by I/O, and rewrites what it would
// misread. It works on our own decoded copy; the raw text is never touched.
type preparation struct {
	document any
	foreign  bool

	dialect  dialect
	marked   bool // $schema says so
	embedded bool // some subschema has an $id of its own, so "#" does not always mean the root
	ids      map[string]bool
	refs     []reference
	names    []*nameCheck
	widths   map[string]width // by the name of the format
	unjudged []string
	patterns int // the instructions of all patterns
	seen     map[string]bool
	err      *Error
}

type reference struct{ pointer, target string }

func (p *preparation) run() error {
	p.seen, p.ids = map[string]bool{}, map[string]bool{}
	if p.findDialect(); p.err != nil {
		return p.err
	}
	walk(p.document, p.visit)
	// A reference may lead to a place that no keyword makes a schema (#/components/schemas/X): it is one then.
	for i := 0; i < len(p.refs) && p.err == nil; i++ {
		p.checkRef(p.refs[i])
	}
	slices.Sort(p.unjudged)
	if p.err != nil {
		return p.err
	}
	return nil
}

func (p *preparation) fail(path []string, format string, args ...any) {
	if p.err == nil {
		p.err = &Error{pointerTo(path), fmt.Sprintf(format, args...)}
	}
}

func (p *preparation) findDialect() {
	p.dialect = draft2020
	object, _ := p.document.(map[string]any)
	if uri, ok := object["$schema"].(string); ok {
		p.marked = true
		if p.dialect = dialectOf(uri); p.dialect == unknownDialect {
			p.fail([]string{"$schema"}, "dialect %s is not known: use https://json-schema.org/draft/2020-12/schema", quote(uri))
		}
	}
}

func (p *preparation) visit(path []string, object map[string]any) {
	pointer := exactPointer(path)
	if p.seen[pointer] {
		return
	}
	p.seen[pointer] = true
	if id, ok := object["$id"].(string); ok {
		p.ids[strings.TrimSuffix(id, "#")] = true
		p.embedded = p.embedded || len(path) > 0
	}
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		if target, ok := object[keyword].(string); ok {
			p.refs = append(p.refs, reference{pointer + "/" + keyword, target})
		}
	}
	if p.foreign && !p.marked {
		honourTuple(object)
	}
	p.checkPatterns(path, object)
	honourNullable(object)
	clampSizes(object)
	if !p.foreign {
		p.addWidth(object)
	}
	p.addNameCheck(pointer, object)
}

func (p *preparation) checkRef(r reference) {
	path := pointerTokens(r.pointer)
	if !strings.HasPrefix(r.target, "#") {
		absolute, _, _ := strings.Cut(r.target, "#")
		// The library carries the meta-schemas; a reference to them is external all the same.
		bundled := strings.HasPrefix(absolute, "http://json-schema.org/") || strings.HasPrefix(absolute, "https://json-schema.org/")
		if len(p.ids) == 0 || bundled && !p.ids[absolute] {
			p.fail(path, "%s", externalMessage(r.target))
		}
		return
	}
	tokens, ok := refTokens(r.target)
	if !ok || p.embedded {
		return // an anchor, or relative to an embedded resource: the library resolves it
	}
	target, ok := follow(p.document, tokens)
	if !ok {
		p.fail(path, "$ref %s leads nowhere: define it or correct it", quote(r.target))
		return
	}
	if !p.seen[exactPointer(tokens)] {
		walkAt(tokens, target, p.visit)
	}
}

// refLike finds the reference that an error of the library is about.
func (p *preparation) refLike(uri string) string {
	for _, r := range p.refs {
		file, anchor, _ := strings.Cut(r.target, "#")
		file = strings.TrimLeft(file, "./")
		if file != "" && strings.HasSuffix(uri, file) || file == "" && uri == anchor {
			return r.pointer
		}
	}
	return ""
}

// honourNullable reads OpenAPI 3.0's nullable, which only means something beside type (OAS 3.0.3).
func honourNullable(object map[string]any) {
	kind, ok := object["type"].(string)
	if nullable, _ := object["nullable"].(bool); !nullable || !ok || kind == "null" {
		return
	}
	object["type"] = []any{kind, "null"}
	if values, ok := object["enum"].([]any); ok && !slices.Contains(values, nil) {
		object["enum"] = append(slices.Clip(values), nil)
	}
}

// honourTuple reads the tuple spelling of older drafts, a list in items, as 2020-12 spells it.
func honourTuple(object map[string]any) {
	tuple, ok := object["items"].([]any)
	if _, both := object["prefixItems"]; !ok || both {
		return
	}
	object["prefixItems"] = tuple
	delete(object, "items")
	if rest, ok := object["additionalItems"]; ok {
		object["items"] = rest
	}
	delete(object, "additionalItems")
}

// clampSizes keeps bounds on lengths and counts inside an int, where the library would let them wrap around. No text of
// MaxBytes comes near the clamp, so no verdict changes.
func clampSizes(object map[string]any) {
	const limit = 1 << 30
	for _, keyword := range []string{
		"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
	} {
		if n, ok := object[keyword].(json.Number); ok {
			if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() && r.Cmp(big.NewRat(limit, 1)) > 0 {
				object[keyword] = json.Number(fmt.Sprint(limit))
			}
		}
	}
}

// nameCheck stands in for propertyNames. The library reports such faults with a path it shares with later values and
// overwrites, so the pointer would be wrong. A format is asserted on values of every type and reported with a path of
// its own: beside each propertyNames goes one whose check judges the object's keys.
type nameCheck struct {
	pointer string
	keys    *jsonschema.Schema
}

// namesFormat starts the name of the formats that check property names.
const namesFormat = "\x00propertyNames"

// badNames is what a nameCheck found: each refused name with the library's reason.
type badNames map[string]*jsonschema.ValidationError

func (badNames) Error() string { return "property names" }

func (p *preparation) addNameCheck(pointer string, object map[string]any) {
	names, isObject := object["propertyNames"].(map[string]any)
	if object["propertyNames"] != false && !isObject || onlyString(names) && isObject || p.dialect == draft4 {
		return
	}
	rules, ok := object["allOf"].([]any)
	if _, given := object["allOf"]; given && !ok {
		return // the meta-schema refuses it
	}
	object["allOf"] = append(slices.Clip(rules), map[string]any{"format": namesFormat + pointer})
	p.names = append(p.names, &nameCheck{pointer: pointer + "/propertyNames"})
}

// onlyString says that a propertyNames object cannot refuse a key: {} or {"type": "string"}, as generators write it.
func onlyString(names map[string]any) bool {
	return len(names) == 0 || len(names) == 1 && names["type"] == "string"
}

func (p *preparation) hookNames(c *jsonschema.Compiler) []*nameCheck {
	for _, n := range p.names {
		c.RegisterFormat(&jsonschema.Format{
			Name:     namesFormat + strings.TrimSuffix(n.pointer, "/propertyNames"),
			Validate: n.validate,
		})
	}
	return p.names
}

func (n *nameCheck) validate(v any) error {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	bad := badNames{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if tree, ok := errors.AsType[*jsonschema.ValidationError](n.keys.Validate(name)); ok {
			bad[name] = tree
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return bad
}

// exactPointer is pointerTo without shortening: an identity, not a thing to show.
func exactPointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteString("/" + tokenEscaper.Replace(token))
	}
	return b.String()
}

// encodeFragment percent-encodes a pointer for use after "#".
func encodeFragment(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		tokens[i] = url.PathEscape(token)
	}
	return strings.Join(tokens, "/")
}

// fragment is the pointer in a location the library reports.
func fragment(location string) string {
	_, encoded, _ := strings.Cut(location, "#")
	pointer, err := url.PathUnescape(encoded)
	if err != nil {
		return encoded
	}
	return pointer
}
