package wire

import (
	"bytes"
	"encoding/json"
)

// object writes a JSON object member by member, in the order of the calls.
type object struct{ buf []byte }

func newObject() *object { return &object{buf: append(make([]byte, 0, 256), '{')} }

// newObjectFor is newObject with room for some bytes of values.
func newObjectFor(size int) *object { return &object{buf: append(make([]byte, 0, size+64), '{')} }

// key begins a member.
func (o *object) key(key string) {
	if len(o.buf) > 1 {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(appendText(o.buf, key), ':')
}

// raw adds a member whose value is JSON already; empty adds nothing.
func (o *object) raw(key string, value []byte) {
	if len(value) == 0 {
		return
	}
	o.key(key)
	o.buf = append(o.buf, value...)
}

// members adds the members of an object that is JSON already; empty adds nothing.
func (o *object) members(of []byte) {
	if inner := bytes.TrimSpace(bytes.Trim(of, "{} \t\r\n")); len(inner) == 0 {
		return
	}
	of = bytes.TrimSpace(of)
	if len(o.buf) > 1 {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, of[1:len(of)-1]...)
}

// text adds a string member; empty adds nothing.
func (o *object) text(key, value string) {
	if value == "" {
		return
	}
	o.key(key)
	o.buf = appendText(o.buf, value)
}

func (o *object) flag(key string, value bool) {
	if value {
		o.key(key)
		o.buf = append(o.buf, "true"...)
	}
}

func (o *object) empty() bool { return len(o.buf) == 1 }

// end closes the object and answers its bytes.
func (o *object) end() []byte {
	o.buf = append(o.buf, '}')
	return o.buf
}

// endOrNone answers nil for an object without members.
func (o *object) endOrNone() []byte {
	if o.empty() {
		return nil
	}
	return o.end()
}

// value writes any of our own strings, or structs of strings and numbers, as JSON
// without escaping HTML.
func value(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // what is made of strings and numbers cannot fail
		return []byte("null")
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
