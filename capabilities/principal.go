package capabilities

import (
	"slices"
	"strings"
)

// PrincipalKind is what sort of caller a principal is.
type PrincipalKind string

// The closed set of principal kinds.
const (
	Owner    PrincipalKind = "owner"    // whoever holds the data directory
	Person   PrincipalKind = "person"   // a person named in the configuration
	Seat     PrincipalKind = "seat"     // a position an assistant or person acts as
	Operator PrincipalKind = "operator" // an unbound credential
)

// Principal is who calls and what they were granted. It comes from the request's
// own credential, every time, never from an argument. Treat it as immutable.
type Principal struct {
	ID     string
	Kind   PrincipalKind
	Seat   string   // the seat acted as; "" for none
	Scopes []string // "<pack>:read", "<server>:write", "admin"; "*" is all but admin
}

// OwnerPrincipal answers the owner, who has every scope.
func OwnerPrincipal() *Principal {
	return &Principal{ID: "owner", Kind: Owner, Scopes: []string{"*", ScopeAdmin}}
}

// ScopeAdmin is the scope of what shows or changes how the server is run. "*"
// does not include it.
const ScopeAdmin = "admin"

// Has reports whether the principal was granted the scope: by its own word, by
// "*" (except admin), by "<name>:*", by "*:read" or "*:write", or, for a read,
// by the write scope of the same name.
func (p *Principal) Has(scope string) bool {
	if p == nil {
		return false
	}
	if scope == ScopeAdmin {
		return slices.Contains(p.Scopes, ScopeAdmin)
	}
	name, verb, _ := cutLast(scope, ":")
	for _, s := range p.Scopes {
		switch s {
		case scope, "*", name + ":*", "*:" + verb:
			return true
		case name + ":write", "*:write":
			if verb == "read" {
				return true
			}
		}
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// scopeKey identifies what the principal may see, for caching views.
func (p *Principal) viewKey() string {
	if p == nil {
		return ""
	}
	scopes := slices.Clone(p.Scopes)
	slices.Sort(scopes)
	return string(p.Kind) + "\x00" + p.ID + "\x00" + p.Seat + "\x00" + strings.Join(scopes, "\x00")
}
