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
// assistant may act as, and not a token that is nobody's.
func decider(p *capabilities.Principal) error {
	if p.Kind != capabilities.Owner && p.Kind != capabilities.Person {
		return capabilities.Refuse(capabilities.Forbidden, "a person decides about requests, and this is the credential of a %s: use a token that is bound to a person, or ask the owner of this server", p.Kind)
	}
	return nil
}

// isOwn reports whether a request is the decider's own: made as the same principal, or in
// the position that the decider acts in.
func isOwn(p *capabilities.Principal, h grant.Holder) bool {
	return p.Key() == h.Key() || h.Kind == capabilities.Seat && p.Seat == h.ID
}
