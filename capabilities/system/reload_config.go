package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ReloadConfig reads the configuration anew.
var ReloadConfig = capabilities.Declare(Pack, capabilities.Spec{
	Name:  "reload_config",
	Title: "Reload the configuration",
	Summary: "Read the files, the secrets and the stored servers anew: what changed starts, stops or restarts, " +
		"what is down is tried again. A bad configuration changes nothing.",
	Effect:    capabilities.Set(capabilities.World),
	Route:     "POST /config/reload",
	Scope:     capabilities.ScopeAdmin,
	Answers:   capabilities.FromWorld,
	Rehearses: true,
	Examples: []capabilities.Example{
		{Name: "after a file was changed", In: `{}`},
	},
}, reloadConfig, needsConfiguration())

// ReloadConfigInput is empty.
type ReloadConfigInput struct{}

func reloadConfig(ctx context.Context, d Deps, _ ReloadConfigInput) (ReloadReport, error) {
	return d.Configuration.Reload(ctx, capabilities.CallFrom(ctx).Operation.DryRun)
}
