package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// DescribeProjection describes how this server presents itself to the caller.
var DescribeProjection = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "describe_projection",
	Title:   "Describe projection",
	Summary: "Describe what this server presents to you: surfaces, protocol versions, methods, and every tool with effect and hints.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /projection",
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "the whole picture", In: `{}`},
	},
}, describeProjection)

// DescribeProjectionInput says whose projection is described.
type DescribeProjectionInput struct {
	AsInput
}

// Projection is how this server presents itself to one caller.
type Projection struct {
	// Every surface that is served.
	Surfaces []SurfaceFacts `json:"surfaces"`
	// Every tool of the caller, with effect and hints.
	Tools []ProjectedTool `json:"tools"`
	// The tools that may add, change or remove something, here or elsewhere, as their effect or their hints say. One that says nothing is not among them.
	Writers []string `json:"writers"`
	// How many tools are hidden from the caller, by the reason.
	Hidden map[string]int `json:"hidden"`
	// Bytes of the caller's whole tools list.
	Bytes int `json:"bytes"`
	// About how many tokens names, descriptions and input schemas of that list cost a model.
	Tokens int `json:"tokens"`
}

// SurfaceFacts is one surface.
type SurfaceFacts struct {
	// Which surface it is.
	Surface string `json:"surface"`
	// Who answers, as on the wire.
	Name string `json:"name"`
	// The version of the program that answers.
	Version string `json:"version"`
	// Protocol versions, newest first.
	ProtocolVersions []string `json:"protocol_versions"`
	// The ways it is reached.
	Transports []TransportFacts `json:"transports"`
	// Methods that are served.
	MethodsServed []string `json:"methods_served"`
	// Methods of the protocol that are not served and are refused at once.
	MethodsRefused []string `json:"methods_refused"`
	// Whether prompts are served.
	Prompts bool `json:"prompts"`
	// The text a client is given at its start.
	Instructions string `json:"instructions,omitempty"`
}

// TransportFacts is one way a surface is reached.
type TransportFacts struct {
	// The transport's name.
	Name string `json:"name"`
	// A path or an address, without credentials.
	Address string `json:"address,omitempty"`
	// Sessions attached now.
	Sessions int `json:"sessions"`
}

// ProjectedTool is one tool as its callers are told about it.
type ProjectedTool struct {
	// The name, the same on every surface.
	Name string `json:"name"`
	// Where it comes from.
	Source string `json:"source"`
	// The declared effect of a builtin; absent for a bridged tool.
	Effect *catalogue.Effect `json:"effect,omitempty"`
	// The four hints with their provenance.
	Hints catalogue.Hints `json:"hints"`
}

func describeProjection(ctx context.Context, d Deps, in DescribeProjectionInput) (Projection, error) {
	caller, err := in.principal(ctx, d)
	if err != nil {
		return Projection{}, err
	}
	view := d.Viewer.View(caller)
	p := Projection{Writers: catalogue.Writers(view), Hidden: map[string]int{}}
	for _, f := range d.Surfaces(caller) {
		s := SurfaceFacts{
			Surface: string(f.Surface), Name: f.Name, Version: f.Version, ProtocolVersions: f.ProtocolVersions,
			MethodsServed: f.Served, MethodsRefused: f.Refused, Prompts: f.Prompts, Instructions: f.Instructions,
		}
		for _, t := range f.Transports {
			s.Transports = append(s.Transports, TransportFacts(t))
		}
		p.Surfaces = append(p.Surfaces, s)
	}
	for _, row := range catalogue.Rows(view) {
		p.Tools = append(p.Tools, ProjectedTool{row.Name, row.Source, row.Effect, row.Hints})
		p.Bytes += row.Bytes
	}
	for _, c := range view.Listed {
		p.Tokens += wire.Tokens(wire.ModelBytes(c))
	}
	for _, h := range view.Hidden {
		p.Hidden[h.Rule.Reason]++
	}
	return p, nil
}
