package inputs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Tool is what get_tool says about one.
type Tool struct {
	Name     string    `json:"name"`
	Route    string    `json:"route"`
	AliasOf  string    `json:"alias_of"`
	Answers  string    `json:"answers"`
	Input    Schema    `json:"input_schema"`
	Output   Schema    `json:"output_schema"`
	Examples []Example `json:"examples"`
}

// Example is one of its examples.
type Example struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Refuses   string          `json:"refuses"`
}

// Schema is as much of a JSON Schema as a client needs that writes a query or
// flags.
type Schema struct {
	Type       types             `json:"type"`
	Ref        string            `json:"$ref"`
	Properties map[string]Schema `json:"properties"`
	Items      *Schema           `json:"items"`
	OneOf      []Schema          `json:"oneOf"`
	Defs       map[string]Schema `json:"$defs"`
}

// types are the types a schema admits, whichever way they are written.
type types []string

// UnmarshalJSON reads one type or a list of them.
func (t *types) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		*t = make(types, 1)
		return json.Unmarshal(data, &(*t)[0])
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// Receipts reports whether a call answers the receipt of a store, so that it can be
// tried in a dry run.
func (t Tool) Receipts() bool {
	_, ok := t.Output.Properties["outcome"]
	return ok
}

// Field answers a field's schema, following one reference and the types it may be
// of.
func (t Tool) Field(name string) (Schema, bool) {
	s, ok := t.Input.Properties[name]
	return t.resolve(s), ok
}

func (t Tool) resolve(s Schema) Schema {
	if def, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return t.Input.Defs[def]
	}
	for _, one := range s.OneOf {
		s.Type = append(s.Type, one.Type...)
	}
	return s
}

// Scalars answers the schema of the items, for an array of texts, numbers or
// booleans.
func (t Tool) Scalars(s Schema) (Schema, bool) {
	if s.Items == nil || !slices.Equal(s.Type, types{"array"}) {
		return Schema{}, false
	}
	item := t.resolve(*s.Items)
	return item, len(item.Type) > 0 && !slices.Contains(item.Type, "array") && !slices.Contains(item.Type, "object")
}

// AsText writes a JSON value as the one text that a path, a query or a flag has
// for it. ok is false where the text would mean another value to the field.
func AsText(s Schema, raw json.RawMessage) (text string, ok bool) {
	admits := func(name string) bool { return len(s.Type) == 0 || slices.Contains(s.Type, name) }
	onlyText := len(s.Type) > 0 && !slices.ContainsFunc(s.Type, func(n string) bool { return n != "string" && n != "null" })
	switch raw[0] {
	case '"':
		text, ok = unquote(raw)
		if !onlyText && text != "" && json.Valid([]byte(text)) {
			return "", false // it would be the number or the word it looks like
		}
		return text, ok
	case 't', 'f':
		return string(raw), admits("boolean")
	case 'n':
		return string(raw), len(s.Type) == 0
	case '[':
		return string(raw), admits("array")
	case '{':
		return string(raw), admits("object")
	}
	return string(raw), admits("number") || admits("integer")
}

// unquote answers the bytes of a JSON string as they are, where it has escapes the
// text they stand for.
func unquote(raw []byte) (string, bool) {
	if !strings.Contains(string(raw), `\`) {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", false
	}
	return s, !strings.Contains(s, "\uFFFD") // half a surrogate pair is no text
}

// Member is one field of an object, its bytes as they were written.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Members reads an object. ok is false for any other text.
func Members(in string) (all []Member, ok bool) {
	if in == "" {
		return nil, true
	}
	if !json.Valid([]byte(in)) {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(in))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := Member{Key: fmt.Sprint(key)}
		if err := dec.Decode(&m.Value); err != nil {
			return nil, false
		}
		all = append(all, m)
	}
	return all, true
}

// Object writes fields as an object.
func Object(all []Member) string {
	parts := make([]string, len(all))
	for i, m := range all {
		key, err := json.Marshal(m.Key)
		if err != nil {
			return ""
		}
		parts[i] = string(key) + ":" + string(m.Value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
