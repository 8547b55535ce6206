package schema

import (
	"encoding/json"
	"slices"
)

// Property is what a command line or a query string needs to know about one field of an object schema. References, unions and
// allOf are followed for these facts; the schema itself stays the judge. A property's slices belong to the caller.
type Property struct {
	Name        string
	Required    bool
	Types       []string          // the JSON types it admits, in the schema's order, without "null"; empty when any
	Nullable    bool              // whether null is admitted, in whichever of its four spellings
	Enum        []json.RawMessage // the values it is limited to, without null; nil when not limited
	Default     json.RawMessage   // nil when none
	Description string
	Format      string
	Items       *Property       // what an array's items are; nil when not stated
	Object      bool            // whether an object is admitted
	Union       bool            // whether values of several types are admitted, null aside
	Raw         json.RawMessage // the subschema as written
}

// Bounds on following references for the facts of one property.
const (
	maxFactSteps = 200
	maxItemDepth = 4
)

// Outline is the text of a schema, read for its fields alone. It is for schemas that are known to compile: reading one takes a
// small part of the time of compiling it.
type Outline struct{ root *node }

// ReadOutline reads a schema. ok is false for a text that does not pass [Scan].
func ReadOutline(raw []byte) (o Outline, ok bool) {
	if Scan(raw) != nil {
		return Outline{}, false
	}
	return Outline{parse(raw)}, true
}

// Properties is [Outline.Properties] of the schema.
func (s *Schema) Properties() []Property { return s.Outline().Properties() }

// Outline answers the fields of the schema.
func (s *Schema) Outline() Outline { return Outline{parse(s.raw)} }

// Properties lists the fields of an object schema in the order its text names them: its own, then those that allOf, $ref, anyOf and
// oneOf at its root add. It is nil for a schema that names none.
func (o Outline) Properties() []Property {
	r := propertyReader{root: o.root, places: map[string]int{}, steps: 50 * maxFactSteps}
	r.collect(r.root, true)
	return r.list
}

// FieldsWithin lists the fields of the object that a field of an object schema is, or of the objects that it is a list of, as
// [Outline.Properties] lists those of the object itself. It is nil where the field is neither.
func (o Outline) FieldsWithin(field string) []Property {
	r := propertyReader{root: o.root, places: map[string]int{}, steps: 50 * maxFactSteps}
	at := r.root
	for range maxItemDepth { // what stands at the root may be a reference
		ref := at.field("$ref")
		if ref == nil {
			break
		}
		at = r.root.resolve(ref.text())
	}
	inner := at.field("properties").field(field)
	f := factReader{root: r.root, property: &Property{}, steps: maxFactSteps}
	if f.read(inner); f.items != nil {
		inner = f.items
	}
	r.collect(inner, true)
	return r.list
}

type propertyReader struct {
	root   *node
	list   []Property
	places map[string]int
	steps  int
}

// collect adds the fields of one object schema; certain says that it applies to every value, so that what it requires is
// required.
func (r *propertyReader) collect(at *node, certain bool) {
	if r.steps--; !at.isObject() || r.steps < 0 {
		return
	}
	if properties := at.field("properties"); properties.isObject() {
		for i, name := range properties.keys {
			if _, known := r.places[name]; known || properties.items[i].is("false") {
				continue
			}
			r.places[name] = len(r.list)
			r.list = append(r.list, r.read(name, properties.items[i], 0))
		}
	}
	if ref := at.field("$ref"); ref != nil {
		r.collect(r.root.resolve(ref.text()), certain)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if held := at.field(keyword); held.isArray() {
			for _, item := range held.items {
				r.collect(item, certain && keyword == "allOf")
			}
		}
	}
	if required := at.field("required"); certain && required.isArray() {
		for _, item := range required.items {
			if i, known := r.places[item.text()]; known {
				r.list[i].Required = true
			}
		}
	}
}

func (r *propertyReader) read(name string, at *node, depth int) Property {
	p := Property{Name: name, Raw: slices.Clone(at.raw)}
	f := factReader{root: r.root, property: &p, steps: maxFactSteps}
	f.read(at)
	if p.Types == nil {
		p.Types = typesOf(p.Enum)
	}
	p.Object = slices.Contains(p.Types, "object")
	p.Union = len(p.Types) > 1 && !slices.Equal(p.Types, []string{"integer", "number"}) && !slices.Equal(p.Types, []string{"number", "integer"})
	if f.items != nil && depth < maxItemDepth {
		item := r.read("", f.items, depth+1)
		p.Items = &item
	}
	return p
}

