package entrytext

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// maxDepth is how deep values may nest.
const maxDepth = 256

// jsonNode is a value with its place in the text.
type jsonNode struct {
	kind       Kind
	start, end int
	text       string
	items      []*jsonNode
	members    []jsonMember
}

// jsonMember is a key with its value.
type jsonMember struct {
	key   string
	at    int // of the quote before the key
	value *jsonNode
	comma int // after the value; -1 is none
}

// find answers the member of a key.
func (n *jsonNode) find(key string) (index, times int) {
	index = -1
	for i, m := range n.members {
		if m.key == key {
			index = i
			times++
		}
	}
	return index, times
}

func (n *jsonNode) value() Value {
	v := Value{Kind: n.kind, Text: n.text}
	for _, item := range n.items {
		v.Items = append(v.Items, item.value())
	}
	for _, m := range n.members {
		v.Members = append(v.Members, Member{m.key, m.value.value()})
	}
	return v
}

func valueOfJSON(text []byte) (Value, error) {
	root, err := readJSON(text)
	if err != nil {
		return Value{}, err
	}
	if root == nil {
		return Object(), nil
	}
	return root.value(), nil
}

type jsonReader struct {
	text  []byte
	i     int
	depth int
}

// readJSON answers the value of a text, nil where there is none.
func readJSON(text []byte) (*jsonNode, error) {
	r := &jsonReader{text: text}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.i == len(text) {
		return nil, nil //nolint:nilnil // a file without a value is one that a client has made and not filled
	}
	n, err := r.read()
	if err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.i < len(text) {
		return nil, r.fault("something stands behind the end of the object")
	}
	return n, nil
}

func (r *jsonReader) fault(format string, args ...any) error {
	return faultAt(r.text, r.i, format, args...)
}

// space skips white space and comments.
func (r *jsonReader) space() error {
	for {
		r.i = rawjson.Space(r.text, r.i)
		next, err := skipComment(r.text, r.i)
		if err != nil || next == r.i {
			return err
		}
		r.i = next
	}
}

// skipComment answers the index after the comment that begins at i, and i where none does.
// That of a line ends before its line break.
func skipComment(text []byte, i int) (int, error) {
	rest := text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexAny(rest, "\r\n"); n >= 0 {
			return i + n, nil
		}
		return len(text), nil
	case bytes.HasPrefix(rest, []byte("/*")):
		n := bytes.Index(rest[2:], []byte("*/"))
		if n < 0 {
			return i, faultAt(text, i, "the comment has no end")
		}
		return i + n + 4, nil
	}
	return i, nil
}

func (r *jsonReader) peek() byte {
	if r.i < len(r.text) {
		return r.text[r.i]
	}
	return 0
}

func (r *jsonReader) read() (*jsonNode, error) {
	n := &jsonNode{start: r.i}
	var err error
	switch c := r.peek(); c {
	case '{', '[':
		if r.depth++; r.depth > maxDepth {
			return nil, r.fault("values nest more than %d levels deep", maxDepth)
		}
		r.i++
		n.kind = Map
		if c == '[' {
			n.kind = List
		}
		err = r.inside(n)
		r.depth--
	case '"':
		n.kind = String
		n.text, err = r.quoted()
	case 't', 'f':
		n.kind = Bool
		n.text, err = r.plain()
	case 'n':
		_, err = r.plain()
	default:
		n.kind = Number
		n.text, err = r.plain()
	}
	n.end = r.i
	return n, err
}

// plain reads a word or a number.
func (r *jsonReader) plain() (string, error) {
	end, _, err := rawjson.Scan(r.text, r.i, 0)
	if err != nil {
		return "", r.fault("a value must stand here")
	}
	word := string(r.text[r.i:end])
	r.i = end
	return word, nil
}

func (r *jsonReader) quoted() (string, error) {
	end, _, err := rawjson.Scan(r.text, r.i, 0)
	if err != nil {
		return "", r.fault("the text in quotes has no end in its line, or an escape that JSON does not have")
	}
	s := rawjson.Unquote(r.text[r.i:end])
	r.i = end
	return s, nil
}

// inside reads what stands in an object or a list, and its closing bracket.
func (r *jsonReader) inside(n *jsonNode) error {
	closing := byte('}')
	if n.kind == List {
		closing = ']'
	}
	for {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == closing {
			r.i++
			return nil
		}
		if err := r.element(n); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		switch r.peek() {
		case closing:
		case ',':
			if n.kind == Map {
				n.members[len(n.members)-1].comma = r.i
			}
			r.i++
		case 0:
			return r.fault("the end of %s is missing, which began on line %d", n.kind, faultAt(r.text, n.start, "").Line)
		default:
			return r.fault("a comma or %q must stand here", closing)
		}
	}
}

// element reads one member or item.
func (r *jsonReader) element(n *jsonNode) error {
	m := jsonMember{at: r.i, comma: -1}
	if n.kind == Map {
		if r.peek() != '"' {
			if r.peek() == 0 {
				return r.fault("the end of %s is missing, which began on line %d", n.kind, faultAt(r.text, n.start, "").Line)
			}
			return r.fault("a key in double quotes must stand here")
		}
		var err error
		if m.key, err = r.quoted(); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.fault("a colon must stand here, behind the key")
		}
		r.i++
		if err := r.space(); err != nil {
			return err
		}
	}
	v, err := r.read()
	if err != nil {
		return err
	}
	if n.kind == List {
		n.items = append(n.items, v)
		return nil
	}
	m.value = v
	n.members = append(n.members, m)
	return nil
}

// WriteJSON answers a member of an object as JSON, in lines that begin with indent but
// the first, and that step in by unit. With an empty unit it is one line.
func WriteJSON(key string, v Value, indent, unit, eol string) string {
	var b strings.Builder
	b.Write(rawjson.AppendQuoted(nil, key))
	b.WriteString(": ")
	writeJSON(&b, v, indent, unit, eol)
	return b.String()
}

func writeJSON(b *strings.Builder, v Value, indent, unit, eol string) {
	switch v.Kind {
	case Null:
		b.WriteString("null")
	case Bool, Number:
		b.WriteString(v.Text)
	case String:
		b.Write(rawjson.AppendQuoted(nil, v.Text))
	case List:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeJSON(b, item, indent, "", eol)
		}
		b.WriteByte(']')
	case Map:
		open, between, shut := "{"+eol+indent+unit, ","+eol+indent+unit, eol+indent+"}"
		if unit == "" {
			open, between, shut = "{", ", ", "}"
		}
		if len(v.Members) == 0 {
			b.WriteString("{}")
			return
		}
		for i, m := range v.Members {
			if i == 0 {
				b.WriteString(open)
			} else {
				b.WriteString(between)
			}
			b.WriteString(WriteJSON(m.Key, m.Value, indent+unit, unit, eol))
		}
		b.WriteString(shut)
	}
}

// nodeAt answers the object at a path and how much of the path leads there.
func (n *jsonNode) nodeAt(text []byte, path []string) (*jsonNode, int, error) {
	for i, key := range path {
		at, times := n.find(key)
		switch {
		case times == 0:
			return n, i, nil
		case times > 1:
			return nil, 0, faultAt(text, n.members[at].at, "the key %s stands twice in its object: which of them counts is not for us to say", key)
		case n.members[at].value.kind != Map:
			v := n.members[at].value
			return nil, 0, faultAt(text, v.start, "%s is %s and not an object", strings.Join(path[:i+1], "."), v.kind)
		}
		n = n.members[at].value
	}
	return n, len(path), nil
}

func describeTwice(name string) string {
	return fmt.Sprintf("the entry %s stands there twice", name)
}
