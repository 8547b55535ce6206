package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// DecideCapabilityRequest grants or denies what somebody asked for.
var DecideCapabilityRequest = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "decide_capability_request",
	Title:   "Decide capability request",
	Summary: "Grant or deny a request to be let call a tool. A person decides, never about their own, and grants what they may call themselves.",
	Effect:  capabilities.Amend(capabilities.Local),
	Route:   "POST /capability-requests/{id}/decision",
	Scope:   capabilities.ScopeAdmin,
	Refuses: capabilities.Codes{capabilities.NotFound, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "an id that no request has", In: `{"id":"req_00000000000000000000000000","decision":"deny"}`, Refuses: capabilities.NotFound},
	},
}, decideCapabilityRequest, needsGrants())

// GrantDecision is what is decided about a request: grant or deny.
type GrantDecision string

// The closed set of decisions.
const (
	GrantRequest GrantDecision = "grant"
	DenyRequest  GrantDecision = "deny"
)

// SchemaEnum lists the members.
func (GrantDecision) SchemaEnum() []string {
	return []string{string(GrantRequest), string(DenyRequest)}
}

// DecideCapabilityRequestInput says what is decided.
type DecideCapabilityRequestInput struct {
	// The request's id, as list_capability_requests has it.
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64"`
	// Whether it is granted: grant or deny.
	Decision GrantDecision `json:"decision"`
	// For how many hours it is granted at most. Absent is what was asked for; it is never more than that.
	Hours int `json:"hours,omitempty" jsonschema:"minimum=1,maximum=720"`
	// Why it is decided so, for whoever asked.
	Reason string `json:"reason,omitempty" jsonschema:"minLength=1,maxLength=1000"`
}

// DecidedCapabilityRequest is what a decision answers.
type DecidedCapabilityRequest struct {
	capabilities.Receipt
	// The request's id.
	ID string `json:"id"`
	// The name of the tool.
	Capability string `json:"capability"`
	// Who asked: seat, person or operator, and an id.
	Principal string `json:"principal"`
	// What became of the request: granted or denied.
	Status grant.Status `json:"status"`
	// The id of the grant, to be sent to revoke_grant; absent when it is denied.
	Grant string `json:"grant,omitempty"`
	// When the grant ends at the latest; absent when it ends with its work item alone, or is none.
	ExpiresAt string `json:"expires_at,omitempty" jsonschema:"format=date-time"`
}

func decideCapabilityRequest(ctx context.Context, d Deps, in DecideCapabilityRequestInput) (out DecidedCapabilityRequest, err error) {
	caller := capabilities.CallFrom(ctx).Principal.Narrowed(capabilities.Narrowing{})
	if err := decider(caller); err != nil {
		return out, err
	}
	decision := grant.Decision{Status: grant.Denied, Hours: in.Hours, Reason: in.Reason}
	if in.Decision == GrantRequest {
		decision.Status = grant.Granted
	} else if in.Hours != 0 {
		return out, capabilities.Violates(capabilities.Violation{Pointer: "/hours", Keyword: "not", Message: "goes with a grant alone: leave it out"})
	}
	asked, err := d.Grants.Request(ctx, in.ID)
	switch {
	case err != nil:
		return out, err
	case d.isOwn(caller, asked.Holder):
		return out, capabilities.Refuse(capabilities.Forbidden, "nobody decides about their own request: somebody else with the scope %q does", capabilities.ScopeAdmin)
	case decision.Status == grant.Granted && asked.Status == grant.Pending:
		if err := d.grantable(ctx, caller, asked); err != nil {
			return out, err
		}
	}
	// Whatever is answered, it may be granted: what is in force is read anew.
	defer d.renew(ctx)
	out, err = store.Write(ctx, d.Store, func(tx *store.Tx) (DecidedCapabilityRequest, error) {
		q, given, err := d.Grants.Decide(tx, in.ID, decision)
		return DecidedCapabilityRequest{
			ID: q.ID, Capability: q.Capability, Principal: q.Holder.Key(), Status: q.Status, Grant: given.ID, ExpiresAt: stamp(given.ExpiresAt),
		}, err
	})
	if err == nil && landed(out.Receipt) {
		args := []any{"request", out.ID, "capability", out.Capability, "principal", out.Principal, "by", caller.Key()}
		if out.Status == grant.Granted {
			d.Grants.Log().InfoContext(ctx, "capability_granted", append(args, "grant", out.Grant)...)
		} else {
			d.Grants.Log().InfoContext(ctx, "capability_denied", args...)
		}
	}
	return out, err
}

// grantable refuses the grant of a request that nothing would come of, and that of what
// the decider may not call: nobody gives more than they have, and a grant that they hold
// does not count.
func (d Deps) grantable(ctx context.Context, caller *capabilities.Principal, q grant.Request) error {
	holder := q.Holder.Principal()
	c, _, ok := d.Viewer.Find(holder, q.Capability)
	switch {
	case !ok:
		return capabilities.Refuse(capabilities.Conflict, "%s is not served now: decide when it is, or deny the request", q.Capability)
	case !d.Grants.There(ctx, q.Holder):
		return capabilities.Refuse(capabilities.Conflict, "%s, who asked, is not there any more: deny the request", q.Holder.Key())
	case !grant.Grantable(c), d.Judge(holder, c, true) != nil:
		return capabilities.Refuse(capabilities.Forbidden, "%s cannot be granted to %s: what keeps them from it is changed in the configuration alone; deny the request", q.Capability, q.Holder.Key())
	case d.Judge(caller, c, false) != nil:
		return capabilities.Refuse(capabilities.Forbidden, "nobody grants what they may not call themselves, and you may not call %s: leave it to somebody who may", q.Capability)
	}
	return nil
}
