package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RevokeToken revokes an API token.
var RevokeToken = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "revoke_token",
	Title:   "Revoke token",
	Summary: "Revoke an API token for good: its next request is refused. One that is revoked already stays so.",
	Effect:  capabilities.Destroy(capabilities.Local),
	Route:   "DELETE /tokens/{id}",
	Scope:   capabilities.ScopeAdmin,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "an id that no token has", In: `{"id":"tok_00000000000000000000000000"}`, Refuses: capabilities.NotFound},
	},
}, revokeToken, needsTokens())

// RevokeTokenInput names a token.
type RevokeTokenInput struct {
	// The token's id, as list_tokens has it: not the token itself.
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64"`
}

// RevokedToken is what revoking a token answers.
type RevokedToken struct {
	capabilities.Receipt
	// The token's id.
	ID string `json:"id"`
	// What it was for.
	Name string `json:"name"`
	// Since when it is revoked.
	RevokedAt string `json:"revoked_at" jsonschema:"format=date-time"`
}

func revokeToken(ctx context.Context, d Deps, in RevokeTokenInput) (RevokedToken, error) {
	// Whatever is answered, it may be revoked: what is remembered of it holds no more.
	defer d.Tokens.Forget(in.ID)
	return store.Write(ctx, d.Store, func(tx *store.Tx) (RevokedToken, error) {
		t, err := d.Tokens.Revoke(tx, in.ID)
		return RevokedToken{ID: t.ID, Name: t.Name, RevokedAt: stamp(t.RevokedAt)}, err
	})
}
