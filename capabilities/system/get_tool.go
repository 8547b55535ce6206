package system

import (
	"context"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// GetTool describes one tool in full.
var GetTool = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_tool",
	Title:   "Get tool",
	Summary: "Describe one tool in full: its row, its schemas, its route and the refusals it may answer.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /tools/{name}",
	Answers: capabilities.FromProcess,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "this very tool", In: `{"name":"get_tool"}`},
		{Name: "a name nobody has", In: `{"name":"no_such_tool"}`, Refuses: capabilities.NotFound},
	},
}, getTool)

// GetToolInput names a tool.
type GetToolInput struct {
	// The tool's name, or an old name of it.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
}

// ToolDetail is one tool in full.
type ToolDetail struct {
	catalogue.Row
	// The HTTP route, as METHOD and path; absent for an old name.
	Route string `json:"route,omitempty"`
	// What a result is a function of.
	Answers Answers `json:"answers"`
	// The JSON Schema of the arguments.
	InputSchema json.RawMessage `json:"input_schema"`
	// The JSON Schema of the result; absent where a bridged server declares none.
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	// The refusals a call may answer.
	Refusals []Refusal `json:"refusals"`
	// Calls to learn from.
	Examples []ExampleCall `json:"examples"`
}

// Answers is the word of a [capabilities.Answers].
type Answers string

// SchemaEnum lists the members.
func (Answers) SchemaEnum() []string {
	return []string{
		capabilities.FromInput.String(), capabilities.FromStore.String(),
		capabilities.FromProcess.String(), capabilities.FromWorld.String(),
	}
}

// Refusal is one code a call may be refused with.
type Refusal struct {
	// The code, the same on every surface.
	Code string `json:"code"`
	// What happened.
	Means string `json:"means"`
	// What to do.
	Remedy string `json:"remedy"`
}

// ExampleCall is one declared example.
type ExampleCall struct {
	// What it shows.
	Name string `json:"name"`
	// The arguments.
	Arguments json.RawMessage `json:"arguments"`
	// The code of the refusal it answers; absent for success.
	Refuses string `json:"refuses,omitempty"`
}

func getTool(ctx context.Context, d Deps, in GetToolInput) (ToolDetail, error) {
	p := capabilities.CallFrom(ctx).Principal
	c, rule, ok := d.Viewer.Find(p, in.Name)
	switch {
	case !ok || c.Method() != "": // which is relayed, and no tool
		if d.Absent != nil {
			if absent := d.Absent(p, in.Name); absent != nil {
				return ToolDetail{}, absent
			}
		}
		return ToolDetail{}, capabilities.Refuse(capabilities.NotFound, "no tool is named %q: list_tools has the names", in.Name)
	case rule != nil && !rule.Listed:
		return ToolDetail{}, capabilities.Refuse(capabilities.Forbidden, "%s", rule.Message)
	}
	t := ToolDetail{Row: catalogue.RowOf(c), Answers: Answers(c.Answers().String()), InputSchema: c.Input().Raw()}
	if rule != nil {
		t.Refused = rule.Message
	} else {
		t.Refused = catalogue.RefusedIn(d.Viewer.View(p), c) // for as long as nobody approves
	}
	if r := c.Route(); !r.IsZero() {
		t.Route = r.String()
	}
	if out := c.Output(); out != nil {
		t.OutputSchema = out.Raw()
	}
	for _, i := range c.Codes() {
		t.Refusals = append(t.Refusals, Refusal{string(i.Code), i.Means, i.Remedy})
	}
	for _, ex := range c.Examples() {
		args := json.RawMessage(ex.In)
		if !json.Valid(args) {
			continue
		}
		t.Examples = append(t.Examples, ExampleCall{ex.Name, args, string(ex.Refuses)})
	}
	return t, nil
}
