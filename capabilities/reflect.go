package capabilities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// reflectSchema answers the JSON Schema (2020-12) of a Go struct type: the root
// inline, named types under $defs, recursion kept as $ref. Inputs are closed;
// outputs admit fields that a later version adds.
func reflectSchema(t reflect.Type, comments map[string]string, closed bool) ([]byte, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var clash error
	names := map[string]reflect.Type{}
	r := jsonschema.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: !closed,
		Namer: func(t reflect.Type) string {
			name := typeName(t)
			if name == "" {
				return name
			}
			if other, ok := names[name]; ok && other != t && clash == nil {
				clash = fmt.Errorf("the types %s and %s would share the schema name %q: rename one", other, t, name)
			}
			names[name] = t
			return name
		},
		LookupComment: func(t reflect.Type, field string) string { return commentOf(comments, t, field) },
		Mapper:        mapType,
	}
	s := r.ReflectFromType(t)
	if clash != nil {
		return nil, clash
	}
	rootName := typeName(t)
	root, ok := s.Definitions[rootName]
	if !ok {
		return nil, fmt.Errorf("%s is not a struct with a name", t)
	}
	for _, at := range onceOf(t) {
		name, _, _ := strings.Cut(t.FieldByIndex(at).Tag.Get("json"), ",")
		if p, ok := root.Properties.Get(name); ok {
			p.Description += onceNote
		}
	}
	raw, err := writeRoot(root, s.Definitions, rootName)
	if err != nil {
		return nil, fmt.Errorf("writing the schema of %s: %w", t, err)
	}
	return raw, nil
}

// writeRoot writes root with the other definitions beside it. The root's own
// definition stays where the type refers to itself.
func writeRoot(root *jsonschema.Schema, defs jsonschema.Definitions, rootName string) ([]byte, error) {
	flat := *root
	flat.Version, flat.Description = "", ""
	for name, d := range defs {
		if name == rootName {
			self := *d
			defs[name] = &self
		}
		tidy(defs[name])
	}
	tidy(&flat)
	// Few types refer to themselves, and writing a schema takes most of the time of reflecting it.
	if flat.Definitions = maps.Clone(defs); len(defs) > 1 {
		delete(flat.Definitions, rootName)
	} else {
		flat.Definitions = nil
	}
	raw, err := json.Marshal(&flat)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(raw, []byte(`"#/$defs/`+rootName+`"`)) {
		flat.Definitions = defs
		if raw, err = json.Marshal(&flat); err != nil {
			return nil, err
		}
	}
	if flat.Properties == nil || flat.Properties.Len() == 0 {
		raw = withProperties(raw)
	}
	return unescapeHTML(raw)
}

// withProperties writes "properties":{} into an object schema without any: the
// same meaning, and some clients refuse a schema without the key.
func withProperties(raw []byte) []byte {
	if bytes.Contains(raw, []byte(`"properties":`)) {
		return raw
	}
	return append([]byte(`{"properties":{},`), raw[1:]...)
}

func unescapeHTML(raw []byte) ([]byte, error) {
	var buf bytes.Buffer
	for len(raw) > 0 {
		i := bytes.Index(raw, []byte(`\u00`))
		if i < 0 || len(raw) < i+6 {
			break
		}
		c, known := map[string]byte{"3c": '<', "3e": '>', "26": '&'}[string(raw[i+4:i+6])]
		odd := 0
		for j := i - 1; j >= 0 && raw[j] == '\\'; j-- {
			odd++
		}
		if !known || odd%2 == 1 {
			buf.Write(raw[:i+2])
			raw = raw[i+2:]
			continue
		}
		buf.Write(raw[:i])
		buf.WriteByte(c)
		raw = raw[i+6:]
	}
	buf.Write(raw)
	return buf.Bytes(), nil
}

// tidy writes the comments of a schema's properties as one line.
func tidy(s *jsonschema.Schema) {
	s.Description = oneLine(s.Description)
	if s.Properties == nil {
		return
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		p.Value.Description = oneLine(p.Value.Description)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Enumerated is a string type with a closed set of values. Its schema lists them.
type Enumerated interface{ SchemaEnum() []string }

// mapType gives unsigned and sized integers the bounds that the Go type has, and
// enumerated strings their members.
func mapType(t reflect.Type) *jsonschema.Schema {
	if e, ok := reflect.TypeAssert[Enumerated](reflect.Zero(t)); ok && t.Kind() == reflect.String {
		s := &jsonschema.Schema{Type: "string"}
		for _, word := range e.SchemaEnum() {
			s.Enum = append(s.Enum, word)
		}
		return s
	}
	if t.PkgPath() != "" || marshalsItself(t) {
		return nil
	}
	b, ok := integerBounds[t.Kind()]
	if !ok {
		return nil
	}
	return &jsonschema.Schema{Type: "integer", Minimum: b[0], Maximum: b[1]}
}

var integerBounds = map[reflect.Kind][2]json.Number{
	reflect.Int8:   {"-128", "127"},
	reflect.Int16:  {"-32768", "32767"},
	reflect.Int32:  {"-2147483648", "2147483647"},
	reflect.Uint:   {"0", "18446744073709551615"},
	reflect.Uint8:  {"0", "255"},
	reflect.Uint16: {"0", "65535"},
	reflect.Uint32: {"0", "4294967295"},
	reflect.Uint64: {"0", "18446744073709551615"},
}

// typeName is the schema name of a type: its Go name, and for an instance of a
// generic type the names of its arguments before it (Page[Row] is RowPage).
func typeName(t reflect.Type) string {
	name, args, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	var parts []string
	for arg := range strings.SplitSeq(strings.TrimSuffix(args, "]"), ",") {
		arg = strings.TrimRight(arg, "]")
		if i := strings.LastIndexAny(arg, "./["); i >= 0 {
			arg = arg[i+1:]
		}
		parts = append(parts, upperFirst(arg))
	}
	return strings.Join(slices.Concat(parts, []string{name}), "")
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
