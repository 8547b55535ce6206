package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// kind is the JSON type of a node.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is a JSON value that keeps the order of members and the digits of numbers.
// A node is never changed once another holds it, so trees may share nodes.
type node struct {
	kind    kind
	text    string // of a string; the literal of a number; "true" or "false"
	items   []*node
	members []member
}

type member struct {
	key   string
	value *node
}

func object() *node              { return &node{kind: kindObject} }
func array(items ...*node) *node { return &node{kind: kindArray, items: items} }
func str(s string) *node         { return &node{kind: kindString, text: s} }
func number(s string) *node      { return &node{kind: kindNumber, text: s} }
func boolean(b bool) *node       { return &node{kind: kindBool, text: fmt.Sprint(b)} }

func strs(list ...string) *node {
	a := array()
	for _, s := range list {
		a.items = append(a.items, str(s))
	}
	return a
}

// add appends a member whose key is not there yet and answers n; a nil value adds
// nothing.
func (n *node) add(key string, value *node) *node {
	if value != nil {
		n.members = append(n.members, member{key, value})
	}
	return n
}

// str appends a string member; empty adds nothing.
func (n *node) str(key, value string) *node {
	if value == "" {
		return n
	}
	return n.add(key, str(value))
}

// set replaces a member in its place, or appends it.
func (n *node) set(key string, value *node) {
	for i := range n.members {
		if n.members[i].key == key {
			n.members[i].value = value
			return
		}
	}
	n.add(key, value)
}

func (n *node) remove(key string) {
	n.members = slices.DeleteFunc(n.members, func(m member) bool { return m.key == key })
}

// get answers a member of an object, or nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != kindObject {
		return nil
	}
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

func (n *node) isObject() bool { return n != nil && n.kind == kindObject }
func (n *node) isTrue() bool   { return n != nil && n.kind == kindBool && n.text == "true" }
func (n *node) isFalse() bool  { return n != nil && n.kind == kindBool && n.text == "false" }

// stringOf answers the text of a string node, or "".
func stringOf(n *node) string {
	if n == nil || n.kind != kindString {
		return ""
	}
	return n.text
}

// parse reads JSON text.
func parse(data []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	n, err := parseValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return n, nil
}

func parseValue(dec *json.Decoder) (*node, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case bool:
		return boolean(v), nil
	case json.Number:
		return number(v.String()), nil
	case string:
		return str(v), nil
	case json.Delim:
		if v == '[' {
			return parseArray(dec)
		}
		return parseObject(dec)
	}
	return &node{}, nil
}

func parseArray(dec *json.Decoder) (*node, error) {
	a := array()
	for dec.More() {
		item, err := parseValue(dec)
		if err != nil {
			return nil, err
		}
		a.items = append(a.items, item)
	}
	_, err := dec.Token()
	return a, err
}

func parseObject(dec *json.Decoder) (*node, error) {
	o, seen := object(), map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if seen[key] {
			return nil, fmt.Errorf("the key %q stands twice in one object", key)
		}
		seen[key] = true
		value, err := parseValue(dec)
		if err != nil {
			return nil, err
		}
		o.add(key, value)
	}
	_, err := dec.Token()
	return o, err
}

// bytes writes the node as JSON without needless space.
func (n *node) bytes() []byte {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	switch n.kind {
	case kindNull:
		b.WriteString("null")
	case kindBool, kindNumber:
		b.WriteString(n.text)
	case kindString:
		writeString(b, n.text)
	case kindArray:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case kindObject:
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, m.key)
			b.WriteByte(':')
			m.value.write(b)
		}
		b.WriteByte('}')
	}
}

// writeString writes a JSON string. encoding/json without HTML escapes keeps "<"
// readable and still escapes U+2028 and U+2029, which end a line in JavaScript.
func writeString(b *bytes.Buffer, s string) {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string cannot fail
		b.WriteString(`""`)
		return
	}
	b.Truncate(b.Len() - 1)
}
