package compat

// role says what a keyword is to the comparison.
type role uint8

const (
	annotation role = iota // it refuses nothing; so does a word that is no keyword
	plain                  // it holds data, and is read
	one                    // it holds a schema, and is read
	list                   // it holds a list of schemas, and is read
	members                // it holds schemas by name, and is read
	markOne                // it holds a schema, and is compared as a whole
	markList
	markMembers
	mark // it holds data, and is compared as a whole
)

// roleOf is the one table of keywords. What is compared as a whole is a mark: a schema
// without it does not fit within one that has it, unless a value shows otherwise.
func roleOf(keyword string) role {
	switch keyword {
	case "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required", "$ref", "nullable":
		return plain
	case "additionalProperties", "items", "additionalItems":
		return one
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return list
	case "properties":
		return members
	case "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		return markOne
	case "patternProperties", "dependentSchemas", "dependencies":
		return markMembers
	case "minContains", "maxContains", "dependentRequired", "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor":
		return mark
	}
	return annotation
}

// kinds of JSON values. An integer is a number.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

const kindCount = int(object) + 1

// word names the values of a kind.
func (k kind) word() string {
	return [...]string{"null", "true and false", "numbers", "texts", "lists", "objects"}[k]
}

func kindOf(v any) kind {
	switch v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case string:
		return text
	case []any:
		return array
	case map[string]any:
		return object
	}
	return number
}

// typesOf reads the keyword type: which kinds, and whether numbers are whole. said is
// false where there is no such keyword.
func typesOf(o *sub) (kinds [kindCount]bool, whole, said bool) {
	v, said := o.object["type"]
	if !said {
		return kinds, false, false
	}
	names, ok := v.([]any)
	if !ok {
		names = []any{v}
	}
	integer, fractions := false, false
	for _, name := range names {
		switch name {
		case "null":
			kinds[null] = true
		case "boolean":
			kinds[boolean] = true
		case "integer":
			kinds[number], integer = true, true
		case "number":
			kinds[number], fractions = true, true
		case "string":
			kinds[text] = true
		case "array":
			kinds[array] = true
		case "object":
			kinds[object] = true
		}
	}
	if nullable(o) {
		kinds[null] = true
	}
	return kinds, integer && !fractions, true
}

// nullable is the word of OpenAPI 3.0, which means something beside one type alone.
func nullable(o *sub) bool {
	yes, _ := o.object["nullable"].(bool)
	_, single := o.object["type"].(string)
	return yes && single
}
