package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// parseJSON returns the tree of a JSON document as the clients write it: with comments and with commas before a closing bracket.
// It returns nil for a document that holds nothing or is faulty.
func parseJSON(d *decoder, data []byte) *node {
	data, open := plainJSON(data)
	if open >= 0 {
		d.fault(lineAt(data, open), "", "not valid JSON: a comment starts here and does not end")
		return nil
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	// The whole is judged first: only here does the error carry an offset from the start of the file.
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		line := 0
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			line = lineAt(data, int(e.Offset)-1)
		}
		d.fault(line, "", "not valid JSON: %v", err)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	j := jsonTree{builder: newBuilder(d), dec: dec, data: data, line: 1}
	return j.value(0, "")
}

// lineAt is the line of a byte, which may lie outside the data.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), len(data))], []byte("\n"))
}

// plainJSON returns a copy in which comments and trailing commas are spaces, so that every offset and line stays what it was. open is
// the offset of a comment that does not end, -1 when all do.
func plainJSON(data []byte) (out []byte, open int) {
	out = bytes.Clone(data)
	comma := -1 // the last comma, while nothing but space followed it
	var last byte
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return out, i
			}
			blank(out[i:end])
			i = end - 1
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == ',':
			// Only a comma after a value may be left out again: [,] stays wrong.
			comma = -1
			if last != '[' && last != '{' && last != 0 {
				comma = i
			}
			last = c
		case c == ']' || c == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma, last = -1, c
		default:
			comma, last = -1, c
			if c == '"' {
				i = stringEnd(out, i)
			}
		}
	}
	return out, -1
}

func commentEnd(data []byte, start int) int {
	if data[start+1] == '/' {
		if n := bytes.IndexByte(data[start:], '\n'); n >= 0 {
			return start + n
		}
		return len(data)
	}
	if n := bytes.Index(data[start+2:], []byte("*/")); n >= 0 {
		return start + 2 + n + 2
	}
	return -1
}

func blank(data []byte) {
	for i := range data {
		if data[i] != '\n' {
			data[i] = ' '
		}
	}
}

// stringEnd is the offset of the quote that ends a string, or of the last byte when none does.
func stringEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data) - 1
}

// jsonTree walks the tokens of a document that is known to be valid.
type jsonTree struct {
	*builder
	dec  *json.Decoder
	data []byte
	// line is the line of the byte at offset, so that the file is counted through once.
	line, offset int
}

// next returns a token and its line: no token of JSON spans lines, so the line of its end is its line.
func (j *jsonTree) next() (json.Token, int) {
	token, err := j.dec.Token()
	if err != nil {
		return nil, 0 // the document is valid: this is its end
	}
	end := int(j.dec.InputOffset())
	j.line += bytes.Count(j.data[j.offset:end], []byte("\n"))
	j.offset = end
	return token, j.line
}

func (j *jsonTree) value(depth int, path string) *node {
	token, line := j.next()
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			return j.list(line, depth, path)
		}
		return j.object(line, depth, path)
	case string:
		return j.make(kindText, line, depth, t)
	case json.Number:
		return j.make(kindNumber, line, depth, t.String())
	case bool:
		return j.make(kindBool, line, depth, strconv.FormatBool(t))
	}
	return j.make(kindNull, line, depth, "")
}

func (j *jsonTree) list(line, depth int, path string) *node {
	out := j.make(kindList, line, depth, "")
	for i := 0; out != nil && j.dec.More(); i++ {
		v := j.value(depth+1, at(path, i))
		if v == nil {
			return nil // over a limit, which was reported
		}
		out.items = append(out.items, v)
	}
	j.next()
	return out
}

func (j *jsonTree) object(line, depth int, path string) *node {
	out := j.make(kindObject, line, depth, "")
	for out != nil && j.dec.More() {
		token, keyLine := j.next()
		key, _ := token.(string) // in a valid document a key is a string
		v := j.value(depth+1, under(path, key))
		if v == nil {
			return nil
		}
		if j.key(out, key, keyLine, path) {
			out.members = append(out.members, member{key: key, line: keyLine, value: v})
		}
	}
	j.next()
	return out
}
