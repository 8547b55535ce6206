package bridge

import (
	"encoding/json"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// describesObject reports whether an output schema is that of an object. One without a
// type is where it names properties.
func describesObject(schema json.RawMessage) bool {
	var properties bool
	for key, value := range rawjson.Members(schema) {
		switch key {
		case "type":
			kind, ok := rawjson.String(value)
			return ok && kind == "object"
		case "properties":
			properties = true
		}
	}
	return properties
}

// resultPlace is where the schema of a value stands in the schema of what
// [capabilities.WrapResult] makes of it.
const resultPlace = "#/properties/result"

// wrapSchema answers the schema of what [capabilities.WrapResult] makes of a value of
// the schema, which is an object. References within it are moved along.
func wrapSchema(schema json.RawMessage) json.RawMessage {
	b := append([]byte(nil), '{')
	own := false
	for key, value := range rawjson.Members(schema) {
		switch key {
		case "$schema": // it may stand at the root alone
			b = append(append(append(b, `"$schema":`...), value...), ',')
		case "$id":
			own = true // references within it are relative to that
		}
	}
	b = append(b, `"type":"object","properties":{"result":`...)
	b = appendMoved(b, schema, moving{root: true, still: own})
	return append(b, `},"required":["result"]}`...)
}

// moving says how a part of a schema is moved.
type moving struct {
	root  bool // it is the whole schema
	named bool // it is an object of schemas by names
	still bool // references in it are relative to an $id, and stay
}

func appendMoved(b []byte, raw json.RawMessage, how moving) []byte {
	switch rawjson.Kind(raw) {
	case '{':
		how.still = how.still || !how.root && !how.named && hasMember(raw, "$id")
		b = append(b, '{')
		first := true
		for key, value := range rawjson.Members(raw) {
			if how.root && key == "$schema" {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(rawjson.AppendQuoted(b, key), ':')
			b = how.appendValue(b, key, value)
		}
		return append(b, '}')
	case '[':
		b = append(b, '[')
		for i, value := range rawjson.Elements(raw) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendMoved(b, value, moving{still: how.still})
		}
		return append(b, ']')
	}
	return append(b, raw...)
}

// appendValue appends the value of a member.
func (how moving) appendValue(b []byte, key string, value json.RawMessage) []byte {
	if !how.named {
		switch key {
		case "const", "enum", "default", "examples": // values, and no schemas
			return append(b, value...)
		case "$ref", "$dynamicRef":
			pointer, ok := rawjson.String(value)
			if rest, within := strings.CutPrefix(pointer, "#"); ok && within && !how.still && (rest == "" || rest[0] == '/') {
				return rawjson.AppendQuoted(b, resultPlace+rest)
			}
		}
	}
	return appendMoved(b, value, moving{named: !how.named && holdsSchemas(key), still: how.still})
}

func hasMember(raw json.RawMessage, name string) bool {
	for key := range rawjson.Members(raw) {
		if key == name {
			return true
		}
	}
	return false
}
