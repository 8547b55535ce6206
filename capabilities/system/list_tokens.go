package system

import (
	"context"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

// ListTokens lists the API tokens.
var ListTokens = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_tokens",
	Title:   "List tokens",
	Summary: "List the API tokens in the order in which they were made: what each may do, never the token itself.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /tokens",
	Scope:   capabilities.ScopeAdmin,
	Examples: []capabilities.Example{
		{Name: "the first of them", In: `{"limit":10}`},
		{Name: "a cursor made up", In: `{"cursor":"somewhere"}`, Refuses: capabilities.Invalid},
	},
}, listTokens, needsTokens())

// ListTokensInput pages the list.
type ListTokensInput struct {
	capabilities.PageInput
}

// TokenRow is one token.
type TokenRow struct {
	TokenFacts
	// What it is good for: active, expired, revoked, or unbound from a seat or person that is not configured any more.
	State identity.State `json:"state"`
	// When it was made.
	CreatedAt string `json:"created_at" jsonschema:"format=date-time"`
	// Who made it.
	CreatedBy string `json:"created_by"`
	// When it was revoked; absent where it was not.
	RevokedAt string `json:"revoked_at,omitempty" jsonschema:"format=date-time"`
}

func listTokens(ctx context.Context, d Deps, in ListTokensInput) (page capabilities.Page[TokenRow], err error) {
	after, err := in.Begin()
	if err != nil {
		return page, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	found, err := d.Tokens.List(ctx, after, limit+1)
	if err != nil {
		return page, err
	}
	for i := range found[:min(len(found), limit)] {
		t := &found[i]
		page.Items = append(page.Items, TokenRow{
			TokenFacts: tokenFacts(t), State: d.Tokens.State(t), CreatedAt: stamp(t.CreatedAt), CreatedBy: t.CreatedBy, RevokedAt: stamp(t.RevokedAt),
		})
	}
	if len(found) > limit {
		page.NextCursor = in.Next(found[limit-1].ID)
	}
	return page, nil
}

// stamp answers a time as RFC 3339; "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
