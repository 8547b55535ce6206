package capabilities

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// outPlan writes values of one Go type as JSON, straight into the bytes, with nil slices
// as []. It may only say "written": whatever it does not know (a map, a fraction, a type
// with an encoder of its own, a text with rare characters) it leaves to encoding/json,
// which decides. A test holds the two equal.
type outPlan struct {
	kind   reflect.Kind
	fields []outField // of a struct
	elem   *outPlan   // of a slice or a pointer
}

type outField struct {
	key         string // `"name":`
	index       []int
	empty, zero bool // left out where it is empty, or zero
	*outPlan
}

// zeroJudge is a type that says itself what its zero is; encoding/json asks it.
var zeroJudge = reflect.TypeFor[interface{ IsZero() bool }]()

// outPlanFor answers the plan of a type, or nil where there is none.
func outPlanFor(t reflect.Type) *outPlan { return outPlanner{}.plan(t) }

type outPlanner map[reflect.Type]*outPlan

func (b outPlanner) plan(t reflect.Type) *outPlan {
	if p, known := b[t]; known {
		return p
	}
	if marshalsItself(t) {
		return nil
	}
	p := &outPlan{kind: t.Kind()}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return p
	case reflect.Slice, reflect.Pointer:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return nil // base64 in JSON
		}
		b[t] = nil // a type that holds itself may be a ring
		if p.elem = b.plan(t.Elem()); p.elem != nil {
			b[t] = p
			return p
		}
	case reflect.Struct:
		b[t] = nil
		if b.structure(p, t, nil) {
			b[t] = p
			return p
		}
	}
	return nil
}

func (b outPlanner) structure(p *outPlan, t reflect.Type, at []int) bool {
	for f := range fieldsOf(t) {
		index := append(slices.Clip(at), f.Index...)
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		key := `"` + f.name + `":`
		switch {
		case f.embedded && !marshalsItself(f.Type) && b.structure(p, f.Type, index):
			continue
		case f.embedded, !f.IsExported(), !plainName(f.name), options != "" && options != "omitempty" && options != "omitzero",
			slices.ContainsFunc(p.fields, func(o outField) bool { return o.key == key }):
			return false
		}
		if options == "omitzero" && reflect.PointerTo(f.Type).Implements(zeroJudge) {
			return false
		}
		of := b.plan(f.Type)
		if of == nil {
			return false
		}
		p.fields = append(p.fields, outField{key, index, options == "omitempty", options == "omitzero", of})
	}
	return true
}

// plainName reports whether a name is one that JSON writes as it is.
func plainName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// texts keeps the bytes that answers are written into.
var texts sync.Pool

// encode answers v as JSON, or false.
func (p *outPlan) encode(v reflect.Value) ([]byte, bool) {
	b, kept := texts.Get().(*[]byte)
	if !kept {
		b = new([]byte)
	}
	text, ok := p.write((*b)[:0], v)
	var out []byte
	if ok {
		out = make([]byte, len(text))
		copy(out, text)
	}
	if *b = text; cap(text) <= maxKept {
		texts.Put(b)
	}
	return out, ok
}

// write adds v to b. Where it answers false, what it added is of no use.
func (p *outPlan) write(b []byte, v reflect.Value) (_ []byte, ok bool) {
	switch p.kind {
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), true
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...), true
		}
		return p.elem.write(b, v.Elem())
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = p.elem.write(b, v.Index(i)); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	case reflect.Struct:
		return p.object(b, v)
	}
	if v.CanInt() {
		return strconv.AppendInt(b, v.Int(), 10), true
	}
	return strconv.AppendUint(b, v.Uint(), 10), true
}

func (p *outPlan) object(b []byte, v reflect.Value) (_ []byte, ok bool) {
	b = append(b, '{')
	first := true
	for i := range p.fields {
		f := &p.fields[i]
		of := v
		for _, i := range f.index {
			of = of.Field(i)
		}
		if f.empty && empty(of) || f.zero && of.IsZero() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, f.key...)
		if b, ok = f.write(b, of); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

// empty reports what encoding/json leaves out of an object for omitempty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// appendText adds a JSON string, or answers false where one character is rare: those
// that take more than a backslash, and those that are no character.
func appendText(b []byte, s string) ([]byte, bool) {
	b = append(b, '"')
	from, ascii := 0, true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			ascii = false
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		switch c {
		case '\n':
			c = 'n'
		case '\r':
			c = 'r'
		case '\t':
			c = 't'
		case '"', '\\':
		default:
			return b, false
		}
		b = append(append(b, s[from:i]...), '\\', c)
		from = i + 1
	}
	if !ascii && (!utf8.ValidString(s) || strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029")) {
		return b, false
	}
	return append(append(b, s[from:]...), '"'), true
}
