package wire

import (
	"bytes"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// TokenRule says how [Tokens] are estimated.
const TokenRule = "bytes of {name, description, inputSchema} as compact JSON, divided by 4.5 and rounded up"

// Tokens estimates how many tokens a text of so many bytes costs a model, by [TokenRule].
// Measured with o200k_base, 20 lists of public servers have 3.8 to 5.1 bytes a token, 4.5
// over all of them.
func Tokens(bytes int) int { return (2*bytes + 8) / 9 }

// ModelBytes answers how many bytes of a tool a client usually shows to a model: name,
// description and input schema, as [Tool] has them.
func ModelBytes(c *capabilities.Capability) int { return modelBytes(c, c.Input().Raw()) }

// KeyedModelBytes is [ModelBytes] as [KeyedTool] has them.
func KeyedModelBytes(c *capabilities.Capability) int {
	if !Keyed(c) {
		return ModelBytes(c)
	}
	return modelBytes(c, keyedInput(c.Input().Raw()))
}

func modelBytes(c *capabilities.Capability, input []byte) int {
	o := newObjectFor(len(c.Summary()) + len(input) + 128)
	o.text("name", c.Name())
	o.text("description", c.Summary())
	if c.Bridged() { // ours have no white space between tokens
		var b bytes.Buffer
		if json.Compact(&b, input) == nil {
			input = b.Bytes()
		}
	}
	o.raw("inputSchema", input)
	return len(o.end())
}
