package httpapi

import (
	"slices"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// argument is how one field of an input is written from a text of the request.
type argument struct {
	schema.Property
	key    []byte    // `"name":`
	quick  bool      // the value is only ever a string
	number bool      // the value is an integer or a number and never a string
	truth  bool      // the value is a boolean and nothing else
	item   *argument // of an array: how an item is written
	list   int       // of an array: its place among the arrays of its route
}

func newArgument(p schema.Property) *argument {
	a := &argument{Property: p, key: append(appendString(nil, p.Name), ':')}
	a.quick = slices.Equal(p.Types, []string{"string"})
	a.number = slices.Contains(p.Types, "integer") && !slices.Contains(p.Types, "string")
	a.truth = slices.Equal(p.Types, []string{"boolean"})
	if p.ScalarArray() {
		a.item = newArgument(*p.Items)
	}
	return a
}

// appendText writes one text as the field's JSON value, as
// [schema.Property.EncodeText] has it; the common cases take no detour.
func (a *argument) appendText(b []byte, text string) []byte {
	switch {
	case a.quick:
		return appendString(b, text)
	case a.number && plainInteger(text), a.truth && (text == "true" || text == "false"):
		return append(b, text...)
	}
	return append(b, a.EncodeText(text)...)
}

// plainInteger reports whether text is a JSON integer of a few digits.
func plainInteger(text string) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	if text == "" || len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// appendString writes text as a JSON string. Bytes that are not UTF-8 stay as
// they are: the validator refuses them and says where they stand.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ':
			b = append(b, c)
		default:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(b, '"')
}
