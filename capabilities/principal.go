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
	// Within limits Scopes to what these stand for too, such as those of the seat that a
	// token is bound to. Nil is no limit, and empty is nothing.
	Within []string
	// Credential is the id of the token that the caller was known by; "" is the owner's
	// own credential, or one of the embedding program's.
	Credential string
	// ActingFor is the id of the person that this call is made for, whom the caller named
	// and who is not the caller; "" is nobody. It can only take away: the gate asks the
	// rules of both.
	ActingFor string
	// Narrowing is the part of all this that the surface serves the caller here.
	Narrowing Narrowing
	// Discovery says that the surface lists the tools of discovery to the caller in place
	// of all that it may call; see [Principal.Discovering].
	Discovery bool
}

// OwnerPrincipal answers the owner, who has every scope.
func OwnerPrincipal() *Principal {
	return &Principal{ID: "owner", Kind: Owner, Scopes: []string{"*", ScopeAdmin}}
}

// ScopeAdmin is the scope of what shows or changes how the server is run. "*"
// does not include it.
const ScopeAdmin = "admin"

// ScopeAnyone is the scope of what everybody may do who is let in at all. Nobody is
// granted it, and no limit of scopes takes it away.
const ScopeAnyone = "anyone"

// Key identifies the principal among those of every kind, whatever its scopes and
// its credential are: a person and a seat may have one id, and either may be called
// as the owner is.
func (p *Principal) Key() string {
	switch {
	case p == nil:
		return ""
	case p.Kind == Owner:
		return p.ID
	}
	return string(p.Kind) + ":" + p.ID
}

// Has reports whether the principal was granted the scope: by its own word, by
// "*" (except admin), by "<name>:*", by "*:read" or "*:write", or, for a read,
// by the write scope of the same name. A scope that stands for several, such as
// "<name>:*" or "*:read", is granted where all that it may ever stand for is.
func (p *Principal) Has(scope string) bool {
	return p != nil && (scope == ScopeAnyone || grants(p.Scopes, scope) && (p.Within == nil || grants(p.Within, scope)))
}

// grants reports whether one of the scopes stands for the wanted one.
func grants(scopes []string, wanted string) bool {
	if wanted == ScopeAdmin {
		return slices.Contains(scopes, ScopeAdmin)
	}
	name, verb := cutScope(wanted)
	if verb == "*" || wanted == "*" {
		verb = "write" // which holds the read
	}
	for _, s := range scopes {
		if s == wanted || s == "*" {
			return true
		}
		n, v := cutScope(s)
		if (n == name || n == "*") && (v == verb || v == "write" && verb == "read" || v == "*" && n != "*") {
			return true
		}
	}
	return false
}

// cutScope parts a scope at its last colon: a server's name may hold some.
func cutScope(scope string) (name, verb string) {
	if i := strings.LastIndexByte(scope, ':'); i >= 0 {
		return scope[:i], scope[i+1:]
	}
	return scope, ""
}

// viewKey identifies what the principal may see, for caching views.
func (p *Principal) viewKey() string {
	if p == nil {
		return ""
	}
	scopes := slices.Sorted(slices.Values(p.Scopes))
	key := string(p.Kind) + "\x00" + p.ID + "\x00" + p.Seat + "\x00" + p.Credential + "\x00" + strings.Join(scopes, "\x00")
	if p.Within != nil {
		key += "\x00\x00" + strings.Join(slices.Sorted(slices.Values(p.Within)), "\x00")
	}
	if p.ActingFor != "" {
		key += "\x00\x00\x00" + p.ActingFor
	}
	return key + p.Narrowing.key()
}
