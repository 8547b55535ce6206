package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A side is what a schema is for: what is sent, or what is answered. A property that is
// read-only need not be sent, one that is write-only need not come.
type side string

const (
	sent     side = "readOnly"
	answered side = "writeOnly"
)

// maxSchemas bounds the schemas of one operation on one side. The bridge takes a tool of
// that size as a whole.
const maxSchemas = 256 << 10

var errLarge = fmt.Errorf("its schemas take more than %d bytes", maxSchemas)

// A translator makes schemas of the dialect of JSON Schema that everything here speaks,
// 2020-12, of those of a document. Each component is translated once a side.
//
//	3.0 alone   nullable: true            "null" among the types, and in enum; without a type, anyOf with null
//	            exclusiveMinimum: true    minimum becomes exclusiveMinimum; the same of the maximum
//	            what stands beside $ref   is left out
//	3.0 and 3.1 example                   examples of one
//	            a local $ref              leads into $defs, where its target stands
//	            readOnly, writeOnly       are not required where they do not belong
//	            xml, discriminator, externalDocs, $schema, $id, $anchor, $comment, x-*   are left out
//	            another $ref, $dynamicRef, $recursiveRef   cannot be followed
type translator struct {
	doc  *document
	done map[component]*translated
}

type component struct {
	pointer string
	side    side
}

// translated is a component, with the pointers of those that it refers to.
type translated struct {
	raw  []byte
	refs []string
	err  error
}

func newTranslator(d *document) *translator {
	return &translator{d, map[component]*translated{}}
}

// component translates what stands at a pointer.
func (t *translator) component(pointer string, s side) *translated {
	key := component{pointer, s}
	if done := t.done[key]; done != nil {
		return done
	}
	done := &translated{}
	t.done[key] = done
	raw, err := t.doc.at(pointer)
	if err != nil {
		done.err = err
		return done
	}
	if _, err := t.doc.follow(raw); errors.Is(err, errEndless) { // nothing would end it
		done.err = errors.New("it refers to nothing but itself")
		return done
	}
	w := walk{t: t, side: s}
	done.raw = w.schema(nil, raw)
	if len(done.raw) > maxSchemas {
		w.fail(errLarge)
	}
	if done.refs, done.err = w.refs, w.err; done.err != nil {
		done.raw, done.refs = nil, nil // not to be kept once for each pointer into it
	}
	return done
}

// A bundle are the schemas of one side of an operation, with all that they refer to.
type bundle struct {
	t     *translator
	side  side
	names map[string]string // pointers by the names in $defs
	todo  []string
	size  int
}

func (t *translator) bundle(s side) *bundle {
	return &bundle{t: t, side: s, names: map[string]string{}}
}

// add translates one more schema.
func (b *bundle) add(raw json.RawMessage) ([]byte, error) {
	w := walk{t: b.t, side: b.side}
	out := w.schema(nil, raw)
	if w.err != nil {
		return nil, w.err
	}
	return out, b.take(out, w.refs)
}

func (b *bundle) take(schema []byte, refs []string) error {
	if b.size += len(schema); b.size > maxSchemas {
		return errLarge
	}
	for _, pointer := range refs {
		name := defName(pointer)
		switch other, known := b.names[name]; {
		case !known:
			b.names[name] = pointer
			b.todo = append(b.todo, pointer)
		case other != pointer:
			return fmt.Errorf("#%s and #%s would have one name", short(other, 120), short(pointer, 120))
		}
	}
	return nil
}

// defs answers the $defs that the schemas so far need; nil for none.
func (b *bundle) defs() ([]byte, error) {
	var out []byte
	for len(b.todo) > 0 {
		pointer := b.todo[0]
		b.todo = b.todo[1:]
		done := b.t.component(pointer, b.side)
		if done.err != nil {
			return nil, fmt.Errorf("the schema #%s: %w", short(pointer, 120), done.err)
		}
		if err := b.take(done.raw, done.refs); err != nil {
			return nil, err
		}
		out = append(out, "{,"[min(len(out), 1)])
		out = append(rawjson.AppendQuoted(out, defName(pointer)), ':')
		out = append(out, done.raw...)
	}
	if out == nil {
		return nil, nil
	}
	return append(out, '}'), nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// defName is the name of a component in $defs: its own where it is one of schemas and has
// a plain one. It depends on the pointer alone.
func defName(pointer string) string {
	if name, found := strings.CutPrefix(pointer, "/components/schemas/"); found && plainName.MatchString(name) {
		return name
	}
	last := pointer[strings.LastIndexByte(pointer, '/')+1:]
	sum := sha256.Sum256([]byte(pointer))
	return clean(last, 40) + "_" + hex.EncodeToString(sum[:6])
}

// clean replaces what does not stand in every name, and cuts.
func clean(name string, n int) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, name)
	return out[:min(len(out), n)]
}

