package oauth

import (
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// scopesOf answers the scopes here that those of a token stand for. admin is given by a
// table alone: an issuer that knows nothing of this server has scopes of that name, too.
func scopesOf(theirs []string, o *config.OAuth) []string {
	all := []string{}
	for _, scope := range theirs {
		switch {
		case o.Scopes != nil:
			all = append(all, o.Scopes[scope]...)
		case scope != capabilities.ScopeAdmin:
			all = append(all, scope) // one of another grammar stands for nothing
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// theirs answers the scopes of the issuer of which each alone gives what ours is, in their
// order; without a table, ours itself.
func theirs(ours string, o *config.OAuth) []string {
	if o.Scopes == nil {
		if ours == capabilities.ScopeAdmin {
			return nil
		}
		return []string{ours}
	}
	var all []string
	for name, scopes := range o.Scopes {
		if (&capabilities.Principal{Scopes: scopes}).Has(ours) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
