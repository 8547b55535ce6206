package schema

import "strings"

// dialect is a draft of JSON Schema, in order of age.
type dialect int

const (
	unknownDialect dialect = iota
	draft4
	draft6
	draft7
	draft2019
	draft2020
)

// dialectOf reads a $schema URI; http and https, with and without an empty fragment, name the same dialect.
func dialectOf(uri string) dialect {
	uri = strings.TrimSuffix(uri, "#")
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://")
	switch uri {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return draft2020
	case "json-schema.org/draft/2019-09/schema":
		return draft2019
	case "json-schema.org/draft-07/schema":
		return draft7
	case "json-schema.org/draft-06/schema":
		return draft6
	case "json-schema.org/draft-04/schema":
		return draft4
	}
	return unknownDialect
}

// sameInBoth says whether a decoded draft-07 schema judges the same when read as 2020-12: only keywords that mean the same
// in both, and references that lead to places that are schemas in both.
func sameInBoth(document any) bool {
	same := true
	places := map[string]bool{}
	var refs []string
	walk(document, func(path []string, object map[string]any) {
		places[exactPointer(path)] = true
		if ref, ok := object["$ref"].(string); ok {
			refs = append(refs, ref)
		}
		if !sameObject(object, len(path) == 0) {
			same = false
		}
	})
	for _, ref := range refs {
		tokens, ok := refTokens(ref)
		if !ok {
			return false
		}
		if target, found := follow(document, tokens); !found || !places[exactPointer(tokens)] && !isBool(target) {
			return false
		}
	}
	return same
}

func isBool(v any) bool { _, ok := v.(bool); return ok }

func sameObject(object map[string]any, root bool) bool {
	_, ref := object["$ref"]
	for keyword, value := range object {
		switch keyword {
		case "dependencies", "additionalItems", // gone in 2020-12
			"dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "prefixItems", "minContains",
			"maxContains", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary": // not yet in draft-07
			return false
		case "items":
			if _, tuple := value.([]any); tuple {
				return false
			}
		case "$id":
			if !root || ref {
				return false // an embedded resource, or an anchor in draft-07's spelling
			}
		case "$schema":
			if !root {
				return false
			}
		case "$ref", "title", "description", "default", "examples", "$comment", "readOnly", "writeOnly", "deprecated", "definitions", "$defs":
		default:
			// Beside $ref draft-07 ignores every keyword and 2020-12 obeys it.
			if ref && isKeyword(keyword) {
				return false
			}
		}
	}
	return true
}

// isKeyword says whether a validator of any draft gives the word a meaning that can refuse a value.
func isKeyword(word string) bool {
	if holderOf(word) != holdsNone && word != "definitions" && word != "$defs" {
		return true
	}
	switch word {
	case "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
		"minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties",
		"minProperties", "required", "dependentRequired", "format", "$ref", "$dynamicRef", "$recursiveRef":
		return true
	}
	return false
}
