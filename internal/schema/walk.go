package schema

import (
	"maps"
	"slices"
	"strconv"
)

// holder says how a keyword holds subschemas.
type holder uint8

const (
	holdsNone holder = iota
	holdsOne
	holdsList
	holdsMap
	holdsOneOrList // items before 2020-12
)

// holderOf names every keyword of any draft that holds subschemas. Nothing else is a schema: what stands in const, enum,
// default, examples or an unknown keyword is data, even when it looks like one.
func holderOf(keyword string) holder {
	switch keyword {
	case "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedProperties",
		"unevaluatedItems", "additionalItems", "contentSchema":
		return holdsOne
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return holdsList
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return holdsMap
	case "items":
		return holdsOneOrList
	}
	return holdsNone
}

// visitor is called for each schema object, with the path to it; path is only valid during the call.
type visitor func(path []string, object map[string]any)

// walk visits every schema object of a decoded schema once, in a fixed order, parents first.
func walk(document any, visit visitor) { walkAt(nil, document, visit) }

func walkAt(path []string, at any, visit visitor) {
	object, ok := at.(map[string]any)
	if !ok {
		return
	}
	visit(path, object)
	for _, keyword := range slices.Sorted(maps.Keys(object)) {
		held := object[keyword]
		switch h := holderOf(keyword); h {
		case holdsNone:
		case holdsMap:
			if m, ok := held.(map[string]any); ok {
				for _, name := range slices.Sorted(maps.Keys(m)) {
					walkAt(child(path, keyword, name), m[name], visit)
				}
			}
		default:
			if list, ok := held.([]any); ok && h != holdsOne {
				for i, item := range list {
					walkAt(child(path, keyword, strconv.Itoa(i)), item, visit)
				}
			} else if h != holdsList {
				walkAt(child(path, keyword), held, visit)
			}
		}
	}
}

func child(path []string, tokens ...string) []string {
	return append(slices.Clip(path), tokens...)
}
