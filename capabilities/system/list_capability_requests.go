package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// ListCapabilityRequests lists what was asked to be granted.
var ListCapabilityRequests = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_capability_requests",
	Title:   "List capability requests",
	Summary: "List the requests to be let call a tool, in the order in which they were made: an administrator sees all, anybody else their own.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /capability-requests",
	Scope:   capabilities.ScopeAnyone,
	Examples: []capabilities.Example{
		{Name: "what waits for a decision", In: `{"status":"pending"}`},
		{Name: "a cursor made up", In: `{"cursor":"somewhere"}`, Refuses: capabilities.Invalid},
	},
}, listCapabilityRequests, needsGrants())

// ListCapabilityRequestsInput narrows and pages the list.
type ListCapabilityRequestsInput struct {
	// Only requests that this became of: pending, granted or denied.
	Status grant.Status `json:"status,omitempty"`
	// Whether those that were made last come first.
	NewestFirst bool `json:"newest_first,omitempty"`
	capabilities.PageInput
}

// CapabilityRequestRow is one request.
type CapabilityRequestRow struct {
	// Its id.
	ID string `json:"id"`
	// The name of the tool.
	Capability string `json:"capability"`
	// Who asked: seat, person or operator, and an id.
	Principal string `json:"principal"`
	// The id of the token that it was asked with; absent for none.
	Credential string `json:"credential,omitempty"`
	// What it is needed for, in the words of whoever asked.
	Why string `json:"why"`
	// For how many hours at most; absent for as long as the work item is open.
	Hours int `json:"hours,omitempty"`
	// The key that the work item had that the grant is to end with; absent for none.
	WorkItem string `json:"work_item,omitempty"`
	// The id of that work item.
	WorkItemID string `json:"work_item_id,omitempty"`
	// What became of it: pending, granted or denied.
	Status grant.Status `json:"status"`
	// When it was made.
	AskedAt string `json:"asked_at" jsonschema:"format=date-time"`
	// When it was decided; absent while it is pending.
	DecidedAt string `json:"decided_at,omitempty" jsonschema:"format=date-time"`
	// Who decided; absent while it is pending.
	DecidedBy string `json:"decided_by,omitempty"`
	// Why it was decided so, in the words of whoever did; absent for nothing said.
	Reason string `json:"reason,omitempty"`
	// The id of the grant that came of it; absent for none.
	Grant string `json:"grant,omitempty"`
}

func capabilityRequestRow(r *grant.Request) CapabilityRequestRow {
	return CapabilityRequestRow{
		ID: r.ID, Capability: r.Capability, Principal: r.Holder.Key(), Credential: r.Credential, Why: r.Why, Hours: r.Hours,
		WorkItem: r.Item.Key, WorkItemID: r.Item.ID, Status: r.Status, AskedAt: stamp(r.AskedAt),
		DecidedAt: stamp(r.DecidedAt), DecidedBy: r.DecidedBy, Reason: r.Reason, Grant: r.Grant,
	}
}

func listCapabilityRequests(ctx context.Context, d Deps, in ListCapabilityRequestsInput) (page capabilities.Page[CapabilityRequestRow], err error) {
	after, err := in.Begin()
	if err != nil {
		return page, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	f := grant.Filter{Status: in.Status, NewestFirst: in.NewestFirst}
	if caller := capabilities.CallFrom(ctx).Principal; !caller.Has(capabilities.ScopeAdmin) {
		f.Of = grant.HolderOf(caller)
	}
	found, err := d.Grants.Requests(ctx, f, after, limit+1)
	if err != nil {
		return page, err
	}
	for i := range found[:min(len(found), limit)] {
		page.Items = append(page.Items, capabilityRequestRow(&found[i]))
	}
	if len(found) > limit {
		page.NextCursor = in.Next(found[limit-1].ID)
	}
	return page, nil
}
