package system

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ListConfigRevisions lists the changes of the stored configuration.
var ListConfigRevisions = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_config_revisions",
	Title:   "List configuration revisions",
	Summary: "List who changed the stored MCP servers when, with the entry before and after; of one server, or of all; the newest first.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /config/revisions",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "all of them", In: `{}`},
	},
}, listConfigRevisions, needsConfiguration())

// ListConfigRevisionsInput narrows and pages the list.
type ListConfigRevisionsInput struct {
	// The server whose changes are wanted; without it those of all.
	Server string `json:"server,omitempty" jsonschema:"maxLength=64"`
	capabilities.PageInput
}

func listConfigRevisions(_ context.Context, d Deps, in ListConfigRevisionsInput) (capabilities.Page[ConfigRevision], error) {
	page, err := capabilities.Paginate(d.Configuration.Revisions(in.Server), in.PageInput,
		func(r ConfigRevision) string { return fmt.Sprintf("%020d", math.MaxInt64-r.Revision) })
	for i, r := range page.Items {
		page.Items[i] = d.Configuration.Mask(r)
	}
	return page, err
}
