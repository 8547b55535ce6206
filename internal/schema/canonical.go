package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// canonicalDepth bounds the documents Canonical compares; generated documents nest deeper than a call may.
const canonicalDepth = 1000

// Canonical answers a JSON text in one spelling, to compare documents by value: object keys sorted by their bytes, no white
// space, strings with the fewest escapes, numbers exactly as written (1.0 stays apart from 1). The error is a [*Fault] for
// a text that is not JSON or gives a key twice; size is not limited.
func Canonical(data []byte) ([]byte, error) {
	if f := scan(data, canonicalDepth); f != nil {
		return nil, f
	}
	var out bytes.Buffer
	out.Grow(len(data))
	parse(data).canonical(&out)
	return out.Bytes(), nil
}

func (n *node) canonical(out *bytes.Buffer) {
	switch {
	case n.isObject():
		order := make([]int, len(n.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(n.keys[a], n.keys[b]) })
		out.WriteByte('{')
		for k, i := range order {
			if k > 0 {
				out.WriteByte(',')
			}
			out.Write(quoteJSON(n.keys[i]))
			out.WriteByte(':')
			n.items[i].canonical(out)
		}
		out.WriteByte('}')
	case n.isArray():
		out.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				out.WriteByte(',')
			}
			item.canonical(out)
		}
		out.WriteByte(']')
	case n.raw[0] == '"':
		out.Write(quoteJSON(n.text()))
	default:
		out.Write(n.raw)
	}
}

// quoteJSON writes text as a JSON string and escapes only what must be. Bytes that are not UTF-8 stay as they are, so that
// whoever judges the result sees them; encoding/json would replace them without a word.
func quoteJSON(text string) json.RawMessage {
	out := make([]byte, 0, len(text)+2)
	out = append(out, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
