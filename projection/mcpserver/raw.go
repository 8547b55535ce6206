package mcpserver

import (
	"bytes"
	"encoding/json"
	"iter"
)

// The functions here find the parts of JSON text that schema.Scan has judged,
// without building values: bytes pass through as they came. On text that is not
// valid they answer nonsense, but never read outside it and always end.

// space answers the index of the first byte from i on that is not JSON white space.
func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// members ranges over the members of an object: the decoded key and the raw value,
// which aliases data. Anything but an object has none.
func members(data []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := space(data, 0)
		if i >= len(data) || data[i] != '{' {
			return
		}
		for i = space(data, i+1); i < len(data) && data[i] == '"'; i = space(data, i+1) {
			end := skipString(data, i)
			key := unquote(data[i:end])
			i = space(data, end)
			i = space(data, i+1) // the colon
			end = skipValue(data, i)
			if !yield(key, data[min(i, end):end:end]) {
				return
			}
			if i = space(data, end); i >= len(data) || data[i] != ',' {
				return
			}
		}
	}
}

// skipValue answers the index after the value at i.
func skipValue(data []byte, i int) int {
	if i >= len(data) {
		return len(data)
	}
	switch data[i] {
	case '"':
		return skipString(data, i)
	case '{', '[':
		return skipNested(data, i)
	}
	for i < len(data) {
		switch data[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

func skipNested(data []byte, i int) int {
	for depth := 0; i < len(data); {
		switch data[i] {
		case '"':
			i = skipString(data, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(data)
}

// skipString jumps from quote to quote, so that long texts cost next to nothing.
func skipString(data []byte, i int) int {
	for i++; i < len(data); {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			return len(data)
		}
		q += i
		back := q
		for back > i && data[back-1] == '\\' {
			back--
		}
		if (q-back)%2 == 0 {
			return q + 1
		}
		i = q + 1
	}
	return len(data)
}

// unquote decodes a JSON string.
func unquote(raw []byte) string {
	if len(raw) < 2 {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// text decodes raw when it is a JSON string.
func text(raw json.RawMessage) (string, bool) {
	if kind(raw) != '"' {
		return "", false
	}
	return unquote(raw), true
}

// kind answers the first byte of a raw value, or 0 for none.
func kind(raw json.RawMessage) byte {
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// oneLine answers JSON without line breaks, which may stand between its tokens
// only (RFC 8259 admits none inside a string) and would end a line or an event.
func oneLine(data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	out := bytes.Clone(data)
	for i, c := range out {
		if c == '\n' || c == '\r' {
			out[i] = ' '
		}
	}
	return out
}

// quoted writes s as a JSON string without escaping HTML.
func quoted(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string cannot fail
		return []byte(`""`)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
