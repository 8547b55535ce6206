package capabilities

import (
	"iter"
	"reflect"
	"slices"
	"strings"
)

// field is one exported struct field as encoding/json sees it.
type field struct {
	reflect.StructField
	name     string // the JSON property; "" when the field has no json tag name
	optional bool   // omitempty or omitzero
	embedded bool   // an untagged embedded struct, whose fields are promoted
}

// fieldsOf walks the fields of a struct that encoding/json writes.
func fieldsOf(t reflect.Type) iter.Seq[field] {
	return func(yield func(field) bool) {
		for sf := range t.Fields() {
			name, rest, _ := strings.Cut(sf.Tag.Get("json"), ",")
			if name == "-" && rest == "" {
				continue
			}
			if !sf.IsExported() && !sf.Anonymous {
				continue
			}
			f := field{StructField: sf, name: name}
			for opt := range strings.SplitSeq(rest, ",") {
				f.optional = f.optional || opt == "omitempty" || opt == "omitzero"
			}
			f.embedded = sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct
			if !yield(f) {
				return
			}
		}
	}
}

// leftOut reports whether the field is left out where it is zero. omitempty leaves out no
// struct and no array.
func (f field) leftOut() bool {
	if kind := f.Type.Kind(); kind != reflect.Struct && kind != reflect.Array {
		return f.optional
	}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), "omitzero")
}

// tag is one key=value of a jsonschema tag; value is "" where there is no "=".
type tag struct{ key, value string }

// tags splits the field's jsonschema tag at its commas. "\\," is a comma within.
func (f field) tags() []tag {
	text := f.Tag.Get("jsonschema")
	if text == "" {
		return nil
	}
	const guard = "\x00"
	text = strings.ReplaceAll(text, `\,`, guard)
	var all []tag
	for part := range strings.SplitSeq(text, ",") {
		k, v, _ := strings.Cut(strings.ReplaceAll(part, guard, ","), "=")
		all = append(all, tag{k, v})
	}
	return all
}
