package wire

import (
	"bytes"
	"encoding/json"
)

// object writes a JSON object member by member, in the order of the calls.
type object struct {
	buf   []byte
	start int // where its members begin
}

func newObject() *object { return newObjectFor(256 - 64) }

// newObjectFor is newObject with room for some bytes of values.
func newObjectFor(size int) *object { return newObjectAt(make([]byte, 0, size+64)) }

// newObjectAt is newObject that appends to bytes.
func newObjectAt(dst []byte) *object { return &object{append(dst, '{'), len(dst) + 1} }

// key begins a member.
func (o *object) key(key string) {
	if !o.empty() {
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
	if !o.empty() {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, of[1:len(of)-1]...)
}

// made adds a member whose value appends itself; nothing appended adds nothing.
func (o *object) made(key string, value func(dst []byte) []byte) {
	before := len(o.buf)
	o.key(key)
	from := len(o.buf)
	if o.buf = value(o.buf); len(o.buf) == from {
		o.buf = o.buf[:before]
	}
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

func (o *object) empty() bool { return len(o.buf) == o.start }

// end closes the object and answers its bytes.
func (o *object) end() []byte {
	o.buf = append(o.buf, '}')
	return o.buf
}

// endOrNone answers what stood before an object without members.
func (o *object) endOrNone() []byte {
	if o.empty() {
		return o.buf[:o.start-1]
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
