package schema

// CheckForeign reports what [CompileForeign] would report, and keeps nothing. A schema of plain keywords, as nearly all tools
// publish, is judged without compiling it: of ten thousand tools that are listed, a handful is called.
func CheckForeign(raw []byte) error {
	if Scan(raw) == nil {
		if root := parse(raw); root.isObject() && new(certainty).schema(root, true) {
			return nil
		}
	}
	_, err := CompileForeign(raw)
	return err
}

// certainty says that a schema certainly compiles. It may be wrong in one direction alone: where it does not know, it says no.
// It knows keywords that mean the same in every draft from 7 on, with values of the shape that the meta-schemas ask for.
type certainty struct {
	patterns int // the instructions of all patterns so far
}

func (c *certainty) schema(n *node, root bool) bool {
	if n.is("true") || n.is("false") {
		return true
	}
	if !n.isObject() {
		return false
	}
	for i, keyword := range n.keys {
		if !c.keyword(keyword, n.items[i], root) {
			return false
		}
	}
	return true
}

func (c *certainty) keyword(keyword string, value *node, root bool) bool {
	switch keyword {
	case "type":
		return isTypeWord(value.text())
	case "title", "description", "$comment", "format":
		return value.raw[0] == '"'
	case "default", "const":
		return true
	case "examples":
		return value.isArray()
	case "enum":
		return len(value.items) > 0 && distinctNames(value) // before 2019-09, equal values are a fault
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return value.raw[0] == '-' || digit(value.raw[0])
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return len(value.raw) < 10 && skipDigits(value.raw, 0) == len(value.raw)
	case "uniqueItems", "readOnly", "writeOnly", "deprecated":
		return value.is("true") || value.is("false")
	case "required":
		return distinctNames(value)
	case "pattern":
		if value.raw[0] != '"' {
			return false
		}
		_, size, err := compilePattern(value.text())
		c.patterns += size
		return err == nil && c.patterns <= maxPatterns
	case "properties":
		return value.isObject() && c.all(value)
	case "items", "additionalProperties":
		return c.schema(value, false)
	case "allOf", "anyOf", "oneOf":
		return value.isArray() && len(value.items) > 0 && c.all(value)
	case "$schema":
		return root && dialectOf(value.text()) >= draft7
	}
	return false
}

func (c *certainty) all(n *node) bool {
	for _, item := range n.items {
		if !c.schema(item, false) {
			return false
		}
	}
	return true
}

// distinctNames says that a value is a list of distinct strings.
func distinctNames(n *node) bool {
	if !n.isArray() {
		return false
	}
	seen := make(map[string]bool, len(n.items))
	for _, item := range n.items {
		if item.raw[0] != '"' || seen[item.text()] {
			return false
		}
		seen[item.text()] = true
	}
	return true
}

func isTypeWord(name string) bool {
	switch name {
	case "object", "array", "string", "number", "integer", "boolean", "null":
		return true
	}
	return false
}
