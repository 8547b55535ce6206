package holotype

import (
	"context"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

// openGrants answers the grants of the engine's store, or nil where there is none.
func (e *engine) openGrants() *grant.Grants {
	if e.kept.store == nil {
		return nil
	}
	return grant.New(grant.Options{
		Store: e.kept.store, Log: e.log, Now: e.now, Ended: tracker.EndedAfter, Put: e.putGrants,
		There: e.there,
	})
}

// loadGrants puts the grants in force before anybody calls. What cannot be read now is
// read by whoever follows the store.
func (e *engine) loadGrants() {
	if e.grants == nil {
		return
	}
	if err := e.grants.Reload(context.Background()); err != nil {
		e.log.Warn("grants_unread", "error", err.Error())
	}
}

// grantFollowers answers what keeps the grants in force as the store and the clock have
// them.
func (e *engine) grantFollowers() []func(context.Context) {
	if e.grants == nil {
		return nil
	}
	return []func(context.Context){e.grants.Follow, e.grants.Expire}
}

// putGrants puts grants in force: at once for calls, and for lists with the swap, which
// tells whoever has one.
func (e *engine) putGrants(all []grant.Grant) {
	var some []gate.Grant
	for _, one := range all {
		some = append(some, gate.Grant{Kind: one.Holder.Kind, ID: one.Holder.ID, Capability: one.Capability, Until: one.ExpiresAt})
	}
	e.gate.PutGrants(gate.CompileGrants(some, e.now))
	e.live.Renew()
}

// judge is the gate's judgment, for packs, which are bound before there is a gate.
func (e *engine) judge(p *capabilities.Principal, c *capabilities.Capability, granted bool) *capabilities.Rule {
	return e.gate.Judge(p, c, granted)
}

// there reports whether a holder of grants is there still. The people and the credentials
// of an embedding program are known to that alone.
func (e *engine) there(ctx context.Context, h grant.Holder) bool {
	c := e.settings.current()
	switch h.Kind {
	case capabilities.Seat:
		return hasID(c.Seats, h.ID, func(s config.Seat) string { return s.ID })
	case capabilities.Person:
		return e.accounts || hasID(c.People, h.ID, func(p config.Person) string { return p.ID })
	case capabilities.Operator:
		_, err := e.tokens.Bearer(ctx, h.ID)
		refusal, refused := capabilities.AsError(err)
		switch {
		case !refused: // nothing is known to be wrong with it
			return true
		case refusal.Code == capabilities.NotFound:
			return e.accounts || !identity.IsID(h.ID) // one of an issuer's is known to that alone
		}
		return refusal.Code != capabilities.Unauthenticated
	case capabilities.Owner:
	}
	return false
}

func hasID[T any](all []T, id string, of func(T) string) bool {
	for _, one := range all {
		if of(one) == id {
			return true
		}
	}
	return false
}

// openWorkItem answers the open work item that a caller names, as it sees it.
func (e *engine) openWorkItem(ctx context.Context, p *capabilities.Principal, ref string) (grant.WorkItem, error) {
	none := func(why string) error {
		return capabilities.Violates(capabilities.Violation{Pointer: "/work_item", Keyword: "reference", Message: why})
	}
	if _, served := e.registry.Find(tracker.GetWorkItem.Name()); !served {
		return grant.WorkItem{}, none("names a work item, and no tracker is served here: send hours in its place")
	}
	item, err := tracker.GetWorkItem.Call(ctx, e.door, p, tracker.GetWorkItemInput{Item: ref})
	refusal, refused := capabilities.AsError(err)
	switch {
	case refused && refusal.Code == capabilities.Forbidden:
		return grant.WorkItem{}, none("names a work item, and you may not read those: send hours in its place")
	case refused && refusal.Code == capabilities.NotFound:
		return grant.WorkItem{}, none("names no work item: " + strings.TrimPrefix(refusal.Message, "/item: "))
	case err != nil:
		return grant.WorkItem{}, err
	case item.Status.Ended():
		return grant.WorkItem{}, none("names " + item.Key + ", which is " + string(item.Status) + ": name an item that is open, or send hours in its place")
	}
	return grant.WorkItem{ID: item.ID, Key: item.Key}, nil
}
