package capabilities

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// plan decodes arguments that have been validated into one Go type, straight from
// the bytes. It may only say "decoded": whatever it does not know (an escaped key,
// a null, a number out of range, a type with a decoder of its own) it leaves to
// encoding/json, which decides. A test holds the two equal.
type plan struct {
	kind   reflect.Kind
	fields []planField    // of a struct
	places map[string]int // of its fields
	elem   *plan          // of a slice or a pointer
}

type planField struct {
	name  string
	index []int
	*plan
}

// field answers the place of a field; next is where callers mostly have it.
func (p *plan) field(name []byte, next int) (int, bool) {
	if next < len(p.fields) && p.fields[next].name == string(name) {
		return next, true
	}
	at, known := p.places[string(name)]
	return at, known
}

// planFor answers the plan of a type, or nil where there is none.
func planFor(t reflect.Type) *plan { return planner{}.plan(t) }

type planner map[reflect.Type]*plan

var (
	jsonDecoder = reflect.TypeFor[json.Unmarshaler]()
	textDecoder = reflect.TypeFor[interface{ UnmarshalText(text []byte) error }]()
)

func (b planner) plan(t reflect.Type) *plan {
	if p, known := b[t]; known {
		return p
	}
	if to := reflect.PointerTo(t); to.Implements(jsonDecoder) || to.Implements(textDecoder) {
		return nil
	}
	p := &plan{kind: t.Kind()}
	b[t] = p
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return p
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return nil // base64 in JSON
		}
		fallthrough
	case reflect.Pointer:
		if p.elem = b.plan(t.Elem()); p.elem == nil {
			return nil
		}
		return p
	case reflect.Struct:
		p.places = map[string]int{}
		if b.structure(p, t, nil) {
			return p
		}
	}
	return nil
}

func (b planner) structure(p *plan, t reflect.Type, at []int) bool {
	for f := range fieldsOf(t) {
		index := append(slices.Clip(at), f.Index...)
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		_, taken := p.places[f.name]
		switch {
		case f.embedded && b.structure(p, f.Type, index):
			continue
		case f.embedded, f.name == "", taken, !f.IsExported(), slices.Contains(strings.Split(options, ","), "string"):
			return false
		}
		of := b.plan(f.Type)
		if of == nil {
			return false
		}
		p.places[f.name] = len(p.fields)
		p.fields = append(p.fields, planField{f.name, index, of})
	}
	return true
}

// decode fills v and reports whether it did; when it did not, v is half filled.
func (p *plan) decode(data []byte, v reflect.Value) bool {
	d := planDecoder{data: data}
	d.space()
	if !d.value(p, v, 0) {
		return false
	}
	d.space()
	return d.at == len(data)
}

type planDecoder struct {
	data []byte
	at   int
}

func (d *planDecoder) space() {
	for d.at < len(d.data) {
		switch d.data[d.at] {
		case ' ', '\n', '\r', '\t':
			d.at++
		default:
			return
		}
	}
}

// next skips white space and takes c if it is there.
func (d *planDecoder) next(c byte) bool {
	d.space()
	if d.at < len(d.data) && d.data[d.at] == c {
		d.at++
		return true
	}
	return false
}

func (d *planDecoder) value(p *plan, v reflect.Value, depth int) bool {
	if d.at >= len(d.data) || depth > MaxDepth {
		return false
	}
	switch p.kind {
	case reflect.String:
		s, ok := d.text()
		if ok {
			v.SetString(string(s))
		}
		return ok
	case reflect.Bool:
		return d.boolean(v)
	case reflect.Struct:
		return d.object(p, v, depth)
	case reflect.Slice:
		return d.array(p, v, depth)
	case reflect.Pointer:
		if d.data[d.at] == 'n' {
			return false
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.value(p.elem, v.Elem(), depth)
	}
	return d.number(v)
}

// text reads a string without escapes.
func (d *planDecoder) text() ([]byte, bool) {
	if d.data[d.at] != '"' {
		return nil, false
	}
	ascii := true
	for i := d.at + 1; i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			s := d.data[d.at+1 : i]
			d.at = i + 1
			return s, ascii || utf8.Valid(s)
		case c == '\\' || c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

func (d *planDecoder) boolean(v reflect.Value) bool {
	rest := d.data[d.at:]
	switch {
	case len(rest) >= 4 && string(rest[:4]) == "true":
		d.at += 4
		v.SetBool(true)
	case len(rest) >= 5 && string(rest[:5]) == "false":
		d.at += 5
		v.SetBool(false)
	default:
		return false
	}
	return true
}

func (d *planDecoder) number(v reflect.Value) bool {
	start := d.at
	for d.at < len(d.data) {
		switch c := d.data[d.at]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			d.at++
			continue
		}
		break
	}
	text := d.data[start:d.at]
	// What Go reads and JSON does not: a leading zero, a sign or a point at an end.
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && len(digits) > 1 && digits[1] >= '0' && digits[1] <= '9' {
		return false
	}
	switch {
	case v.CanInt():
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil || v.OverflowInt(n) {
			return false
		}
		v.SetInt(n)
	case v.CanUint():
		n, err := strconv.ParseUint(string(text), 10, 64)
		if err != nil || v.OverflowUint(n) {
			return false
		}
		v.SetUint(n)
	default:
		if strings.HasSuffix(string(text), ".") || strings.Contains(string(text), ".e") || strings.Contains(string(text), ".E") {
			return false
		}
		n, err := strconv.ParseFloat(string(text), v.Type().Bits())
		if err != nil {
			return false
		}
		v.SetFloat(n)
	}
	return true
}

func (d *planDecoder) object(p *plan, v reflect.Value, depth int) bool {
	if !d.next('{') {
		return false
	}
	if d.next('}') {
		return true
	}
	for next := 0; ; next++ {
		if d.space(); d.at >= len(d.data) {
			return false
		}
		key, ok := d.text()
		if !ok || !d.next(':') {
			return false
		}
		if next, ok = p.field(key, next); !ok {
			return false
		}
		f, into := &p.fields[next], v
		for _, i := range f.index {
			into = into.Field(i)
		}
		if d.space(); !d.value(f.plan, into, depth+1) {
			return false
		}
		if !d.next(',') {
			return d.next('}')
		}
	}
}

func (d *planDecoder) array(p *plan, v reflect.Value, depth int) bool {
	if v.Len() > 0 || !d.next('[') { // encoding/json writes over the items of before
		return false
	}
	if d.next(']') {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return true
	}
	list := reflect.New(v.Type()).Elem()
	for n := 0; ; n++ {
		if n == list.Cap() {
			list.Grow(max(4, n))
		}
		list.SetLen(n + 1)
		if d.space(); !d.value(p.elem, list.Index(n), depth+1) {
			return false
		}
		if !d.next(',') {
			v.Set(list)
			return d.next(']')
		}
	}
}
