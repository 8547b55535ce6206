package tsclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// The types that a schema becomes where it says nothing, and where it admits nothing.
const (
	unknown = "unknown"
	never   = "never"
	nothing = "Record<string, never>"
)

// typeOf answers the type of a schema of the document, as it stands in the source at a
// level: the lines after its first are indented. Keywords that no type can say, such as
// a pattern, are left out.
func typeOf(schema json.RawMessage, level int) string {
	switch rawjson.Kind(schema) {
	case 't':
		return unknown
	case '{':
	default:
		return never
	}
	if ref := text(schema, "$ref"); ref != "" {
		return reference(ref)
	}
	if value := rawjson.Member(schema, "const"); value != nil && rawjson.Kind(value) != 'n' {
		return literal(value)
	}
	if t := ofEnum(schema); t != "" {
		return t
	}
	t := intersection(own(schema, level), ofAll(schema, level))
	if some := alternatives(schema, "anyOf", level); len(some) > 0 {
		t = union(append(notEmpty(t), some...))
	}
	if one := alternatives(schema, "oneOf", level); len(one) > 0 {
		if slices.ContainsFunc(one, func(t string) bool { return !primitive(t) }) {
			t = intersection(t, union(one))
		} else {
			t = union(append(notEmpty(t), one...))
		}
	}
	switch {
	case t != "":
		return t
	case has(schema, "type"):
		return nothing
	}
	return unknown
}

// reference writes the type that a reference of the document names.
func reference(ref string) string {
	var b strings.Builder
	for i, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		if i == 0 {
			b.WriteString(part)
			continue
		}
		fmt.Fprintf(&b, "[%s]", quoted(part))
	}
	return b.String()
}

// literal writes the type of one value.
func literal(value json.RawMessage) string {
	if s, ok := rawjson.String(value); ok {
		return quoted(s)
	}
	switch rawjson.Kind(value) {
	case '{', '[':
		return unknown
	}
	return string(value)
}

// ofEnum answers the type of a list of values, or "" for a schema that has none.
func ofEnum(schema json.RawMessage) string {
	values := rawjson.Member(schema, "enum")
	if values == nil || rawjson.Kind(values) != '[' || text(schema, "type") == "object" || has(schema, "properties") || has(schema, "additionalProperties") {
		return ""
	}
	var all []string
	for _, v := range rawjson.Elements(values) {
		all = append(all, literal(v))
	}
	if slices.Contains(strs(rawjson.Member(schema, "type")), "null") {
		all = append(all, "null")
	}
	return union(all)
}

// own answers what a schema says beside the schemas it is combined of, "" for nothing.
func own(schema json.RawMessage, level int) string {
	kind := rawjson.Member(schema, "type")
	if kind != nil && rawjson.Kind(kind) == '[' {
		var all []string
		for _, one := range strs(kind) {
			if slices.Contains(alternatives(schema, "oneOf", level), scalar(one)) {
				continue // which the alternatives say already
			}
			with := rawjson.Replace(schema, "type", func(json.RawMessage) []byte { return rawjson.AppendQuoted(nil, one) })
			all = append(all, ofType(with, one, level))
		}
		return union(all)
	}
	return ofType(schema, text(schema, "type"), level)
}

// scalar answers the type of a scalar, "" for what is none.
func scalar(kind string) string {
	switch kind {
	case "null", "string", "boolean":
		return kind
	case "number", "integer":
		return "number"
	}
	return ""
}

func ofType(schema json.RawMessage, kind string, level int) string {
	if t := scalar(kind); t != "" {
		return t
	}
	if kind == "array" {
		return ofArray(schema, level)
	}
	return ofObject(schema, level)
}

