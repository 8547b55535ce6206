package system

import (
	"cmp"
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// needsGrants leaves a capability out where no grants are kept.
func needsGrants() capabilities.Option[Deps] {
	return capabilities.When(func(d Deps) bool { return d.Grants != nil })
}

// workItem answers the work item that a grant is to end with, which the caller sees and
// which is not at its end.
func (d Deps) workItem(ctx context.Context, caller *capabilities.Principal, ref string) (grant.WorkItem, error) {
	if d.WorkItem == nil {
		return grant.WorkItem{}, capabilities.Violates(capabilities.Violation{Pointer: "/work_item", Keyword: "reference", Message: "names a work item, and no tracker is served here: send hours in its place"})
	}
	return d.WorkItem(ctx, caller, ref)
}

// canonical answers the name that a capability has now.
func canonical(c *capabilities.Capability) string { return cmp.Or(c.AliasOf(), c.Name()) }

// landed reports whether a write was made by this very call.
func landed(r capabilities.Receipt) bool {
	return r.Outcome == capabilities.Applied && !r.DryRun && !r.Replayed
}

// renew puts what was written about grants in force. What cannot be read now is read by
// whoever follows the log of changes.
func (d Deps) renew(ctx context.Context) {
	if err := d.Grants.Reload(ctx); err != nil {
		d.Grants.Log().WarnContext(ctx, "grants_unread", "error", err.Error())
	}
}

// decider refuses whoever may not decide about grants. A person does: not a seat, which an
// assistant may act as, whoever let it in, and not a token that is nobody's.
func decider(p *capabilities.Principal) error {
	who := string(p.Kind)
	switch {
	case p.Seat != "":
		who = string(capabilities.Seat)
	case p.Kind == capabilities.Owner, p.Kind == capabilities.Person:
		return nil
	case p.Kind == capabilities.Operator:
		who = "token that is nobody's"
	}
	return capabilities.Refuse(capabilities.Forbidden, "a person decides about requests, and this is a call of a %s: use a token that is bound to a person, or ask the owner of this server", who)
}

// isOwn reports whether a request is the decider's own: made as the same principal, or from
// the seat that the decider holds.
func (d Deps) isOwn(p *capabilities.Principal, h grant.Holder) bool {
	return p.Key() == h.Key() || h.Kind == capabilities.Seat && p.Kind == capabilities.Person && d.Holder != nil && d.Holder(h.ID) == p.ID
}