// A walk translates one schema.
type walk struct {
	t    *translator
	side side
	refs []string
	err  error // the first
}

func (w *walk) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// refer appends a reference.
func (w *walk) refer(b []byte, ref string) []byte {
	pointer, err := local(ref)
	if err != nil {
		w.fail(err)
		return append(b, "true"...)
	}
	w.refs = append(w.refs, pointer)
	return rawjson.AppendQuoted(append(b, `"$ref":`...), "#/$defs/"+defName(pointer))
}

// schema appends a schema.
func (w *walk) schema(b []byte, raw json.RawMessage) []byte {
	if len(b) > maxSchemas {
		w.fail(errLarge)
	}
	if w.err != nil {
		return append(b, "true"...) // nobody reads it
	}
	w.t.doc.work += len(raw) // pointers into a schema have what stands below them read again and again
	if _, ok := rawjson.Bool(raw); ok && !w.t.doc.old {
		return append(b, raw...)
	}
	if rawjson.Kind(raw) != '{' {
		w.fail(errors.New("a schema in it is no object"))
		return append(b, "true"...)
	}
	var said struct{ ref, kind, nullable, least, most, required json.RawMessage }
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "$ref":
			said.ref = value
		case "type":
			said.kind = value
		case "nullable":
			said.nullable = value
		case "minimum":
			said.least = value
		case "maximum":
			said.most = value
		case "$dynamicRef", "$recursiveRef":
			w.fail(fmt.Errorf("a schema in it has %s, which is not followed", key))
		}
	}
	ref, refers := rawjson.String(said.ref)
	if refers && w.t.doc.old {
		return append(w.refer(append(b, '{'), ref), '}')
	}
	null := w.t.doc.old && string(said.nullable) == "true"
	wrapped := null && rawjson.Kind(said.kind) != '"'
	if wrapped {
		b = append(b, `{"anyOf":[`...)
	}
	b = append(b, '{')
	from := len(b)
	member := func(key string) {
		if len(b) > from {
			b = append(b, ',')
		}
		b = append(rawjson.AppendQuoted(b, key), ':')
	}
	if refers {
		b = w.refer(b, ref)
	}
	exclusive := map[string]bool{}
	if w.t.doc.old {
		exclusive["minimum"] = string(rawjson.Member(raw, "exclusiveMinimum")) == "true"
		exclusive["maximum"] = string(rawjson.Member(raw, "exclusiveMaximum")) == "true"
	}
	for key, value := range rawjson.Members(raw) {
		kind := rawjson.Kind(value)
		switch {
		case key == "$ref" && refers, isOurs(key), key == "nullable" && w.t.doc.old:
		case key == "type" && null && !wrapped:
			member(key)
			b = append(append(append(b, '['), value...), `,"null"]`...)
		case key == "enum" && null && kind == '[':
			member(key)
			b = withNull(b, value)
		case (key == "minimum" || key == "maximum") && exclusive[key]:
			member(map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[key])
			b = append(b, value...)
		case (key == "exclusiveMinimum" || key == "exclusiveMaximum") && w.t.doc.old && (kind == 't' || kind == 'f'):
		case key == "example":
			if rawjson.Member(raw, "examples") == nil || w.t.doc.old {
				member("examples")
				b = append(append(append(b, '['), value...), ']')
			}
		case key == "examples" && (w.t.doc.old || kind != '['):
		case key == "required" && kind == '[':
			member(key)
			b = w.required(b, value, rawjson.Member(raw, "properties"))
		default:
			member(key)
			b = w.keyword(b, key, value)
		}
	}
	b = append(b, '}')
	if wrapped {
		b = append(b, `,{"type":"null"}]}`...)
	}
	return b
}

