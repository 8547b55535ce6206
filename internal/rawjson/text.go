package rawjson

import (
	"bytes"
	"encoding/json"
)

// Kind answers the first byte of a raw value: '{', '[', '"', 't', 'f', 'n', a digit
// or '-'; 0 when there is none.
func Kind(raw json.RawMessage) byte {
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}

// String decodes raw when it is a JSON string.
func String(raw json.RawMessage) (s string, ok bool) {
	if Kind(raw) != '"' {
		return "", false
	}
	return Unquote(raw), true
}

// Bool decodes raw when it is a JSON boolean.
func Bool(raw json.RawMessage) (value, ok bool) {
	switch string(raw) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// Unquote decodes a JSON string; what is none is "".
func Unquote(raw []byte) string {
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

// AppendQuoted appends s as a JSON string, without escaping HTML.
func AppendQuoted(b []byte, s string) []byte {
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string cannot fail
		return append(b, `""`...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// plain reports whether a string stands between quotes as it is.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// OneLine answers JSON without line breaks, which may stand between its tokens only
// (RFC 8259 admits none inside a string) and would end a line or an event. Text that
// has none is answered as it is, other text as a copy.
func OneLine(data []byte) []byte {
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
