package system

import (
	"cmp"
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
)

// ListApprovals lists the calls that a person has to approve.
var ListApprovals = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_approvals",
	Title:   "List approvals",
	Summary: "List the calls that wait for a person's approval, with all that there is to decide by, or those that were decided.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /approvals",
	Scope:   capabilities.ScopeAdmin,
	Examples: []capabilities.Example{
		{Name: "what waits", In: `{}`},
		{Name: "what was denied last", In: `{"state":"denied","newest_first":true,"limit":10}`},
		{Name: "a cursor made up", In: `{"cursor":"somewhere"}`, Refuses: capabilities.Invalid},
	},
}, listApprovals, needsApprovals())

// ListApprovalsInput narrows and pages the list.
type ListApprovalsInput struct {
	// The state of those that are wanted; absent for pending.
	State approval.State `json:"state,omitempty"`
	// Whether those that were asked for last come first.
	NewestFirst bool `json:"newest_first,omitempty"`
	capabilities.PageInput
}

func listApprovals(ctx context.Context, d Deps, in ListApprovalsInput) (page capabilities.Page[Approval], err error) {
	after, err := in.Begin()
	if err != nil {
		return page, err
	}
	found, more, err := d.Approvals.List(ctx, cmp.Or(in.State, approval.Pending), approval.Order(in.NewestFirst), after, cmp.Or(in.Limit, 100))
	if err != nil {
		return page, err
	}
	for i := range found {
		page.Items = append(page.Items, approvalOf(&found[i]))
	}
	if more {
		page.NextCursor = in.Next(found[len(found)-1].ID)
	}
	return page, nil
}
