package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// AsInput lets an administrator look with somebody else's eyes.
type AsInput struct {
	// Whose view it is, for an administrator: owner, seat: or person: and an id of the configuration, token: and the id of a token. Without it, the caller's.
	As string `json:"as,omitempty" jsonschema:"maxLength=100,pattern=^(owner|(seat|person|token):[A-Za-z0-9][A-Za-z0-9._-]*)$"`
}

// principal answers whose view is asked for.
func (in AsInput) principal(ctx context.Context, d Deps) (*capabilities.Principal, error) {
	caller := capabilities.CallFrom(ctx).Principal
	if in.As == "" {
		return caller, nil
	}
	if !caller.Has(capabilities.ScopeAdmin) || d.As == nil {
		return nil, capabilities.Refuse(capabilities.Forbidden, "the view of somebody else is for whoever has the scope %q: leave as out to see your own", capabilities.ScopeAdmin)
	}
	return d.As(ctx, in.As)
}
