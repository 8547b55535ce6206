package grant

import (
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	// MostPending is how many requests of one holder wait for a decision at most.
	MostPending = 20
	// usualHours is for how long a grant is that nobody said a time or a work item of.
	usualHours = 24
)

// Ask keeps a request within a write. While one of the same holder for the same capability
// waits for a decision, that one is the answer. The refusal is [capabilities.RateLimited]
// for one that would be too many.
func (g *Grants) Ask(tx *store.Tx, ask Request) (Request, error) {
	var rows []requestRow
	if err := tx.Select(&rows, selectPending, string(ask.Holder.Kind), ask.Holder.ID); err != nil {
		return Request{}, err
	}
	for i := range rows {
		if rows[i].Capability == ask.Capability {
			return rows[i].request(), nil
		}
	}
	if len(rows) >= MostPending {
		return Request{}, capabilities.Refuse(capabilities.RateLimited, "%d of your requests wait for a decision, and more are not kept: wait for one", len(rows))
	}
	if ask.Hours == 0 && ask.Item == (WorkItem{}) {
		ask.Hours = usualHours
	}
	ask.ID, ask.AskedAt, ask.Status = store.NewID("req", tx.Now()), tx.Now(), Pending
	if _, err := tx.Exec(insertRequest, ask.ID, string(ask.Holder.Kind), ask.Holder.ID, store.TextIn(ask.Credential), ask.Capability, ask.Why,
		nullIn(ask.Hours), store.TextIn(ask.Item.ID), store.TextIn(ask.Item.Key), ask.AskedAt.UnixMilli(), string(ask.Status)); err != nil {
		return Request{}, err
	}
	return ask, tx.Change(store.Change{Kind: kindRequest, ID: ask.ID, Body: event{"requested"}})
}

// nullIn answers a column of a number of which 0 is none.
func nullIn(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// Decision is what somebody decides about a request.
type Decision struct {
	Status Status // Granted or Denied
	// Hours is for how long at most; 0 is what was asked for. It is not more than that.
	Hours  int
	Reason string
}

// Decide decides about a request within a write. A request that is decided in the same way
// already stays as it is, and its grant with it. Refusals: [capabilities.Conflict] for one
// that is decided otherwise, or whose work item came to its end, and
// [capabilities.Invalid] for more hours than were asked for. Whoever calls it calls
// [Grants.Reload] once the write has ended, however it did.
func (g *Grants) Decide(tx *store.Tx, id string, d Decision) (Request, Grant, error) {
	q, err := request(&tx.Reader, id)
	if err != nil {
		return q, Grant{}, err
	}
	if q.Status != Pending {
		return g.decided(tx, q, d)
	}
	q.Status, q.DecidedAt, q.DecidedBy, q.Reason = d.Status, tx.Now(), tx.Who().ID, d.Reason
	var given Grant
	if d.Status == Granted {
		if given, err = g.give(tx, &q, d.Hours); err != nil {
			return q, given, err
		}
		q.Grant = given.ID
	}
	if _, err := tx.Exec(decideRequest, string(q.Status), q.DecidedAt.UnixMilli(), q.DecidedBy, store.TextIn(q.Reason), store.TextIn(q.Grant), q.ID); err != nil {
		return q, given, err
	}
	return q, given, tx.Change(store.Change{Kind: kindRequest, ID: q.ID, Body: event{string(q.Status)}})
}

// decided answers a decision about a request that was decided before.
func (g *Grants) decided(tx *store.Tx, q Request, d Decision) (Request, Grant, error) {
	if q.Status != d.Status {
		return q, Grant{}, capabilities.Refuse(capabilities.Conflict, "the request was %s at %s: to take a grant back, send its id to revoke_grant; to get one, it has to be asked for again",
			q.Status, q.DecidedAt.Format(time.RFC3339))
	}
	if q.Grant == "" {
		return q, Grant{}, nil
	}
	var row grantRow
	err := tx.Get(&row, selectGrant, q.Grant)
	return q, row.grant(), err
}

// give keeps the grant of a request.
func (g *Grants) give(tx *store.Tx, q *Request, hours int) (Grant, error) {
	switch {
	case hours == 0:
		hours = q.Hours
	case q.Hours > 0 && hours > q.Hours:
		return Grant{}, capabilities.Violates(capabilities.Violation{Pointer: "/hours", Keyword: "maximum", Message: fmt.Sprintf(
			"is more than the %d that were asked for: send less, or leave it out for those", q.Hours)})
	}
	if q.Item.ID != "" {
		ended, err := g.endedSince(&tx.Reader, q.Item.ID, kindRequest, q.ID)
		if err != nil {
			return Grant{}, err
		}
		if ended {
			return Grant{}, capabilities.Refuse(capabilities.Conflict, "the work item %s came to its end since: deny the request; it can be made again without the item", q.Item.Key)
		}
	}
	given := Grant{
		ID: store.NewID("grt", tx.Now()), Request: q.ID, Holder: q.Holder, Capability: q.Capability, Item: q.Item, GivenAt: tx.Now(), GivenBy: tx.Who().ID,
	}
	until := int64(never)
	if hours > 0 {
		given.ExpiresAt = tx.Now().Add(time.Duration(hours) * time.Hour)
		until = given.ExpiresAt.UnixMilli()
	}
	if _, err := tx.Exec(insertGrant, given.ID, given.Request, string(given.Holder.Kind), given.Holder.ID, given.Capability, store.TextIn(given.Item.ID), store.TextIn(given.Item.Key),
		given.GivenAt.UnixMilli(), given.GivenBy, store.TimeIn(given.ExpiresAt), until); err != nil {
		return Grant{}, err
	}
	return given, tx.Change(store.Change{Kind: kindGrant, ID: given.ID, Body: event{"given"}})
}

// endedSince reports whether a work item is at its end, or was since the first change of
// an object of this package.
func (g *Grants) endedSince(r *store.Reader, item, kind, id string) (bool, error) {
	first, err := r.Changes(store.ChangesQuery{Kind: kind, ID: id, Limit: 1})
	if err != nil {
		return false, err
	}
	var since store.Position
	if len(first) > 0 {
		since = first[0].Position
	}
	return g.o.Ended(r, item, since)
}
