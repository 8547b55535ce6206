package cli

import (
	"bytes"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// mostSampled is how many fields a sample has that requires none.
const mostSampled = 3

// shapeOf answers what a value of a field looks like that no flag of its own can take
// apart: an object, or a list of them. It is "" where the schema says nothing of what is
// in it.
func shapeOf(o schema.Outline, a argument) string {
	if a.word() != "JSON" {
		return ""
	}
	inner := o.FieldsWithin(a.Name)
	shown := slices.DeleteFunc(slices.Clone(inner), func(p schema.Property) bool { return !p.Required })
	if len(shown) == 0 {
		shown = inner[:min(len(inner), mostSampled)]
	}
	if len(shown) == 0 {
		return ""
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range shown {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoteJSON(p.Name))
		b.WriteByte(':')
		b.Write(sampleOf(p))
	}
	b.WriteByte('}')
	if slices.Contains(a.Types, "array") {
		return "[" + b.String() + "]"
	}
	return b.String()
}

// sampleOf answers a value that a field takes, as far as its type says.
func sampleOf(p schema.Property) []byte {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case len(p.Default) > 0:
		return p.Default
	case p.ScalarArray() && p.Items != nil:
		return slices.Concat([]byte("["), sampleOf(*p.Items), []byte("]"))
	case slices.Contains(p.Types, "string") || len(p.Types) == 0:
		return []byte(`"..."`)
	case slices.Contains(p.Types, "integer"), slices.Contains(p.Types, "number"):
		return []byte("1")
	case slices.Contains(p.Types, "boolean"):
		return []byte("true")
	case slices.Contains(p.Types, "array"):
		return []byte("[]")
	}
	return []byte("{}")
}
