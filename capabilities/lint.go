package capabilities

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// maxText is the most bytes of a summary or a field's description: each stands in
// every assistant's prompt.
const maxText = 200

var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// typeLint walks a Go type and reports what would make its schema lie or vanish:
// invopop drops misspelt tag keys and keywords that do not fit the type without a
// word, and encoding/json writes null where the schema says otherwise.
type typeLint struct {
	comments map[string]string
	once     reflect.Type // whose own fields may be tagged once; nil is no type's
	seen     map[reflect.Type]bool
	faults   []string
	opaque   bool // a type was found that no schema can be reflected from
}

// lintType answers the faults of a type, and whether a schema can be reflected from
// it all the same, so that what depends on the schema is judged too. once says that it
// is the output of a write of the store, whose own fields may be tagged so.
func lintType(t reflect.Type, comments map[string]string, once bool) (faults []string, reflectable bool) {
	l := &typeLint{comments: comments, seen: map[reflect.Type]bool{}}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if once {
		l.once = t
	}
	if t.Kind() != reflect.Struct || t.Name() == "" {
		return []string{fmt.Sprintf("%s is not a struct with a name", t)}, false
	}
	l.visit(t)
	return l.faults, !l.opaque
}

func (l *typeLint) report(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

func (l *typeLint) visit(t reflect.Type) {
	if l.seen[t] || marshalsItself(t) || hasOwnSchema(t) {
		return
	}
	l.seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		l.visit(t.Elem())
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			l.opaque = true
			l.report("%s: a map is keyed by strings in JSON", t)
		}
		l.visit(t.Elem())
	case reflect.Struct:
		l.structure(t)
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		l.opaque = true
		l.report("%s has no JSON Schema: use a concrete type, or json.RawMessage for any JSON", t)
	}
}

func (l *typeLint) structure(t reflect.Type) {
	folded := map[string]string{}
	l.fields(t, t, folded)
}

// fields lints the fields of t, and of its embedded structs as fields of owner.
func (l *typeLint) fields(owner, t reflect.Type, folded map[string]string) {
	for f := range fieldsOf(t) {
		where := t.Name() + "." + f.Name
		if f.embedded {
			l.fields(owner, f.Type, folded)
			continue
		}
		switch {
		case f.name == "":
			l.report("%s: a field needs a json tag with its name", where)
			continue
		case !fieldName.MatchString(f.name):
			l.report("%s: the property name %q is not of the form [a-z][a-z0-9_]*", where, f.name)
		}
		fold := strings.ToLower(strings.ReplaceAll(f.name, "_", ""))
		if other, ok := folded[fold]; ok {
			l.report("%s: the property names %q and %q become one name in generated clients: rename one", where, other, f.name)
		}
		folded[fold] = f.name
		if f.Type.Kind() == reflect.Pointer && !f.optional {
			l.report("%s: a pointer without omitempty writes null, which its schema refuses: add omitempty, or drop the pointer", where)
		}
		if f.isOnce() {
			l.onceField(where, owner, f)
		}
		l.description(where, t, f)
		l.tags(where, f)
		l.visit(f.Type)
	}
}

func (l *typeLint) description(where string, t reflect.Type, f field) {
	text := f.Tag.Get("jsonschema_description")
	if text == "" {
		text = oneLine(commentOf(l.comments, t, f.Name))
	}
	most := maxText
	if f.isOnce() {
		most -= len(onceNote)
	}
	switch {
	case text == "":
		l.report("%s has no description: comment the field, then run the command `generate comments` of the program", where)
	case len(text) > most:
		l.report("%s: the description has %d bytes, at most %d are allowed", where, len(text), most)
	}
}

// onceField judges a field that is tagged once: what is taken out of the answers that
// are kept, or answered again, has to be a text that may be absent.
func (l *typeLint) onceField(where string, owner reflect.Type, f field) {
	if owner != l.once {
		l.report("%s: only an output that embeds a receipt has fields tagged once, and none of what it holds has", where)
	}
	if !f.optional {
		l.report("%s is tagged once, so that most answers are without it: add omitempty", where)
	}
}

// tagKinds says which keys a jsonschema tag may have, and on which JSON type.
var tagKinds = map[string]string{
	"title": "*", "description": "*", "nullable": "*", "example": "*",
	"enum": "string integer number", "default": "string integer number boolean",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"minimum": "integer number", "maximum": "integer number", "exclusiveMinimum": "integer number",
	"exclusiveMaximum": "integer number", "multipleOf": "integer number",
	"minItems": "array", "maxItems": "array", "uniqueItems": "array",
	tagOnce: "string",
}

func (l *typeLint) tags(where string, f field) {
	jt := jsonType(f.Type)
	for _, kv := range f.tags() {
		kinds, ok := tagKinds[kv.key]
		switch {
		case !ok:
			l.report("%s: unknown jsonschema tag key %q", where, kv.key)
			continue
		case kinds != "*" && !strings.Contains(" "+kinds+" ", " "+jt+" "):
			l.report("%s: the jsonschema tag %q does not apply to a field of JSON type %s", where, kv.key, jt)
			continue
		}
		l.tagValue(where, f, kv, jt)
	}
}

func (l *typeLint) tagValue(where string, f field, kv tag, jt string) {
	switch kv.key {
	case "minLength", "maxLength", "minItems", "maxItems":
		if _, err := strconv.ParseUint(kv.value, 10, 63); err != nil {
			l.report("%s: %s=%s is not a whole number", where, kv.key, kv.value)
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		if !isNumber(kv.value) {
			l.report("%s: %s=%s is not a number", where, kv.key, kv.value)
		}
	case "pattern":
		if _, err := regexp.Compile(kv.value); err != nil {
			l.report("%s: the pattern does not compile: %v", where, err)
		}
	case "default", "enum":
		if jt != "string" && !json.Valid([]byte(kv.value)) {
			l.report("%s: %s=%s is not JSON of type %s", where, kv.key, kv.value, jt)
		}
		if kv.key == "default" && !f.optional {
			l.report("%s has a default but is required: add omitempty", where)
		}
	}
}

func isNumber(s string) bool {
	var n json.Number
	return json.Unmarshal([]byte(s), &n) == nil && s != "" && s[0] != '"'
}

// jsonType is the JSON type of the schema that a field's tag keywords land on.
func jsonType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if a, ok := reflect.TypeAssert[interface{ JSONSchemaAlias() any }](reflect.Zero(t)); ok {
		return jsonType(reflect.TypeOf(a.JSONSchemaAlias()))
	}
	if t.Implements(textMarshaler) || t.String() == "time.Time" {
		return "string"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "array"
	}
	return "object"
}

// hasOwnSchema reports whether the type states its schema itself.
func hasOwnSchema(t reflect.Type) bool {
	_, alias := t.MethodByName("JSONSchemaAlias")
	_, own := t.MethodByName("JSONSchema")
	return alias || own
}
