package wire

import (
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// KeyArgument is the argument of a write that names its operation. It stands in the
// published schema alone: no capability has such a field.
const KeyArgument = "op_id"

// keySchema is the schema of [KeyArgument].
const keySchema = `{"type":"string","minLength":1,"maxLength":128,"description":"Only to repeat a call unchanged: the op_id of its answer. It is done once."}`

// Keyed reports whether a capability's calls can be repeated under an operation key
// that stands among the arguments: a write of this server's own.
func Keyed(c *capabilities.Capability) bool {
	return c != nil && !c.Bridged() && c.Writes()
}

// KeyedTool is [Tool] for callers whose writes take an operation key.
func KeyedTool(c *capabilities.Capability) []byte { return AppendKeyedTool(nil, c) }

// AppendKeyedTool is [KeyedTool] that appends to dst.
func AppendKeyedTool(dst []byte, c *capabilities.Capability) []byte {
	if !Keyed(c) {
		return AppendTool(dst, c)
	}
	return appendTool(dst, c, keyedInput(c.Input().Raw()), nil)
}

// keyedInput adds the operation key to an input schema, last of its properties.
func keyedInput(input json.RawMessage) []byte {
	property := append(append(rawjson.AppendQuoted(nil, KeyArgument), ':'), keySchema...)
	out, added := []byte("{"), false
	for name, value := range rawjson.Members(input) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendQuoted(out, name), ':')
		if name != "properties" {
			out = append(out, value...)
			continue
		}
		added = true
		members := []byte("{")
		for field, schema := range rawjson.Members(value) {
			members = append(append(append(rawjson.AppendQuoted(members, field), ':'), schema...), ',')
		}
		out = append(append(append(out, members...), property...), '}')
	}
	if !added {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, `"properties":{`...), property...), '}')
	}
	return append(out, '}')
}
