package schema

import (
	"encoding/json"
	"strconv"
)

// newAcceptor reads a prepared schema as rules; nil when nothing could ever be accepted. Embedded resources and drafts before
// 7 change how references and keywords read, so they are left to the validator.
func newAcceptor(raw []byte, document any, d dialect, embedded bool) *rule {
	if embedded || d < draft7 {
		return nil
	}
	b := ruleBuilder{document: document, dialect: d, built: map[string]*rule{}}
	root := b.build(document, "")
	if root.never {
		return nil
	}
	b.order(parse(raw), "")
	return root
}

type ruleBuilder struct {
	document any
	dialect  dialect
	built    map[string]*rule // by pointer, so that recursion closes
}

// never is what is not understood.
func never() *rule { return &rule{never: true} }

// build reads the subschema at a pointer. A rule is entered before it is filled: a reference back finds it.
func (b *ruleBuilder) build(at any, pointer string) *rule {
	if r, ok := b.built[pointer]; ok {
		return r
	}
	r := &rule{}
	b.built[pointer] = r
	switch v := at.(type) {
	case bool:
		r.free, r.never = v, !v
	case map[string]any:
		if !b.fill(r, v, pointer) {
			*r = rule{never: true}
		}
	default:
		r.never = true
	}
	return r
}

// fill reads one schema object and answers false for a keyword the acceptor does not understand.
func (b *ruleBuilder) fill(r *rule, object map[string]any, pointer string) bool {
	if ref, ok := object["$ref"].(string); ok {
		target, found := resolveAny(b.document, ref)
		tokens, local := refTokens(ref)
		if !local || !found {
			return false
		}
		r.all = append(r.all, b.build(target, exactPointer(tokens)))
		if b.dialect < draft2019 {
			r.bare, r.alias = true, r.all[0] // draft-07 ignores what stands beside $ref
			return true
		}
	}
	if object["anyOf"] != nil && object["oneOf"] != nil {
		return false // would need two sets of alternatives
	}
	for keyword, value := range object {
		if !b.keyword(r, keyword, value, pointer) {
			return false
		}
	}
	if !b.readObject(r, object, pointer) || !readText(r, object) || !readNumbers(r, object) || !b.readArray(r, object, pointer) {
		return false
	}
	r.bare = r.types == 0 && r.values == nil && r.text == nil && r.number == nil && r.array == nil && r.object == nil
	r.free = r.bare && len(r.all) == 0 && len(r.any) == 0
	if r.bare && len(r.all) == 1 && len(r.any) == 0 {
		r.alias = r.all[0] // references that only lead back to themselves are refused by Compile
	}
	return true
}

// keyword reads what belongs to no single type, and refuses the keywords that are not understood.
func (b *ruleBuilder) keyword(r *rule, keyword string, value any, pointer string) bool {
	switch keyword {
	case "type":
		return readTypes(r, value)
	case "enum":
		list, ok := value.([]any)
		return ok && readValues(r, list)
	case "const":
		return readValues(r, []any{value})
	case "allOf":
		r.all = append(r.all, b.list(value, pointer+"/allOf")...)
	case "anyOf":
		r.any = append(r.any, b.list(value, pointer+"/anyOf")...)
	case "oneOf":
		// Exactly one: certain only where no value has the type of two alternatives.
		branches := b.list(value, pointer+"/oneOf")
		if !disjoint(branches) {
			return false
		}
		r.any = branches
	case "propertyNames":
		names, ok := value.(map[string]any)
		return value == true || ok && onlyString(names)
	case "items":
		_, tuple := value.([]any)
		return !tuple
	case "$id", "id":
		return pointer == ""
	case "$ref", "properties", "required", "additionalProperties", "minProperties", "maxProperties", "minItems", "maxItems",
		"uniqueItems", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
		"exclusiveMaximum", "multipleOf", "$defs", "definitions", "contentSchema":
		return true // read with their type, or not asserted
	case "$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary":
		return false
	default:
		return !isKeyword(keyword)
	}
	return true
}

func (b *ruleBuilder) list(value any, pointer string) []*rule {
	items, _ := value.([]any)
	if len(items) == 0 {
		return []*rule{never()}
	}
	rules := make([]*rule, len(items))
	for i, item := range items {
		rules[i] = b.build(item, pointer+"/"+strconv.Itoa(i))
	}
	return rules
}

