package schema

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Scalar says that the property admits only strings, numbers, integers or booleans (and perhaps null), so that one text can
// stand for any of its values.
func (p *Property) Scalar() bool {
	return len(p.Types) > 0 && !slices.ContainsFunc(p.Types, func(name string) bool { return name == "array" || name == "object" })
}

// ScalarArray says that the property admits only arrays (and perhaps null) whose items are [Property.Scalar].
func (p *Property) ScalarArray() bool {
	return slices.Equal(p.Types, []string{"array"}) && p.Items != nil && p.Items.Scalar()
}

// EncodeText turns one text (a flag's value, a query parameter) into JSON for this property. A text that is exactly one JSON value
// of a type the property admits is taken as that value, with every digit kept; arrays and objects may carry white space. Any
// other text is a string, so that the validator can say what it should have been; but where no string is admitted, a number
// stays a number, so that 1.5 for an integer is reported as a fraction. A property that admits only strings never parses:
// 007 stays "007", and null stays "null".
func (p *Property) EncodeText(text string) json.RawMessage {
	admitsString := p.admits("string")
	onlyStrings := slices.Equal(p.Types, []string{"string"})
	if onlyStrings || text == "" {
		return quoteJSON(text)
	}
	data := []byte(text)
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 || !json.Valid(data) {
		return quoteJSON(text)
	}
	name := literalType(trimmed)
	composite := name == "array" || name == "object"
	switch {
	case !composite && len(trimmed) != len(data):
		return quoteJSON(text)
	case p.admits(name):
		return trimmed
	case (name == "number" || name == "integer") && !admitsString && (p.admits("integer") || p.admits("number")):
		return trimmed
	}
	return quoteJSON(text)
}

// admits says whether a value of the named type may be given. A whole number is a number too, and null goes by Nullable.
func (p *Property) admits(name string) bool {
	switch {
	case name == "null":
		return p.Nullable || len(p.Types) == 0
	case len(p.Types) == 0 || slices.Contains(p.Types, name):
		return true
	default:
		return name == "integer" && slices.Contains(p.Types, "number")
	}
}
