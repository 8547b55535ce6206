package inspect

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// schema walks one schema object. level is its depth, the root's being 1. Input is
// bounded to 64 levels of JSON by the bridge, and so is the recursion.
func (w *walk) schema(s map[string]any, at string, level int) {
	w.depth = max(w.depth, level)
	for _, key := range sorted(s) {
		w.keyword(s, key, at, level)
	}
	w.types(s, at)
	w.required(s, at)
}

// keyword checks one keyword's value, and walks the schemas in it.
func (w *walk) keyword(s map[string]any, key, at string, level int) {
	value, here := s[key], at+"/"+escape(key)
	switch key {
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		w.named(value, key, here, level)
	case "items", "contains", "propertyNames", "not", "if", "then", "else", "contentSchema":
		if list, ok := value.([]any); ok && key == "items" {
			w.doubt = true // a tuple before 2020-12
			w.list(list, here, level)
			return
		}
		w.sub(value, here, level, true)
	case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems":
		w.sub(value, here, level, false)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		list, ok := value.([]any)
		w.doubt = w.doubt || !ok || len(list) == 0
		w.list(list, here, level)
	case "$ref":
		w.reference(value, at)
	case "pattern":
		text, ok := value.(string)
		w.doubt = w.doubt || !ok
		w.pattern(text, here)
	case "nullable":
		w.note("nullable", here, "nullable is %s", cut(text(value), 20))
	case "type", "required": // of their own, below
	default:
		w.plain(key, value)
	}
}

// plain checks keywords that hold no schema.
func (w *walk) plain(key string, value any) {
	ok := true
	switch key {
	case "title", "description", "format", "$comment", "$schema":
		_, ok = value.(string)
	case "enum", "examples":
		_, ok = value.([]any)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		_, ok = value.(json.Number)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		n, number := value.(json.Number)
		ok = number && digits.MatchString(string(n))
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		_, ok = value.(bool)
	case "multipleOf", "dependencies", "dependentRequired", "$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary":
		ok = false // seldom, and not for a short look
	}
	w.doubt = w.doubt || !ok
}

var digits = regexp.MustCompile(`^[0-9]+$`)

func (w *walk) named(value any, key, at string, level int) {
	members, ok := value.(map[string]any)
	w.doubt = w.doubt || !ok
	if key == "properties" {
		level++
	}
	for _, name := range sorted(members) {
		if key == "patternProperties" {
			w.pattern(name, at+"/"+escape(name))
		}
		w.sub(members[name], at+"/"+escape(name), level, true)
	}
}

func (w *walk) list(list []any, at string, level int) {
	for i, one := range list {
		w.sub(one, fmt.Sprintf("%s/%d", at, i), level, true)
	}
}

// sub walks a schema below another. noteBool says that true and false are not
// expected at this place.
func (w *walk) sub(value any, at string, level int, noteBool bool) {
	switch v := value.(type) {
	case map[string]any:
		if strings.HasSuffix(at, "/items") {
			level++
		}
		w.schema(v, at, level)
	case bool:
		if noteBool {
			w.note("boolean-subschema", at, "it is %t", v)
		}
	default:
		w.doubt = true
	}
}

// types judges the type of one schema.
func (w *walk) types(s map[string]any, at string) {
	var names []any
	switch t := s["type"].(type) {
	case nil:
		_, stated := s["type"]
		w.doubt = w.doubt || stated
		return
	case string:
		names = []any{t}
	case []any:
		names = t
		w.note("type-list", at+"/type", "type is %s", cut(text(t), 80))
	default:
		w.doubt = true
		return
	}
	isArray := false
	for i, name := range names {
		text, _ := name.(string)
		known := slices.Contains([]string{"null", "boolean", "object", "array", "number", "string", "integer"}, text)
		w.doubt = w.doubt || !known || slices.Contains(names[:i], name)
		isArray = isArray || text == "array"
	}
	w.doubt = w.doubt || len(names) == 0
	_, items := s["items"]
	_, prefix := s["prefixItems"]
	if isArray && !items && !prefix {
		w.note("array-without-items", at, "type is array and items is absent")
	}
}

// required judges the names that must be there. A branch may require what its
// parent defines.
func (w *walk) required(s map[string]any, at string) {
	value, ok := s["required"]
	if !ok {
		return
	}
	list, ok := value.([]any)
	w.doubt = w.doubt || !ok
	properties, defined := s["properties"].(map[string]any)
	elsewhere := branch.MatchString(at)
	for _, key := range []string{"anyOf", "oneOf", "allOf", "$ref", "patternProperties"} {
		_, has := s[key]
		elsewhere = elsewhere || has
	}
	for i, one := range list {
		name, ok := one.(string)
		w.doubt = w.doubt || !ok || slices.Contains(list[:i], one)
		if _, has := properties[name]; ok && defined && !has && !elsewhere {
			w.note("required-undefined", fmt.Sprintf("%s/required/%d", at, i), "%q", cut(name, 80))
		}
	}
}

var branch = regexp.MustCompile(`/(?:anyOf|oneOf|allOf)/[0-9]+(?:/|$)|/(?:if|then|else|not)(?:/|$)|/dependentSchemas/`)

// pattern judges one regular expression, written for ECMA-262.
func (w *walk) pattern(text, at string) {
	if _, err := regexp.Compile(text); err == nil {
		return
	}
	w.doubt = true // the judge of calls translates what is only spelt otherwise
	why := "it is not read by RE2"
	switch {
	case strings.Contains(text, "(?=") || strings.Contains(text, "(?!"):
		why = "it looks ahead"
	case strings.Contains(text, "(?<=") || strings.Contains(text, "(?<!"):
		why = "it looks behind"
	case backReference.MatchString(text):
		why = "it refers back to a group"
	}
	w.note("pattern-not-re2", at, "%s: %s", why, cut(text, 80))
}

var backReference = regexp.MustCompile(`\\[1-9k]`)
