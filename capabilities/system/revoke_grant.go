package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RevokeGrant ends a grant.
var RevokeGrant = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "revoke_grant",
	Title:   "Revoke grant",
	Summary: "End a grant for good: the next call that it let pass is refused. One that has ended already stays as it is.",
	Effect:  capabilities.Destroy(capabilities.Local),
	Route:   "DELETE /grants/{id}",
	Scope:   capabilities.ScopeAdmin,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "an id that no grant has", In: `{"id":"grt_00000000000000000000000000"}`, Refuses: capabilities.NotFound},
	},
}, revokeGrant, needsGrants())

// RevokeGrantInput names a grant.
type RevokeGrantInput struct {
	// The grant's id, as list_grants has it.
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64"`
}

// RevokedGrant is what revoking a grant answers.
type RevokedGrant struct {
	capabilities.Receipt
	// The grant's id.
	ID string `json:"id"`
	// The name of the tool.
	Capability string `json:"capability"`
	// Who may not call it by this grant any more.
	Principal string `json:"principal"`
	// When it was revoked or withdrawn; absent where it expired before.
	EndedAt string `json:"ended_at,omitempty" jsonschema:"format=date-time"`
}

func revokeGrant(ctx context.Context, d Deps, in RevokeGrantInput) (RevokedGrant, error) {
	// Whatever is answered, it may be revoked: what is in force is read anew.
	defer d.renew(ctx)
	out, err := store.Write(ctx, d.Store, func(tx *store.Tx) (RevokedGrant, error) {
		g, err := d.Grants.Revoke(tx, in.ID)
		return RevokedGrant{ID: g.ID, Capability: g.Capability, Principal: g.Holder.Key(), EndedAt: stamp(g.EndedAt)}, err
	})
	if err == nil && landed(out.Receipt) {
		d.Grants.Log().InfoContext(ctx, "grant_withdrawn", "grant", out.ID, "cause", "revoked", "capability", out.Capability, "principal", out.Principal)
	}
	return out, err
}
