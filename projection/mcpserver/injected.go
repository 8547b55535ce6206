package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// injected are the argument keys that clients are known to add on their own: the
// model did not write them and cannot leave them out, so refusing them would make
// every call of such a client fail. A key is taken away only when it holds a value
// of the known kind, the capability has no field of that name, and the capability
// takes no unknown fields, so that the call was certain to be refused. Whatever a
// schema admits reaches the handler.
var injected = [...]struct {
	key  string
	kind byte   // the first byte of the value; 't' is either boolean
	only string // the one value known, or ""
	from string // which clients add it
}{
	{"toolCallId", '"', "", "workflow automation, the id of the model's own call"},
	{"sessionId", '"', "", "workflow automation, after a chat trigger"},
	{"chatInput", '"', "", "workflow automation, after a chat trigger"},
	{"action", '"', `"sendMessage"`, "workflow automation, after a chat trigger"},
	{"wait_for_previous", 't', "", "command-line assistants, for their own scheduler"},
	{"task_progress", '"', "", "editor assistants, for their own checklist"},
}

// withoutInjected answers the arguments without the injected keys that the
// capability would refuse. Other members keep their bytes and their order.
func (s *Server) withoutInjected(ctx context.Context, c *capabilities.Capability, args json.RawMessage) json.RawMessage {
	if c == nil || !anyInjected(args) {
		return args
	}
	fields, closed := fieldsOf(c)
	if !closed || schema.Scan(args) != nil {
		return args
	}
	out, dropped := make([]byte, 1, len(args)), false
	out[0] = '{'
	for key, value := range rawjson.Members(args) {
		if isInjected(key, value) && !fields[key] {
			dropped = true
			s.o.Log.DebugContext(ctx, "argument_stripped", "capability", c.Name(), "key", key)
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendQuoted(out, key), ':'), value...)
	}
	if !dropped {
		return args
	}
	return append(out, '}')
}

func anyInjected(args json.RawMessage) bool {
	for key, value := range rawjson.Members(args) {
		if isInjected(key, value) {
			return true
		}
	}
	return false
}

func isInjected(key string, value json.RawMessage) bool {
	for _, row := range injected {
		if row.key != key {
			continue
		}
		k := rawjson.Kind(value)
		if k == 'f' {
			k = 't'
		}
		return k == row.kind && (row.only == "" || row.only == string(value))
	}
	return false
}

// fieldsOf answers the fields of a capability's input and whether it takes no
// others.
func fieldsOf(c *capabilities.Capability) (fields map[string]bool, closed bool) {
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Patterns   map[string]json.RawMessage `json:"patternProperties"`
		Additional json.RawMessage            `json:"additionalProperties"`
	}
	if json.Unmarshal(c.Input().Raw(), &root) != nil {
		return nil, false
	}
	fields = make(map[string]bool, len(root.Properties))
	for key := range root.Properties {
		fields[key] = true
	}
	return fields, string(root.Additional) == "false" && len(root.Patterns) == 0
}
