package schema

import (
	"net/url"
	"strconv"
	"strings"
)

// node is one value of a scanned text with its bytes and, unlike encoding/json's maps, the order of its fields.
type node struct {
	raw   []byte
	at    int      // where it starts in the text
	keys  []string // of an object
	items []*node  // of an object or array
	index map[string]int
}

// parse splits a text that has been scanned, in one pass.
func parse(text []byte) *node {
	n, _ := parseAt(text, skipSpace(text, 0))
	return n
}

func parseAt(d []byte, i int) (*node, int) {
	start, n := i, &node{at: i}
	switch d[i] {
	case '{', '[':
		object, closing := d[i] == '{', d[i]+2 // both pairs stand two apart in ASCII
		for i = skipSpace(d, i+1); d[i] != closing; {
			if object {
				next, _, _ := readString(d, i)
				n.keys = append(n.keys, unescape(d[i+1:next-1]))
				i = skipSpace(d, skipSpace(d, next)+1)
			}
			var item *node
			item, i = parseAt(d, i)
			n.items = append(n.items, item)
			if i = skipSpace(d, i); d[i] == ',' {
				i = skipSpace(d, i+1)
			}
		}
		i++
	case '"':
		i, _, _ = readString(d, i)
	case 't', 'f', 'n':
		i, _ = readLiteral(d, i)
	default:
		i, _, _ = readNumber(d, i)
	}
	n.raw = d[start:i]
	return n, i
}

func (n *node) isObject() bool { return n != nil && n.raw[0] == '{' }
func (n *node) isArray() bool  { return n != nil && n.raw[0] == '[' }

// field is the value of an object's field, or nil. It may be asked of nil.
func (n *node) field(name string) *node {
	if !n.isObject() {
		return nil
	}
	if n.index == nil && len(n.keys) > 8 {
		n.index = make(map[string]int, len(n.keys))
		for i, key := range n.keys {
			n.index[key] = i
		}
	}
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return n.items[i]
		}
		return nil
	}
	for i, key := range n.keys {
		if key == name {
			return n.items[i]
		}
	}
	return nil
}

// text is the value of a string, "" for anything else.
func (n *node) text() string {
	if n == nil || n.raw[0] != '"' {
		return ""
	}
	return unescape(n.raw[1 : len(n.raw)-1])
}

// is says whether the node is written exactly so; for true, false and null.
func (n *node) is(word string) bool { return n != nil && string(n.raw) == word }

// resolve follows a local reference ("#" or "#/a/b"); it answers nil where it leads nowhere.
func (n *node) resolve(ref string) *node {
	tokens, ok := refTokens(ref)
	if !ok {
		return nil
	}
	for _, token := range tokens {
		if n.isArray() {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		} else {
			n = n.field(token)
		}
	}
	return n
}

// resolveAny is resolve for a decoded document.
func resolveAny(document any, ref string) (any, bool) {
	tokens, ok := refTokens(ref)
	if !ok {
		return nil, false
	}
	return follow(document, tokens)
}

func follow(at any, tokens []string) (any, bool) {
	for _, token := range tokens {
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[token]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// refTokens splits a local pointer reference into its tokens, percent and tilde escapes undone (RFC 6901 section 6).
func refTokens(ref string) ([]string, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	return pointerTokens(pointer), true
}

func pointerTokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}
