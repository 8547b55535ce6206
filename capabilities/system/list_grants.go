package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// ListGrants lists who was let call what.
var ListGrants = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_grants",
	Title:   "List grants",
	Summary: "List the grants in the order in which they were given, with those that have ended: who was let call which tool, and until when.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /grants",
	Scope:   capabilities.ScopeAdmin,
	Examples: []capabilities.Example{
		{Name: "the first of them", In: `{"limit":10}`},
		{Name: "a cursor made up", In: `{"cursor":"somewhere"}`, Refuses: capabilities.Invalid},
	},
}, listGrants, needsGrants())

// ListGrantsInput pages the list.
type ListGrantsInput struct {
	capabilities.PageInput
}

// GrantRow is one grant.
type GrantRow struct {
	// Its id.
	ID string `json:"id"`
	// The id of the request that it came of.
	Request string `json:"request"`
	// The name of the tool.
	Capability string `json:"capability"`
	// Who may call it: seat, person or operator, and an id.
	Principal string `json:"principal"`
	// What it is good for: active, expired, revoked, withdrawn with its work item, or void because the principal is not there any more.
	State grant.State `json:"state"`
	// When it was given.
	GivenAt string `json:"given_at" jsonschema:"format=date-time"`
	// Who gave it.
	GivenBy string `json:"given_by"`
	// When it ends at the latest; absent when it ends with its work item alone.
	ExpiresAt string `json:"expires_at,omitempty" jsonschema:"format=date-time"`
	// The key that the work item had that it ends with; absent for none.
	WorkItem string `json:"work_item,omitempty"`
	// The id of that work item.
	WorkItemID string `json:"work_item_id,omitempty"`
	// When it was revoked or withdrawn; absent where it was not.
	EndedAt string `json:"ended_at,omitempty" jsonschema:"format=date-time"`
	// Who revoked it; absent where nobody did.
	EndedBy string `json:"ended_by,omitempty"`
}

func listGrants(ctx context.Context, d Deps, in ListGrantsInput) (page capabilities.Page[GrantRow], err error) {
	after, err := in.Begin()
	if err != nil {
		return page, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	found, err := d.Grants.List(ctx, after, limit+1)
	if err != nil {
		return page, err
	}
	for i := range found[:min(len(found), limit)] {
		g := &found[i]
		page.Items = append(page.Items, GrantRow{
			ID: g.ID, Request: g.Request, Capability: g.Capability, Principal: g.Holder.Key(), State: d.Grants.State(ctx, g), GivenAt: stamp(g.GivenAt), GivenBy: g.GivenBy,
			ExpiresAt: stamp(g.ExpiresAt), WorkItem: g.Item.Key, WorkItemID: g.Item.ID, EndedAt: stamp(g.EndedAt), EndedBy: g.EndedBy,
		})
	}
	if len(found) > limit {
		page.NextCursor = in.Next(found[limit-1].ID)
	}
	return page, nil
}
