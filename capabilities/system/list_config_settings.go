package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ListConfigSettings lists the settings in force.
var ListConfigSettings = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_config_settings",
	Title:   "List settings",
	Summary: "List every setting in force with where it comes from. What may be secret is not shown.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /config/settings",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "all of them", In: `{}`},
	},
}, listConfigSettings, needsConfiguration())

// ListConfigSettingsInput pages the list.
type ListConfigSettingsInput struct {
	capabilities.PageInput
}

func listConfigSettings(_ context.Context, d Deps, in ListConfigSettingsInput) (capabilities.Page[Setting], error) {
	return capabilities.Paginate(d.Configuration.Settings(), in.PageInput, func(s Setting) string { return s.Path })
}
