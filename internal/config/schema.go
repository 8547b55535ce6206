package config

import (
	"bytes"
	"encoding/json"
	"slices"
)

// schema is the part of JSON Schema 2020-12 that the tables need. It is built by the shapes, never by hand.
type schema struct {
	Dialect              string            `json:"$schema,omitempty"`
	Title                string            `json:"title,omitempty"`
	Description          string            `json:"description,omitempty"`
	Type                 []string          `json:"type,omitempty"`
	Enum                 []json.RawMessage `json:"enum,omitempty"`
	Default              json.RawMessage   `json:"default,omitempty"`
	Pattern              string            `json:"pattern,omitempty"`
	MinLength            int               `json:"minLength,omitempty"`
	MaxLength            int               `json:"maxLength,omitempty"`
	Minimum              *int              `json:"minimum,omitempty"`
	Maximum              *int              `json:"maximum,omitempty"`
	Items                *schema           `json:"items,omitempty"`
	MinItems             int               `json:"minItems,omitempty"`
	UniqueItems          bool              `json:"uniqueItems,omitempty"`
	PropertyNames        *schema           `json:"propertyNames,omitempty"`
	Required             []string          `json:"required,omitempty"`
	Properties           properties        `json:"properties,omitempty"`
	AdditionalProperties *schema           `json:"additionalProperties,omitempty"`
	OneOf                []*schema         `json:"oneOf,omitempty"`
	AnyOf                []*schema         `json:"anyOf,omitempty"`
	never                bool
}

// property is one entry of properties, which keeps the order of the table: an editor offers the keys in it.
type property struct {
	name  string
	value *schema
}

type properties []property

// MarshalJSON writes an object in the order of the slice.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, e := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		b.Write(quoted(e.name))
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// MarshalJSON writes false for the schema that nothing fits, and a single type as a word.
func (s *schema) MarshalJSON() ([]byte, error) {
	if s.never {
		return []byte("false"), nil
	}
	type plain schema // without this method
	if len(s.Type) != 1 {
		return json.Marshal((*plain)(s))
	}
	return json.Marshal(struct {
		Type string `json:"type"`
		*plain
	}{s.Type[0], (*plain)(s)})
}

// nothing is the schema that no value fits.
func nothing() *schema { return &schema{never: true} }

// described is a copy with another description.
func (s *schema) described(doc string) *schema {
	c := *s
	c.Description = doc
	return &c
}

// orNull is a copy that null fits too.
func (s *schema) orNull() *schema {
	c := *s
	if len(c.Type) > 0 {
		c.Type = append(slices.Clone(c.Type), "null")
		return &c
	}
	return &schema{Description: c.Description, OneOf: append(slices.Clone(c.OneOf), &schema{Type: []string{"null"}})}
}

// quoted is a word as JSON. A string always has one.
func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// Schema returns the JSON Schema (draft 2020-12) of the YAML file, indented, with a description of every key. It is printed from the
// tables that [Load] reads with: whatever Load accepts fits it, and what fits it is refused by Load only for a reason that a schema
// cannot state (a key, a name or an id given twice, two spellings of one header, a reserved header, a variable's look-alike, an optional key that
// leaves nothing out, and what one entry says of another).
func Schema() ([]byte, error) {
	s := *fileShape().schema
	s.Dialect = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Holotype configuration"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
