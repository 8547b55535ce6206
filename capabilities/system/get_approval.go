package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// GetApproval shows one call that a person has to approve.
var GetApproval = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_approval",
	Title:   "Get approval",
	Summary: "Show one call that a person has to approve: what it would do, who asks, its arguments, and what was decided.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /approvals/{id}",
	Scope:   capabilities.ScopeAdmin,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "an id that no request has", In: `{"id":"apr_00000000000000000000000000"}`, Refuses: capabilities.NotFound},
	},
}, getApproval, needsApprovals())

// GetApprovalInput names a request.
type GetApprovalInput struct {
	// The request's id, as approval_needed and list_approvals have it.
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64"`
}

func getApproval(ctx context.Context, d Deps, in GetApprovalInput) (Approval, error) {
	q, err := d.Approvals.Get(ctx, in.ID)
	if err != nil {
		return Approval{}, err
	}
	return approvalOf(&q), nil
}