// factReader gathers facts from a subschema and whatever judges the same value. The first word on a fact wins, so what
// stands beside a $ref goes before what it leads to.
type factReader struct {
	root     *node
	property *Property
	items    *node
	steps    int
}

func (f *factReader) read(at *node) {
	if f.steps--; !at.isObject() || f.steps < 0 {
		return
	}
	p := f.property
	if p.Description == "" {
		p.Description = at.field("description").text()
	}
	if p.Format == "" {
		p.Format = at.field("format").text()
	}
	if v := at.field("default"); v != nil && p.Default == nil {
		p.Default = slices.Clone(v.raw)
	}
	if v := at.field("items"); v.isObject() && f.items == nil {
		f.items = v
	}
	f.readTypes(at)
	f.readEnum(at)
	if ref := at.field("$ref"); ref != nil {
		f.read(f.root.resolve(ref.text()))
	}
	if all := at.field("allOf"); all.isArray() {
		for _, item := range all.items {
			f.read(item)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if held := at.field(keyword); held.isArray() {
			f.readUnion(held.items)
		}
	}
}

func (f *factReader) readTypes(at *node) {
	kind := at.field("type")
	if kind == nil || f.property.Types != nil {
		return
	}
	names := []*node{kind}
	if kind.isArray() {
		names = kind.items
	}
	for _, name := range names {
		f.addType(name.text())
	}
	if at.field("nullable").is("true") {
		f.property.Nullable = true
	}
}

func (f *factReader) addType(name string) {
	switch {
	case name == "null":
		f.property.Nullable = true
	case name != "" && !slices.Contains(f.property.Types, name):
		f.property.Types = append(f.property.Types, name)
	}
}

func (f *factReader) readEnum(at *node) {
	var values []*node
	if v := at.field("const"); v != nil {
		values = []*node{v}
	} else if v := at.field("enum"); v.isArray() {
		values = v.items
	}
	if f.property.Enum != nil || values == nil {
		return
	}
	typed := at.field("type") != nil
	f.property.Enum = []json.RawMessage{}
	for _, v := range values {
		switch {
		case !v.is("null"):
			f.property.Enum = append(f.property.Enum, slices.Clone(v.raw))
		case !typed:
			f.property.Nullable = true // beside a type, the type says whether null is admitted
		}
	}
}

// readUnion joins the facts of alternatives. A limit on values is only a fact when every alternative has one.
func (f *factReader) readUnion(branches []*node) {
	var enum []json.RawMessage
	limited, anyType := true, false
	open := f.property.Types == nil && !f.property.Nullable // else a type beside the union has said it
	for _, branch := range branches {
		p := Property{}
		sub := factReader{root: f.root, property: &p, steps: f.steps}
		sub.read(branch)
		f.steps = sub.steps
		if p.Types == nil {
			p.Types = typesOf(p.Enum)
		}
		anyType = anyType || p.Types == nil && !p.Nullable
		if open {
			f.property.Nullable = f.property.Nullable || p.Nullable
			for _, name := range p.Types {
				f.addType(name)
			}
		}
		enum = append(enum, p.Enum...)
		limited = limited && (p.Enum != nil || p.Types == nil && p.Nullable)
		if f.items == nil {
			f.items = sub.items
		}
		f.fillFrom(&p)
	}
	if open && anyType {
		f.property.Types = nil
	}
	if limited && f.property.Enum == nil {
		f.property.Enum = enum
	}
}

func (f *factReader) fillFrom(p *Property) {
	if f.property.Description == "" {
		f.property.Description = p.Description
	}
	if f.property.Format == "" {
		f.property.Format = p.Format
	}
	if f.property.Default == nil {
		f.property.Default = p.Default
	}
}

// typesOf are the types of listed values.
func typesOf(values []json.RawMessage) []string {
	var names []string
	for _, v := range values {
		if name := literalType(v); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// literalType is the JSON type of a value's text, "integer" for a number written without fraction and exponent.
func literalType(text []byte) string {
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if _, whole, _ := readNumber(text, 0); whole {
		return "integer"
	}
	return "number"
}
