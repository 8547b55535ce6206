package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
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
	// How a client is served that has no room for that list; absent where none is.
	Discovery *DiscoveryFacts `json:"discovery,omitempty"`
}

// DiscoveryFacts is how four tools that find, describe and call the others stand in place of a list.
type DiscoveryFacts struct {
	// Whether they do so for the caller now.
	Offered bool `json:"offered"`
	// How many tokens a list costs at most before they do so by themselves; absent where only a client that asks for them is given them.
	AboveTokens int `json:"above_tokens,omitempty"`
	// The names of the tools that the list then holds.
	Tools []string `json:"tools"`
	// Bytes of that list.
	Bytes int `json:"bytes"`
	// About how many tokens it costs.
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
	// Whether prompts of this server's own are served; those of bridged servers are relayed.
	Prompts bool `json:"prompts"`
	// What is relayed to bridged servers besides calls of their tools.
	Relays []RelayFacts `json:"relays,omitzero"`
	// The text a client is given at its start.
	Instructions string `json:"instructions,omitempty"`
}

// RelayFacts is what is relayed to one bridged server.
type RelayFacts struct {
	// The server's configured name.
	Server string `json:"server"`
	// The methods of the protocol.
	Methods []string `json:"methods"`
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
		for _, r := range f.Relays {
			s.Relays = append(s.Relays, RelayFacts(r))
		}
		p.Surfaces = append(p.Surfaces, s)
		p.costs(f)
	}
	for _, row := range catalogue.Rows(view) {
		p.Tools = append(p.Tools, ProjectedTool{row.Name, row.Source, row.Effect, row.Hints})
	}
	for _, h := range view.Hidden {
		p.Hidden[h.Rule.Reason]++
	}
	return p, nil
}

// costs notes what the list of a surface costs, where it lists anything.
func (p *Projection) costs(f capabilities.SurfaceFacts) {
	if f.List != nil {
		p.Bytes, p.Tokens = f.List.Bytes, f.List.Tokens
	}
	if f.Finds != nil {
		p.Discovery = &DiscoveryFacts{
			Offered: f.Discovery, AboveTokens: f.FindsAbove, Tools: capabilities.DiscoveryNames(), Bytes: f.Finds.Bytes, Tokens: f.Finds.Tokens,
		}
	}
}
