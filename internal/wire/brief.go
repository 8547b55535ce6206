package wire

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// BriefRule says which words of an output schema a list of tools leaves out. What a schema
// admits is not touched, and OpenAPI, the reference and get_tool have every word.
const BriefRule = "a description is left out that the input schema has of an argument of the same name, that stands before in the same schema of a field of the same name, " +
	"that every receipt or every page has of that field, and that of a type, since the field that holds one has its own"

// said is a description of a field of some name, as JSON.
type said struct{ name, text string }

// brief writes an output schema without the words that [BriefRule] leaves out.
type brief struct{ said map[said]bool }

// appendBrief appends the output schema of a builtin as a list has it. That of a bridged tool is
// its server's, and passed on as it is.
func appendBrief(dst []byte, c *capabilities.Capability) []byte {
	out := c.Output()
	if out == nil {
		return dst
	}
	if c.Bridged() {
		return append(dst, out.Raw()...)
	}
	b := brief{map[said]bool{}}
	for name, argument := range rawjson.Members(rawjson.Member(c.Input().Raw(), "properties")) {
		b.said[said{name, string(rawjson.Member(argument, "description"))}] = true
	}
	b.everyone(reflect.TypeFor[capabilities.Receipt]())
	b.everyone(reflect.TypeFor[capabilities.Page[struct{}]]())
	return b.schema(dst, out.Raw(), "", false)
}

// everyone notes what is said of the fields of a type that many capabilities answer.
func (b brief) everyone(t reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		b.said[said{name, string(rawjson.AppendQuoted(nil, f.Tag.Get("jsonschema_description")))}] = true
	}
}

// schema appends what a schema says of the field of a name. A type's is a definition.
func (b brief) schema(dst []byte, raw json.RawMessage, name string, definition bool) []byte {
	if rawjson.Kind(raw) != '{' {
		return append(dst, raw...)
	}
	o := newObjectAt(dst)
	for keyword, value := range rawjson.Members(raw) {
		switch keyword {
		case "description":
			one := said{name, string(value)}
			if definition || b.said[one] {
				continue
			}
			b.said[one] = true
			o.raw(keyword, value)
		case "properties":
			o.made(keyword, func(dst []byte) []byte { return b.each(dst, value, false) })
		case "$defs":
			o.made(keyword, func(dst []byte) []byte { return b.each(dst, value, true) })
		case "items", "additionalProperties":
			o.made(keyword, func(dst []byte) []byte { return b.schema(dst, value, name+"[]", false) })
		default:
			o.raw(keyword, value)
		}
	}
	return o.end()
}

// each appends an object of schemas by their names.
func (b brief) each(dst []byte, raw json.RawMessage, definitions bool) []byte {
	o := newObjectAt(dst)
	for name, schema := range rawjson.Members(raw) {
		o.made(name, func(dst []byte) []byte { return b.schema(dst, schema, name, definitions) })
	}
	return o.end()
}
