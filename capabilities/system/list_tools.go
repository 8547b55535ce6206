package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// ListTools lists the tools the caller can call.
var ListTools = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_tools",
	Title:   "List tools",
	Summary: "List the tools you can call, with their effect, hints, source and cost.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /tools",
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "everything", In: `{}`},
		{Name: "one server's tools", In: `{"source":"builtin","limit":2}`},
		{Name: "the owner's, with what is hidden", In: `{"as":"owner","hidden":true,"limit":1}`},
		{Name: "somebody who is none", In: `{"as":"seat:nobody-sits-here"}`, Refuses: capabilities.Invalid},
		{Name: "a limit out of range", In: `{"limit":0}`, Refuses: capabilities.Invalid},
	},
}, listTools)

// ListToolsInput selects tools.
type ListToolsInput struct {
	capabilities.PageInput
	AsInput
	// Only tools of this source: builtin, or mcp: and a server's name.
	Source string `json:"source,omitempty" jsonschema:"maxLength=80"`
	// Only tools whose name or summary holds this text, whatever the case.
	Contains string `json:"contains,omitempty" jsonschema:"maxLength=200"`
	// Also tools that are hidden, with the reason, for an administrator.
	Hidden bool `json:"hidden,omitempty"`
}

func listTools(ctx context.Context, d Deps, in ListToolsInput) (capabilities.Page[catalogue.Row], error) {
	p, err := in.principal(ctx, d)
	if err != nil {
		return capabilities.Page[catalogue.Row]{}, err
	}
	if in.Hidden {
		if e := capabilities.ShowsHidden(capabilities.CallFrom(ctx).Principal); e != nil {
			return capabilities.Page[catalogue.Row]{}, e
		}
	}
	view := d.Viewer.View(p)
	all := view.Listed
	if in.Hidden {
		all = view.Everything()
	}
	var some []*capabilities.Capability
	for _, c := range all {
		if (in.Source == "" || c.Source() == in.Source) && contains(c, in.Contains) {
			some = append(some, c)
		}
	}
	page, err := capabilities.Paginate(some, in.PageInput, (*capabilities.Capability).Name)
	if err != nil {
		return capabilities.Page[catalogue.Row]{}, err
	}
	rows := capabilities.Page[catalogue.Row]{NextCursor: page.NextCursor}
	for _, c := range page.Items {
		rows.Items = append(rows.Items, catalogue.RowIn(view, c))
	}
	return rows, nil
}