func ofArray(schema json.RawMessage, level int) string {
	if first := rawjson.Member(schema, "prefixItems"); first != nil && rawjson.Kind(first) == '[' {
		var all []string
		for _, one := range rawjson.Elements(first) {
			all = append(all, typeOf(one, level))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	items := rawjson.Member(schema, "items")
	if items == nil {
		return unknown + "[]"
	}
	t := typeOf(items, level)
	switch {
	case text(items, "type") == "array":
		return t + "[]"
	case combined(t):
		t = "(" + t + ")"
	}
	return t + "[]"
}

// combined reports whether a type has to stand in parentheses before another operator.
func combined(t string) bool {
	depth, source := 0, []byte(t)
	for i := 0; i < len(t); i++ {
		switch t[i] {
		case '{', '[', '(', '<':
			depth++
		case '}', ']', ')', '>':
			depth--
		case '"':
			i = rawjson.SkipString(source, i) - 1
		case '|', '&':
			if depth == 0 {
				return true
			}
		case '/':
			if end := strings.Index(t[i:], "*/"); end >= 0 && strings.HasPrefix(t[i:], "/*") {
				i += end + 1
			}
		}
	}
	return false
}

// ofObject answers the properties of an object, and what else it may hold.
func ofObject(schema json.RawMessage, level int) string {
	required := strs(rawjson.Member(schema, "required"))
	w := writer{level: level}
	named := false
	w.open("{")
	for name, s := range rawjson.Members(rawjson.Member(schema, "properties")) {
		named = true
		optional := "?"
		if slices.Contains(required, name) {
			optional = ""
		}
		w.about(about(s))
		w.property(key(name), optional, typeOf(s, w.level))
	}
	w.end("}")
	properties := ""
	if named {
		properties = strings.TrimSpace(w.b.String())
	}
	var others []string
	switch more := rawjson.Member(schema, "additionalProperties"); {
	case more == nil || rawjson.Kind(more) == 'f':
	case rawjson.Kind(more) == 't' || string(rawjson.OneLine(more)) == "{}":
		others = append(others, unknown)
	default:
		others = append(others, typeOf(more, level+1))
	}
	for _, s := range rawjson.Members(rawjson.Member(schema, "patternProperties")) {
		others = append(others, typeOf(s, level+1))
	}
	if len(others) == 0 {
		return properties
	}
	tab := strings.Repeat(indentation, level)
	return intersection(properties, fmt.Sprintf("{\n%s%s[key: string]: %s;\n%s}", tab, indentation, union(others), tab))
}

// about answers what a schema says of itself.
func about(schema json.RawMessage) string {
	s := text(schema, "description")
	if value := rawjson.Member(schema, "default"); value != nil {
		s += "\n@default " + string(rawjson.OneLine(value))
	}
	return s
}

// ofAll answers the schemas that all hold. What is required outside of them is required
// of their properties.
func ofAll(schema json.RawMessage, level int) string {
	required := strs(rawjson.Member(schema, "required"))
	var all []string
	for _, one := range rawjson.Elements(rawjson.Member(schema, "allOf")) {
		if len(required) > 0 && text(one, "$ref") == "" && rawjson.Kind(one) == '{' {
			one = withRequired(one, required)
		}
		all = append(all, typeOf(one, level))
	}
	return intersection(all...)
}

func withRequired(schema json.RawMessage, required []string) json.RawMessage {
	list := []byte{'['}
	for i, name := range slices.Concat(required, strs(rawjson.Member(schema, "required"))) {
		if i > 0 {
			list = append(list, ',')
		}
		list = rawjson.AppendQuoted(list, name)
	}
	list = append(list, ']')
	if has(schema, "required") {
		return rawjson.Replace(schema, "required", func(json.RawMessage) []byte { return list })
	}
	out := append([]byte(`{"required":`), list...)
	for name, value := range rawjson.Members(schema) {
		out = append(append(rawjson.AppendQuoted(append(out, ','), name), ':'), value...)
	}
	return append(out, '}')
}

// alternatives answers the types of a list of schemas.
func alternatives(schema json.RawMessage, keyword string, level int) []string {
	var all []string
	for _, one := range rawjson.Elements(rawjson.Member(schema, keyword)) {
		all = append(all, typeOf(one, level))
	}
	return all
}

func primitive(t string) bool { return scalar(t) != "" || t == "number" || t == unknown || t == never }

func notEmpty(t string) []string {
	if t == "" {
		return nil
	}
	return []string{t}
}

func union(all []string) string {
	var once []string
	for _, t := range all {
		if t != "" && !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	return strings.Join(once, " | ")
}

func intersection(all ...string) string {
	var parts []string
	for _, t := range all {
		if t != "" {
			parts = append(parts, t)
		}
	}
	if len(parts) > 1 {
		for i, t := range parts {
			if combined(t) && strings.Contains(t, "|") {
				parts[i] = "(" + t + ")"
			}
		}
	}
	return strings.Join(parts, " & ")
}
