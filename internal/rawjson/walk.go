// Package rawjson finds the parts of JSON text without building values, so that
// bytes pass through as they came: integers beyond 2^53, the order of keys and
// members that nobody here knows.
//
// [Valid] and [Scan] judge text of any origin. The walkers ([Members], [Elements],
// [Skip] ...) are for text that was judged, and cost less: on other text they
// answer nonsense, but never read outside it, never panic and always end.
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Space answers the index of the first byte from i on that is not JSON white space.
func Space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// Skip answers the index after the value that begins at data[i].
func Skip(data []byte, i int) int {
	if i >= len(data) {
		return len(data)
	}
	switch data[i] {
	case '"':
		return SkipString(data, i)
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
			i = SkipString(data, i)
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

// SkipString answers the index after the string that begins at data[i]. It jumps
// from quote to quote, so that long texts cost next to nothing.
func SkipString(data []byte, i int) int {
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

// Members ranges over the members of an object: the decoded key and the raw value,
// which aliases data. Anything but an object has none.
func Members(data []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := Space(data, 0)
		if i >= len(data) || data[i] != '{' {
			return
		}
		for i = Space(data, i+1); i < len(data) && data[i] == '"'; i = Space(data, i+1) {
			end := SkipString(data, i)
			key := Unquote(data[i:end])
			i = Space(data, end)
			i = Space(data, i+1) // the colon
			end = Skip(data, i)
			if !yield(key, data[min(i, end):end:end]) {
				return
			}
			if i = Space(data, end); i >= len(data) || data[i] != ',' {
				return
			}
		}
	}
}

// Elements ranges over the raw elements of an array, which alias data. Anything but
// an array has none.
func Elements(data []byte) iter.Seq2[int, json.RawMessage] {
	return func(yield func(int, json.RawMessage) bool) {
		i := Space(data, 0)
		if i >= len(data) || data[i] != '[' {
			return
		}
		i = Space(data, i+1)
		for n := 0; i < len(data) && data[i] != ']'; n++ {
			end := Skip(data, i)
			if !yield(n, data[i:end:end]) {
				return
			}
			if i = Space(data, end); i >= len(data) || data[i] != ',' {
				return
			}
			i = Space(data, i+1)
		}
	}
}

// Member answers the value of one member of an object; nil when it has none.
func Member(object []byte, name string) json.RawMessage {
	for key, value := range Members(object) {
		if key == name {
			return value
		}
	}
	return nil
}

// Replace answers an object with another value for one of its members. The other
// members keep their bytes and their order, and one that is not there is not added.
func Replace(object []byte, name string, value func(json.RawMessage) []byte) []byte {
	out := append(make([]byte, 0, len(object)), '{')
	for key, v := range Members(object) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if key == name {
			v = value(v)
		}
		out = append(append(AppendQuoted(out, key), ':'), v...)
	}
	return append(out, '}')
}
