package holotype

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

// ownerNotices says where a rule has the owner's own calls wait for somebody who is not
// there: nobody approves their own, and a rule for everybody is one for the owner, too.
func (e *engine) ownerNotices(c *config.Config) []config.Notice {
	decision, served := e.registry.Find(gate.Decision)
	path := e.ownerWaits(c)
	if path == "" || !served || e.accounts {
		return nil
	}
	rules := gate.New(capabilities.Scopes{}, gate.Compile(c))
	if len(c.OAuth.People) > 0 || e.anybodyDecides(c, rules, decision) {
		return nil
	}
	f := c.Fault(path, fmt.Sprintf("the owner's own calls wait by it, too, and nobody else can approve them: name somebody under people and give them a token "+
		"(%s token create --name NAME --scope %s --person ID), or write the rule for those whom it is meant for, under seats or principals", e.name, capabilities.ScopeAdmin))
	return []config.Notice{{File: f.File, Line: f.Line, Text: f.Path + ": " + f.Message}}
}

// ownerWaits answers the first rule by which some call of the owner's waits, and "" where
// none does. What a server that is bridged will offer is not known here: a rule that can be
// about its tools is.
func (e *engine) ownerWaits(c *config.Config) string {
	rules, owner := gate.New(capabilities.Scopes{}, gate.Compile(c)), capabilities.OwnerPrincipal()
	for one := range e.registry.All() {
		if need, needed := rules.NeedsApproval(owner, one); needed {
			return need.Path
		}
	}
	blocks := []config.Rules{c.Gate.Rules}
	for _, p := range c.Principals {
		if kind, _ := config.PrincipalID(p.ID); kind == config.PrincipalOwner {
			blocks = append(blocks, p.Rules)
		}
	}
	for _, b := range blocks {
		for i, a := range b.Approve {
			bridged := func(s config.Server) bool { return a.Of == nil || slices.Contains(a.Of, s.Name) }
			if a.Tools == nil && slices.ContainsFunc(c.Bridged(), bridged) {
				return fmt.Sprintf("%s.approve[%d]", b.Path, i)
			}
		}
	}
	return ""
}

// anybodyDecides reports whether some token lets a person in who may decide. A store that
// cannot be asked just now says so itself.
func (e *engine) anybodyDecides(c *config.Config, rules *gate.Gate, decision *capabilities.Capability) bool {
	const page = 200
	for after := ""; e.tokens != nil; {
		tokens, err := e.tokens.List(context.Background(), after, page)
		if err != nil {
			return true
		}
		if slices.ContainsFunc(tokens, func(t identity.Token) bool { return e.decides(c, &t, rules, decision) }) {
			return true
		}
		if len(tokens) < page {
			break
		}
		after = tokens[len(tokens)-1].ID
	}
	return false
}

func (e *engine) decides(c *config.Config, t *identity.Token, rules *gate.Gate, decision *capabilities.Capability) bool {
	over := !t.RevokedAt.IsZero() || !t.ExpiresAt.IsZero() && !e.now().Before(t.ExpiresAt)
	if over || !slices.ContainsFunc(c.People, func(p config.Person) bool { return p.ID == t.Person }) {
		return false
	}
	return rules.Decide(&capabilities.Principal{ID: t.Person, Kind: capabilities.Person, Scopes: t.Scopes, Credential: t.ID}, decision) == nil
}
