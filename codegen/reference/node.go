package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// node is the part of a JSON Schema that a table of keys shows. A member of
// another type than the standard gives it says nothing.
type node struct {
	Type        words                      `json:"type"`
	Description string                     `json:"description"`
	Ref         string                     `json:"$ref"`
	Format      string                     `json:"format"`
	Pattern     string                     `json:"pattern"`
	Default     json.RawMessage            `json:"default"`
	Const       json.RawMessage            `json:"const"`
	Enum        []json.RawMessage          `json:"enum"`
	Minimum     json.Number                `json:"minimum"`
	Maximum     json.Number                `json:"maximum"`
	MoreThan    json.Number                `json:"exclusiveMinimum"`
	LessThan    json.Number                `json:"exclusiveMaximum"`
	MinLength   json.Number                `json:"minLength"`
	MaxLength   json.Number                `json:"maxLength"`
	MinItems    json.Number                `json:"minItems"`
	MaxItems    json.Number                `json:"maxItems"`
	Unique      bool                       `json:"uniqueItems"`
	Properties  properties                 `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	Additional  json.RawMessage            `json:"additionalProperties"`
	AllOf       []json.RawMessage          `json:"allOf"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"` // draft-07

	followed []string // the references that led here
}

// parseNode reads a schema. Unmarshal leaves out what is of another type and goes
// on; a boolean schema is the zero node, which says nothing either.
func parseNode(raw json.RawMessage) node {
	var n node
	_ = json.Unmarshal(raw, &n)
	return n
}

// words are one word or several.
type words []string

// UnmarshalJSON reads a string or an array of strings. Anything else is no word.
func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	var many []string
	_ = json.Unmarshal(data, &many)
	*w = many
	return nil
}

// properties keep the order in which a schema lists them.
type properties []property

type property struct {
	name   string
	schema json.RawMessage
}

// UnmarshalJSON reads an object member by member. Anything else has none.
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
		name, _ := key.(string) // a member's name is a string
		one := property{name: name}
		if err := dec.Decode(&one.schema); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// maxListed is how many values or types of one key are listed.
const maxListed = 30

// kind says in Markdown which values a key admits.
func (w *keyWalk) kind(n node, depth int) string {
	var said []string
	add := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	switch {
	case len(n.Const) > 0:
		add("%s", markdown.CodeCell(literal(n.Const)))
	case len(n.Enum) > 0:
		add("%s", listed(n.Enum))
	default:
		add("%s", w.types(n, depth))
	}
	if n.Format != "" {
		add("%s", markdown.Text(clip(n.Format)))
	}
	for _, limits := range []struct {
		least, most json.Number
		unit        string
	}{{n.Minimum, n.Maximum, ""}, {n.MinLength, n.MaxLength, " characters"}, {n.MinItems, n.MaxItems, " items"}} {
		switch {
		case limits.least != "" && limits.most != "":
			add("%s to %s%s", limits.least, limits.most, limits.unit)
		case limits.least != "":
			add("at least %s%s", limits.least, limits.unit)
		case limits.most != "":
			add("at most %s%s", limits.most, limits.unit)
		}
	}
	if n.MoreThan != "" {
		add("more than %s", n.MoreThan)
	}
	if n.LessThan != "" {
		add("less than %s", n.LessThan)
	}
	if n.Unique {
		add("no two alike")
	}
	if n.Pattern != "" && len(n.Pattern) <= 40 {
		add("matching %s", markdown.CodeCell(n.Pattern))
	}
	return strings.Join(said, ", ")
}

// types names the JSON types of a key, those of its alternatives where it names
// none itself.
func (w *keyWalk) types(n node, depth int) string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, t := range n.Type {
		if t != "array" || len(n.Items) == 0 || depth >= maxKeyDepth {
			add(markdown.Text(clip(t)))
			continue
		}
		items := w.types(w.read(n.Items), maxKeyDepth)
		switch {
		case items == "any":
		case strings.Contains(items, " or "):
			t += " of (" + items + ")"
		default:
			t += " of " + items
		}
		add(t)
	}
	if w.steps--; len(names) == 0 && w.steps > 0 && depth < 2*maxKeyDepth {
		for _, raw := range slices.Concat(n.AllOf, n.AnyOf, n.OneOf) {
			alternative := w.read(raw)
			switch {
			case !w.enter(alternative):
				continue
			case len(alternative.Enum) > 0:
				add(listed(alternative.Enum))
			case len(alternative.Const) > 0:
				add(markdown.CodeCell(literal(alternative.Const)))
			default:
				add(w.types(alternative, depth+1))
			}
			w.leave(alternative)
		}
	}
	if len(names) == 0 || slices.Contains(names, "any") {
		return "any"
	}
	return alternatives(names)
}

func listed(values []json.RawMessage) string {
	var all []string
	for _, v := range values {
		all = append(all, markdown.CodeCell(literal(v)))
	}
	return alternatives(all)
}

// alternatives joins names with commas and an or.
func alternatives(names []string) string {
	if len(names) > maxListed {
		names = append(slices.Clone(names[:maxListed]), fmt.Sprintf("%d more", len(names)-maxListed))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// literal is a value as a person writes it: a plain word without its quotes.
func literal(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" && !json.Valid([]byte(s)) && !strings.ContainsAny(s, " \t\n\r") {
		return clip(s)
	}
	return clip(string(raw))
}