// isOurs reports whether a keyword is for readers of a document and not for whoever is
// given a schema.
func isOurs(key string) bool {
	switch key {
	case "xml", "discriminator", "externalDocs", "$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$comment", "$vocabulary":
		return true
	}
	return strings.HasPrefix(key, "x-")
}

// keyword appends the value of a keyword.
func (w *walk) keyword(b []byte, key string, value json.RawMessage) []byte {
	kind := rawjson.Kind(value)
	switch key {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		if kind != '{' {
			break
		}
		sep := byte('{')
		for name, one := range rawjson.Members(value) {
			b = append(rawjson.AppendQuoted(append(b, sep), name), ':')
			b, sep = w.schema(b, one), ','
		}
		if sep == '{' {
			b = append(b, '{')
		}
		return append(b, '}')
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if kind != '[' {
			break
		}
		sep := byte('[')
		for _, one := range rawjson.Elements(value) {
			b, sep = w.schema(append(b, sep), one), ','
		}
		if sep == '[' {
			b = append(b, '[')
		}
		return append(b, ']')
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
		if kind == '{' {
			return w.schema(b, value)
		}
	case "items", "not", "if", "then", "else", "contains", "propertyNames", "contentSchema":
		if kind == '{' || !w.t.doc.old {
			return w.schema(b, value)
		}
	}
	return append(b, value...)
}

// required appends the names that a schema requires, without those that do not belong on
// this side.
func (w *walk) required(b []byte, names, properties json.RawMessage) []byte {
	left := map[string]bool{}
	for name, one := range rawjson.Members(properties) {
		if string(rawjson.Member(one, string(w.side))) != "true" {
			target, err := w.t.doc.follow(one)
			if err != nil || string(rawjson.Member(target, string(w.side))) != "true" {
				continue
			}
		}
		left[name] = true
	}
	b = append(b, '[')
	from := len(b)
	for _, name := range rawjson.Elements(names) {
		if text, _ := rawjson.String(name); left[text] {
			continue
		}
		if len(b) > from {
			b = append(b, ',')
		}
		b = append(b, name...)
	}
	return append(b, ']')
}

// withNull appends a list that has null.
func withNull(b []byte, list json.RawMessage) []byte {
	has, sep := false, byte('[')
	for _, one := range rawjson.Elements(list) {
		has = has || rawjson.Kind(one) == 'n'
		b, sep = append(append(b, sep), one...), ','
	}
	if !has {
		b = append(append(b, sep), "null"...)
	}
	return append(b, ']')
}

// maxLooks bounds how many schemas are looked at to learn what one of them describes: one
// that refers to itself some times over has as many as there are ways through it.
const maxLooks = 1000

// describesObject reports whether a schema is certainly one of objects.
func (t *translator) describesObject(raw json.RawMessage) bool {
	looks := maxLooks
	return t.isObject(raw, 8, &looks)
}

func (t *translator) isObject(raw json.RawMessage, depth int, looks *int) bool {
	if *looks--; *looks < 0 {
		return false
	}
	raw, err := t.doc.follow(raw)
	if err != nil || depth == 0 || rawjson.Kind(raw) != '{' {
		return false
	}
	if t.doc.old && string(rawjson.Member(raw, "nullable")) == "true" {
		return false
	}
	if kind := rawjson.Member(raw, "type"); kind != nil {
		said, _ := rawjson.String(kind)
		return said == "object"
	}
	if rawjson.Kind(rawjson.Member(raw, "properties")) == '{' {
		return true
	}
	for _, one := range rawjson.Elements(rawjson.Member(raw, "allOf")) {
		if t.isObject(one, depth-1, looks) {
			return true
		}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		all, some := true, false
		for _, one := range rawjson.Elements(rawjson.Member(raw, key)) {
			all, some = all && t.isObject(one, depth-1, looks), true
		}
		if all && some {
			return true
		}
	}
	return false
}

// joined answers an object of members that are JSON already; an empty value is left out.
func joined(members ...[2]string) []byte {
	var b bytes.Buffer
	for _, m := range members {
		if m[1] == "" {
			continue
		}
		b.WriteByte("{,"[min(b.Len(), 1)])
		b.Write(rawjson.AppendQuoted(nil, m[0]))
		b.WriteByte(':')
		b.WriteString(m[1])
	}
	if b.Len() == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes()
}
