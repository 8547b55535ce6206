package holotype

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

// checkRules finds the faults of the rules that only whoever knows the packs can judge.
func (e *engine) checkRules(c *config.Config) error {
	known := map[string]bool{}
	for _, name := range e.packs {
		known[name] = true
	}
	for _, s := range c.Bridged() {
		known[s.Name] = true
	}
	var faults []error
	for _, f := range gate.Unknown(c, known) {
		faults = append(faults, f)
	}
	if err := e.checkApprovals(c); err != nil {
		faults = append(faults, err)
	}
	if err := e.checkOAuth(c); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// ruleNotices says which rules, and which scopes of seats and of an issuer's table, stand
// for nothing, and where approvals are asked for that nobody can give.
func (e *engine) ruleNotices(c *config.Config) []config.Notice {
	var prefixes []string
	for _, s := range c.Bridged() {
		prefixes = append(prefixes, bridgeServer(s, "").Prefix())
	}
	notices := gate.Unmatched(c, e.registry, prefixes)
	notices = append(notices, e.unknownTokens(c)...)
	known := e.scopeNamesOf(c)
	judge := func(path string, scopes []string) {
		for i, scope := range scopes {
			end := strings.LastIndexByte(scope, ':') // a server's name may hold some
			if end < 0 || scope[:end] == "*" || slices.Contains(known, scope[:end]) {
				continue
			}
			f := c.Fault(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("there is no pack and no MCP server %q", scope[:end]))
			notices = append(notices, config.Notice{File: f.File, Line: f.Line, Text: f.Path + ": " + f.Message})
		}
	}
	for i, s := range c.Seats {
		judge(fmt.Sprintf("seats[%d].scopes", i), s.Scopes)
	}
	for _, of := range slices.Sorted(maps.Keys(c.OAuth.Scopes)) {
		judge(c.OAuth.ScopesPath(of), c.OAuth.Scopes[of])
	}
	if path := c.AsksApproval(); path != "" && !e.decided(c) {
		f := c.Fault(path, fmt.Sprintf("nobody can decide on these calls, for %s is kept from the owner and from everybody under people", gate.Decision))
		return append(notices, config.Notice{File: f.File, Line: f.Line, Text: f.Path + ": " + f.Message})
	}
	return append(notices, e.ownerNotices(c)...)
}

// decided reports whether the rules of a configuration let somebody decide on requests for
// approvals, whatever scopes their tokens have.
func (e *engine) decided(c *config.Config) bool {
	decision, served := e.registry.Find(gate.Decision)
	if !served {
		return false
	}
	rules := gate.New(capabilities.Scopes{}, gate.Compile(c))
	may := func(p *capabilities.Principal) bool { return rules.Decide(p, decision) == nil }
	return may(capabilities.OwnerPrincipal()) || slices.ContainsFunc(c.People, func(p config.Person) bool {
		return may(&capabilities.Principal{ID: p.ID, Kind: capabilities.Person, Scopes: []string{capabilities.ScopeAdmin}})
	})
}

// unknownTokens says which rules are for a token that is none. A store that cannot be asked
// just now says so itself.
func (e *engine) unknownTokens(c *config.Config) (notices []config.Notice) {
	for i, p := range c.Principals {
		kind, id := config.PrincipalID(p.ID)
		if kind != config.PrincipalToken || e.tokens == nil || !identity.IsID(id) { // another issuer's credential is not known here
			continue
		}
		_, err := e.tokens.Bearer(context.Background(), id)
		if refusal, ok := capabilities.AsError(err); ok && refusal.Code == capabilities.NotFound {
			f := c.Fault(fmt.Sprintf("principals[%d].id", i), "no token has this id: "+e.name+" token list has the ids")
			notices = append(notices, config.Notice{File: f.File, Line: f.Line, Text: f.Path + ": " + f.Message})
		}
	}
	return notices
}

// inSeat answers a caller of the HTTP surface in the position of a seat: the owner, and
// whoever has a token of that seat. To anybody else a seat that is another's and one that
// does not exist are the same.
func (e *engine) inSeat(p *capabilities.Principal, seat string) (*capabilities.Principal, error) {
	switch {
	case seat == "":
		return nil, capabilities.Refuse(capabilities.NotFound, "no seat is named in the path: write its id between /seats/ and /mcp")
	case p.Seat == seat:
		return p, nil
	case p.Kind == capabilities.Owner:
		return e.ownerIn(seat)
	}
	return nil, capabilities.Refuse(capabilities.Forbidden, "%q is not your seat: use a token of that seat", seat)
}

// actingFor answers a caller as it acts for a person of the configuration: a seat does, and
// may do what both may. A call says so each time, because one assistant works for several.
func (e *engine) actingFor(p *capabilities.Principal, person string) (*capabilities.Principal, error) {
	switch {
	case p == nil:
		return nil, capabilities.Refuse(capabilities.Unauthenticated, "nobody acts for anybody without a credential")
	case p.Seat == "":
		return nil, capabilities.Refuse(capabilities.Invalid, "only a seat acts for somebody: call with a token of a seat, or say it at /seats/ID/mcp")
	case !slices.ContainsFunc(e.settings.current().People, func(known config.Person) bool { return known.ID == person }):
		// Not quoted: it may be a text of somebody else's.
		return nil, capabilities.Refuse(capabilities.Invalid, "whom the call is made for is no person of the configuration: name one by the id")
	}
	own := *p
	own.ActingFor = person
	return &own, nil
}

// principalNamed answers the principal that an administrator names: what somebody may do at
// most. Scopes are granted to a token: for a seat and a person it is one that has all.
func (e *engine) principalNamed(ctx context.Context, name string) (*capabilities.Principal, error) {
	c := e.settings.current()
	kind, id, _ := strings.Cut(name, ":")
	none := func(what string) error {
		return capabilities.Violates(capabilities.Violation{Pointer: "/as", Keyword: "reference", Message: fmt.Sprintf("names no %s of the configuration: config show lists them", what)})
	}
	switch kind {
	case "owner":
		return capabilities.OwnerPrincipal(), nil
	case "seat":
		if !slices.ContainsFunc(c.Seats, func(s config.Seat) bool { return s.ID == id }) {
			return nil, none("seat")
		}
		return &capabilities.Principal{ID: id, Kind: capabilities.Seat, Seat: id, Scopes: []string{"*", capabilities.ScopeAdmin}}, nil
	case "person":
		if !slices.ContainsFunc(c.People, func(p config.Person) bool { return p.ID == id }) {
			return nil, none("person")
		}
		return &capabilities.Principal{ID: id, Kind: capabilities.Person, Scopes: []string{"*", capabilities.ScopeAdmin}}, nil
	}
	if e.tokens == nil {
		return nil, capabilities.Refuse(capabilities.Unavailable, "there is no store, and so there are no tokens")
	}
	who, err := e.tokens.Bearer(ctx, id)
	if refusal, ok := capabilities.AsError(err); ok { // an argument that names something missing, or of no use
		return nil, capabilities.Violates(capabilities.Violation{Pointer: "/as", Keyword: "reference", Message: refusal.Message})
	}
	return who, err
}

// rule puts the rules of a configuration in force: at once for calls, and for lists with
// the swap, which tells whoever has one.
func (e *engine) rule(c *config.Config) {
	e.gate.Put(gate.Compile(c))
	e.live.Renew()
}
