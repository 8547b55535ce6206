package reference

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// node is the part of a JSON Schema that a table of keys shows.
type node struct {
	Type        any                        `json:"type"`
	Description string                     `json:"description"`
	Ref         string                     `json:"$ref"`
	Default     json.RawMessage            `json:"default"`
	Enum        []json.RawMessage          `json:"enum"`
	Properties  properties                 `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	Additional  json.RawMessage            `json:"additionalProperties"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	Defs        map[string]json.RawMessage `json:"$defs"`
}

// properties keep the order in which a schema lists them.
type properties []property

type property struct {
	name   string
	schema json.RawMessage
}

// UnmarshalJSON reads an object member by member.
func (p *properties) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		one := property{name: key.(string)} // a member's name is a string
		if err := dec.Decode(&one.schema); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

const maxKeyDepth = 6

// keys flattens a schema into rows of key, type and description, in the schema's
// own order.
// Descriptions pass through text.
func keys(schema []byte, text func(string) string) [][]string {
	var root node
	if json.Unmarshal(schema, &root) != nil {
		return nil
	}
	w := keyWalk{defs: root.Defs, text: text}
	w.children("", root, 0)
	return w.rows
}

type keyWalk struct {
	defs map[string]json.RawMessage
	text func(string) string
	rows [][]string
}

func (w *keyWalk) read(raw json.RawMessage) node {
	var n node
	_ = json.Unmarshal(raw, &n) // a boolean schema says nothing, which the zero node does too
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		var target node
		if json.Unmarshal(w.defs[name], &target) == nil {
			if n.Description != "" {
				target.Description = n.Description
			}
			return target
		}
	}
	return n
}

func (w *keyWalk) children(prefix string, n node, depth int) {
	if depth > maxKeyDepth {
		return
	}
	for _, p := range n.Properties {
		w.key(prefix+p.name, w.read(p.schema), slices.Contains(n.Required, p.name), depth)
	}
	for _, alt := range slices.Concat(n.AnyOf, n.OneOf) {
		w.nested(prefix, w.read(alt), depth)
	}
}

func (w *keyWalk) key(name string, n node, required bool, depth int) {
	kind := typeWords(n)
	if required {
		kind += ", required"
	}
	if n.Description == "" && n.Type == nil {
		return // a branch that only narrows a key of another row
	}
	w.rows = append(w.rows, []string{Code(name), kind, strings.TrimSpace(w.text(n.Description) + " " + Text(defaultWords(n)))})
	w.nested(name, n, depth)
}

// nested goes into what a key holds: an object's keys, an array's items, a map's
// values.
func (w *keyWalk) nested(name string, n node, depth int) {
	if name != "" && !strings.HasSuffix(name, ".") {
		name += "."
	}
	w.children(name, n, depth+1)
	if items := w.read(n.Items); len(items.Properties) > 0 {
		w.children(strings.TrimSuffix(name, ".")+"[].", items, depth+1)
	}
	if values := w.read(n.Additional); len(values.Properties) > 0 {
		w.children(name+"NAME.", values, depth+1)
	}
}

func typeWords(n node) string {
	switch t := n.Type.(type) {
	case string:
		return t + enumWords(n)
	case []any:
		var words []string
		for _, one := range t {
			if s, ok := one.(string); ok {
				words = append(words, s)
			}
		}
		return strings.Join(words, " or ") + enumWords(n)
	}
	if len(n.AnyOf)+len(n.OneOf) > 0 {
		return "one of several"
	}
	return "any" + enumWords(n)
}

func enumWords(n node) string {
	var words []string
	for _, e := range n.Enum {
		words = append(words, Code(string(e)))
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

func defaultWords(n node) string {
	if len(n.Default) == 0 {
		return ""
	}
	return "Default: " + string(n.Default) + "."
}