// disjoint says that no value has the type of two rules. An alternative that is a bare reference has its target's types.
func disjoint(rules []*rule) bool {
	var taken types
	for _, r := range rules {
		own := r.types
		for hops := 0; own == 0 && len(r.all) == 1 && hops < 8; hops++ {
			r = r.all[0]
			own = r.types
		}
		if own&typeNumber != 0 {
			own |= typeInteger
		}
		if r.never || own == 0 || taken&own != 0 {
			return false
		}
		taken |= own
	}
	return true
}

func readTypes(r *rule, value any) bool {
	names, ok := value.([]any)
	if !ok {
		names = []any{value}
	}
	for _, name := range names {
		switch name {
		case "null":
			r.types |= typeNull
		case "boolean":
			r.types |= typeBoolean
		case "integer":
			r.types |= typeInteger
		case "number":
			r.types |= typeNumber
		case "string":
			r.types |= typeString
		case "array":
			r.types |= typeArray
		case "object":
			r.types |= typeObject
		default:
			return false
		}
	}
	return true
}

// readValues keeps the values that have one spelling; the others are left to the validator.
func readValues(r *rule, list []any) bool {
	values := [][]byte{}
	for _, v := range list {
		var text []byte
		switch v := v.(type) {
		case nil:
			text = []byte("null")
		case bool:
			text = []byte(map[bool]string{true: "true", false: "false"}[v])
		case json.Number:
			text = []byte(v)
		case string:
			text = []byte(`"` + v + `"`)
			if next, escaped, f := readString(text, 0); next != len(text) || escaped || f != flawless {
				continue
			}
		default:
			continue
		}
		if r.values == nil || listed(r.values, text) { // enum beside const: both must list it
			values = append(values, text)
		}
	}
	r.values = values
	return true
}

// size reads a bound on a length or count.
func size(object map[string]any, keyword string, missing int) (n int, ok bool) {
	v, given := object[keyword]
	if !given {
		return missing, true
	}
	text, _ := v.(json.Number)
	small, ok := smallInt([]byte(text))
	return int(small), ok
}

func readText(r *rule, object map[string]any) bool {
	low, ok1 := size(object, "minLength", 0)
	high, ok2 := size(object, "maxLength", unbounded)
	t := &textRule{min: low, max: high}
	if pattern, ok := object["pattern"].(string); ok {
		re, _, err := compilePattern(pattern)
		if err != nil {
			return false
		}
		t.pattern = re
	}
	if name, ok := object["format"].(string); ok && widthOf(name) == 0 {
		check, known := formatChecks(name)
		if !known {
			return false
		}
		t.format = check
	}
	if low > 0 || high < unbounded || t.pattern != nil || t.format != nil {
		r.text = t
	}
	return ok1 && ok2
}

func (b *ruleBuilder) readArray(r *rule, object map[string]any, pointer string) bool {
	low, ok1 := size(object, "minItems", 0)
	high, ok2 := size(object, "maxItems", unbounded)
	unique, _ := object["uniqueItems"].(bool)
	items, given := object["items"]
	if given || low > 0 || high < unbounded || unique {
		r.array = &arrayRule{items: &rule{free: true}, min: low, max: high, unique: unique}
		if given {
			r.array.items = b.build(items, pointer+"/items")
		}
	}
	return ok1 && ok2
}

// order makes the acceptor expect fields in the order the schema's text names them, which is the order most callers send
// them in.
func (b *ruleBuilder) order(at *node, pointer string) {
	if !at.isObject() {
		return
	}
	if r := b.built[pointer]; r != nil && r.object != nil {
		if properties := at.field("properties"); properties.isObject() {
			r.object.reorder(properties.keys)
		}
	}
	for i, keyword := range at.keys {
		held, below := at.items[i], pointer+"/"+tokenEscaper.Replace(keyword)
		switch {
		case holderOf(keyword) == holdsMap && held.isObject():
			for k, name := range held.keys {
				b.order(held.items[k], below+"/"+tokenEscaper.Replace(name))
			}
		case holderOf(keyword) != holdsNone && held.isArray():
			for k, item := range held.items {
				b.order(item, below+"/"+strconv.Itoa(k))
			}
		case holderOf(keyword) != holdsNone:
			b.order(held, below)
		}
	}
}
