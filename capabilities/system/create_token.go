package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// CreateToken makes an API token.
var CreateToken = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "create_token",
	Title:   "Create token",
	Summary: "Make an API token with scopes, for a program or an assistant. It is shown once and kept nowhere.",
	Effect:  capabilities.Append(capabilities.Local),
	Route:   "POST /tokens",
	Scope:   capabilities.ScopeAdmin,
	Examples: []capabilities.Example{
		{Name: "one that reads everything", In: `{"name":"dashboard","scopes":["*:read"]}`},
		{Name: "a scope of no pack", In: `{"name":"dashboard","scopes":["sistem:read"]}`, Refuses: capabilities.Invalid},
		{Name: "a seat there is not", In: `{"name":"dashboard","scopes":["*:read"],"seat":"nobody"}`, Refuses: capabilities.Invalid},
	},
}, createToken, needsTokens())

// CreateTokenInput describes the new token.
type CreateTokenInput struct {
	// What it is for, for whoever reads the list.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// What it may do: name:read, name:write or name:* of a pack or server, *:read, *:write, * (all but admin), admin. Never more than you may.
	Scopes []string `json:"scopes" jsonschema:"minItems=1,maxItems=64,uniqueItems=true"`
	// After how long it stops working: a number with m, h or d behind it, such as 30d. Absent is never, or when your own token does.
	Expires string `json:"expires,omitempty" jsonschema:"maxLength=6,pattern=^[1-9][0-9]*[mhd]$"`
	// The seat of the configuration that it acts as. It may do what its scopes and the seat's both allow.
	Seat string `json:"seat,omitempty" jsonschema:"minLength=1,maxLength=64"`
	// The person of the configuration that it acts as, when it acts as no seat.
	Person string `json:"person,omitempty" jsonschema:"minLength=1,maxLength=64"`
}

// NewToken is what making a token answers.
type NewToken struct {
	capabilities.Receipt
	// The token itself, to be sent as Authorization: Bearer.
	Token string `json:"token,omitempty" jsonschema:"once"`
	TokenFacts
}

// TokenFacts are what is known of a token, which itself is kept nowhere.
type TokenFacts struct {
	// Its id, which is no secret.
	ID string `json:"id"`
	// What it is for.
	Name string `json:"name"`
	// What it may do.
	Scopes []string `json:"scopes"`
	// The seat that it acts as; absent for none.
	Seat string `json:"seat,omitempty"`
	// The person that it acts as; absent for none.
	Person string `json:"person,omitempty"`
	// When it stops working; absent for never.
	ExpiresAt string `json:"expires_at,omitempty" jsonschema:"format=date-time"`
}

func tokenFacts(t *identity.Token) TokenFacts {
	return TokenFacts{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Seat: t.Seat, Person: t.Person, ExpiresAt: stamp(t.ExpiresAt)}
}

func createToken(ctx context.Context, d Deps, in CreateTokenInput) (NewToken, error) {
	draft := identity.Draft{
		Name: in.Name, Scopes: in.Scopes, Expires: in.Expires, Seat: in.Seat, Person: in.Person, By: capabilities.CallFrom(ctx).Principal,
	}
	if err := d.Tokens.Check(draft); err != nil {
		return NewToken{}, err
	}
	return store.Write(ctx, d.Store, func(tx *store.Tx) (NewToken, error) {
		t, secret, err := d.Tokens.Insert(tx, draft)
		return NewToken{Token: secret, TokenFacts: tokenFacts(&t)}, err
	})
}

// needsTokens leaves a capability out where no tokens are kept.
func needsTokens() capabilities.Option[Deps] {
	return capabilities.When(func(d Deps) bool { return d.Tokens != nil })
}
