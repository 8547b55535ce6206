package conformance_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// bridgedServer is the server that the bridged tools of the fixture are said to be of.
const bridgedServer = "elsewhere"

// bridgedTools answers the tools whose schemas no Go type has: the door judges
// arguments by them and the surface publishes them as they came.
func bridgedTools(t *testing.T) []*capabilities.Capability {
	t.Helper()
	return []*capabilities.Capability{
		bridged(t, "json_schema_2020_12_tool", "Take what a schema of draft 2020-12 says.", `{
			"$schema": "https://json-schema.org/draft/2020-12/schema",
			"type": "object",
			"$defs": {"address": {
				"$anchor": "addressDef", "type": "object",
				"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
			}},
			"properties": {
				"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
				"contactMethod": {"type": "string", "enum": ["phone", "email"]},
				"phone": {"type": "string"}, "email": {"type": "string"}
			},
			"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
			"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
			"then": {"required": ["phone"]},
			"else": {"required": ["email"]},
			"additionalProperties": false
		}`),
		bridged(t, "test_x_mcp_header", "Take an argument that a header mirrors.", `{
			"type": "object",
			"properties": {
				"region": {"type": "string", "x-mcp-header": "Region"},
				"level": {"type": "integer"}
			}
		}`),
	}
}

func bridged(t *testing.T, name, summary, input string) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: name, Server: bridgedServer, Tool: name, Summary: summary, Input: json.RawMessage(input),
		Handler: func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			return &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock(string(inv.Arguments))}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
