package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// prompt is an input of tools that ask.
type prompt struct {
	Prompt  string `json:"prompt,omitempty" jsonschema_description:"What the model is asked."`
	Message string `json:"message,omitempty" jsonschema_description:"What the user is told."`
}

// asking declares the tools that ask the client something while they run: its user, its
// model, or what it works on. The product asks, in the way of the client's era.
func asking(pack *capabilities.Pack[deps]) {
	elicitation(pack, "test_elicitation", `{
		"username": {"type": "string", "description": "The name to use."},
		"email": {"type": "string", "description": "The address to use."}
	}`)
	elicitation(pack, "test_elicitation_sep1034_defaults", `{
		"name": {"type": "string", "default": "John Doe"},
		"age": {"type": "integer", "default": 30},
		"score": {"type": "number", "default": 95.5},
		"status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
		"verified": {"type": "boolean", "default": true}
	}`)
	elicitation(pack, "test_elicitation_sep1330_enums", `{
		"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
		"titledSingle": {"type": "string", "oneOf": [
			{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}
		]},
		"legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
		"untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
		"titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
			{"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}
		]}}
	}`)

	const france = "What is the capital of France?"
	const name, colour, confirm = `{"name":{"type":"string"}}`, `{"color":{"type":"string"}}`, `{"ok":{"type":"boolean"}}`
	asks(pack, "test_sampling", func(in prompt) []question { return []question{sampled(in.Prompt)} })
	for tool, questions := range map[string][]question{
		"test_input_required_result_sampling":       {sampled(france)},
		"test_input_required_result_list_roots":     {{"roots/list", nil}},
		"test_input_required_result_request_state":  {filled("Please confirm.", confirm)},
		"test_input_required_result_tampered_state": {filled("Please confirm.", confirm)},
		"test_input_required_result_multi_round":    {filled("What is your name?", name), filled("What is your favourite colour?", colour)},
		"test_input_required_result_capabilities":   {filled("What is your name?", name), sampled(france)},
	} {
		asks(pack, tool, func(prompt) []question { return questions })
	}
}

// question is one that a client is asked.
type question struct {
	method string
	params json.RawMessage
}

// filled asks the user to fill in a form.
func filled(message, properties string) question {
	return question{"elicitation/create", fmt.Appendf(nil, `{"mode":"form","message":%q,"requestedSchema":{"type":"object","properties":%s}}`, message, properties)}
}

// sampled asks the model.
func sampled(text string) question {
	return question{"sampling/createMessage", fmt.Appendf(nil, `{"messages":[{"role":"user","content":{"type":"text","text":%q}}],"maxTokens":100}`, text)}
}

func elicitation(pack *capabilities.Pack[deps], name, properties string) {
	asks(pack, name, func(prompt) []question { return []question{filled("Please fill this in.", properties)} })
}

// asks declares a tool that puts questions, one after the other, and answers what it heard.
func asks(pack *capabilities.Pack[deps], name string, questions func(prompt) []question) {
	capabilities.Declare(pack, spec(name, "Ask the client."), func(ctx context.Context, _ deps, in prompt) (said, error) {
		client := capabilities.CallFrom(ctx).Asks
		if client == nil {
			return said{Text: "nobody can be asked"}, nil
		}
		var heard []string
		for _, q := range questions(in) {
			result, err := client.Ask(ctx, q.method, q.params)
			if err != nil { // it is not asked, or a scenario leaves it at the question
				result = []byte(err.Error())
			}
			heard = append(heard, string(result))
		}
		return said{Text: strings.Join(heard, "; ")}, nil
	})
}
