package sweep

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// harvest are values that answers held, by the names of their fields, the first of each.
type harvest map[string][]json.RawMessage

// mostValues is how many values of a name are kept, mostOfValues how many of them an
// argument is tried with.
const (
	mostValues = 24
	ofValues   = 5
	longValue  = 120
)

// add takes the values out of a text of JSON; any other text has none.
func (h harvest) add(text string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '{' {
		return
	}
	dec := json.NewDecoder(strings.NewReader(trimmed))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		h.walk("", v)
	}
}

func (h harvest) walk(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			h.walk(key, v[key])
		}
	case []any:
		for _, one := range v {
			h.walk(name, one)
		}
	case string, json.Number:
		raw, err := json.Marshal(v)
		had := slices.ContainsFunc(h[name], func(one json.RawMessage) bool { return bytes.Equal(one, raw) })
		if err == nil && !had && len(raw) < longValue && len(h[name]) < mostValues {
			h[name] = append(h[name], raw)
		}
	}
}

// candidates answers values for an argument: what its schema and its examples have, and
// what answers held under its name, or as the name of some object.
func (s *sweep) candidates(t *operation, name string) (all []json.RawMessage) {
	field := t.schema.Properties[name]
	for _, e := range t.examples {
		all = append(all, e[name])
	}
	all = append(append(all, field.Default), field.Enum...)
	all = append(all, tail(s.harvest[name])...)
	if bytes.Contains(field.Type, []byte("string")) && field.Enum == nil {
		for _, usual := range []string{"id", "key", "name"} {
			all = append(all, tail(s.harvest[usual])...)
		}
	}
	all = slices.DeleteFunc(all, func(raw json.RawMessage) bool { return raw == nil })
	if len(all) == 0 {
		all = []json.RawMessage{[]byte(sample(field))}
	}
	return distinct(all)
}

// sample answers a value that a schema takes, as far as its type says so.
func sample(s schema) string {
	switch kind := string(s.Type); {
	case strings.Contains(kind, "string"):
		return `"sample"`
	case strings.Contains(kind, "integer"), strings.Contains(kind, "number"):
		if s.Minimum != nil && *s.Minimum > 1 {
			raw, err := json.Marshal(*s.Minimum)
			if err == nil {
				return string(raw)
			}
		}
		return "1"
	case strings.Contains(kind, "boolean"):
		return "true"
	case strings.Contains(kind, "array"):
		return "[]"
	}
	return "{}"
}

// good answers arguments that a tool may take: its examples, and what was found for each
// of its arguments, one after the other.
func (s *sweep) good(t *operation) (all []string) {
	for _, e := range t.examples {
		all = append(all, object(e))
	}
	least := map[string]json.RawMessage{}
	for _, name := range t.schema.Required {
		least[name] = s.candidates(t, name)[0]
	}
	all = append(all, object(least))
	for _, name := range sortedKeys(t.schema.Properties) {
		most := 2
		if slices.Contains(t.schema.Required, name) {
			most = 8
		}
		candidates := s.candidates(t, name)
		for _, value := range candidates[:min(most, len(candidates))] {
			more := maps.Clone(least)
			more[name] = value
			all = append(all, object(more))
		}
	}
	return once(all)
}

// bad answers arguments that no tool of this server takes; one of them holds a text.
func (s *sweep) bad(t *operation, text string) []string {
	quoted, err := json.Marshal(text)
	if err != nil { // a text cannot fail
		return nil
	}
	wrong, told := map[string]json.RawMessage{"~": []byte("0")}, map[string]json.RawMessage{"~": quoted}
	for name, field := range t.schema.Properties {
		told[name] = quoted
		if bytes.Contains(field.Type, []byte("string")) {
			wrong[name] = []byte("[[0]]")
		}
	}
	return []string{object(wrong), "[" + string(quoted) + "]", object(told)}
}

func object(members map[string]json.RawMessage) string {
	raw, err := json.Marshal(members)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

func tail(all []json.RawMessage) []json.RawMessage { return all[max(0, len(all)-ofValues):] }

func distinct(all []json.RawMessage) (some []json.RawMessage) {
	for _, one := range all {
		if !slices.ContainsFunc(some, func(had json.RawMessage) bool { return bytes.Equal(had, one) }) {
			some = append(some, one)
		}
	}
	return some
}

func once(all []string) (some []string) {
	for _, one := range all {
		if !slices.Contains(some, one) {
			some = append(some, one)
		}
	}
	return some
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func pathEscape(text string) string { return url.PathEscape(text) }
