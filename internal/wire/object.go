package wire

import (
	"bytes"
	"encoding/json"
)

// object writes a JSON object member by member, in the order of the calls.
type object struct{ buf bytes.Buffer }

func newObject() *object {
	o := &object{}
	o.buf.WriteByte('{')
	return o
}

// raw adds a member whose value is JSON already; empty adds nothing.
func (o *object) raw(key string, value []byte) {
	if len(value) == 0 {
		return
	}
	if o.buf.Len() > 1 {
		o.buf.WriteByte(',')
	}
	o.buf.Write(text(key))
	o.buf.WriteByte(':')
	o.buf.Write(value)
}

// text adds a string member; empty adds nothing.
func (o *object) text(key, value string) {
	if value != "" {
		o.raw(key, text(value))
	}
}

func (o *object) flag(key string, value bool) {
	if value {
		o.raw(key, []byte("true"))
	}
}

func (o *object) empty() bool { return o.buf.Len() == 1 }

// end closes the object and answers its bytes.
func (o *object) end() []byte {
	o.buf.WriteByte('}')
	return o.buf.Bytes()
}

// endOrNone answers nil for an object without members.
func (o *object) endOrNone() []byte {
	if o.empty() {
		return nil
	}
	return o.end()
}

// text writes a string as JSON without escaping HTML. Invalid UTF-8 becomes
// U+FFFD.
func text(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string cannot fail
		return []byte(`""`)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// value writes any of our own structs as JSON without escaping HTML.
func value(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // structs of strings and numbers cannot fail
		return []byte("null")
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
