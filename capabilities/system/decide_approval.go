package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// DecideApproval decides on a call that waits for a person.
var DecideApproval = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "decide_approval",
	Title:   "Decide approval",
	Summary: "Approve a call, so that it may be sent once, or deny it. The owner or a person decides, and nobody on a call of their own.",
	Effect:  capabilities.Set(capabilities.Local),
	Route:   "POST /approvals/{id}/decision",
	Scope:   capabilities.ScopeAdmin,
	Refuses: capabilities.Codes{capabilities.NotFound, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "an id that no request has", In: `{"id":"apr_00000000000000000000000000","decision":"deny"}`, Refuses: capabilities.NotFound},
		{Name: "neither yes nor no", In: `{"id":"apr_00000000000000000000000000","decision":"maybe"}`, Refuses: capabilities.Invalid},
	},
}, decideApproval, needsApprovals())

// DecideApprovalInput is a decision.
type DecideApprovalInput struct {
	// The request's id, as approval_needed and list_approvals have it.
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64"`
	// Whether the call may be sent: approve or deny. It may be decided anew until the call was sent.
	Decision approval.Verdict `json:"decision"`
	// What the caller is told for it.
	Reason string `json:"reason,omitempty" jsonschema:"maxLength=500"`
}

// DecidedApproval is what a decision answers.
type DecidedApproval struct {
	capabilities.Receipt
	// The request's id.
	ID string `json:"id"`
	// What became of it: approved or denied.
	State approval.State `json:"state"`
	// What is called.
	Capability string `json:"capability"`
	// Who calls.
	Principal string `json:"principal"`
	// Who decided.
	DecidedBy string `json:"decided_by"`
	// When it was decided.
	DecidedAt string `json:"decided_at" jsonschema:"format=date-time"`
	// Until when the call may be sent, or stays denied.
	ExpiresAt string `json:"expires_at" jsonschema:"format=date-time"`
}

func decideApproval(ctx context.Context, d Deps, in DecideApprovalInput) (DecidedApproval, error) {
	// Whatever is answered, it may be decided: who waits looks again.
	defer d.Approvals.Woken()
	by := capabilities.CallFrom(ctx).Principal
	out, err := store.Write(ctx, d.Store, func(tx *store.Tx) (DecidedApproval, error) {
		q, err := d.Approvals.Decide(tx, by, in.ID, in.Decision, in.Reason)
		return DecidedApproval{
			ID: q.ID, State: q.State, Capability: q.Capability, Principal: q.Principal, DecidedBy: q.DecidedBy, DecidedAt: stamp(q.DecidedAt), ExpiresAt: stamp(q.ExpiresAt),
		}, err
	})
	if err == nil && !out.DryRun && !out.Replayed {
		d.Approvals.Decided(ctx, out.ID, out.State, out.DecidedBy)
	}
	return out, err
}
