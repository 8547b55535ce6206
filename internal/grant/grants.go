package grant

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/broadcast"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Options configure [Grants]. All are needed.
type Options struct {
	// Store keeps requests and grants. It was opened with [Schema].
	Store *store.DB
	Log   *slog.Logger
	Now   func() time.Time
	// Ended reports whether a work item is at its end, or was at any time after a position.
	Ended func(r *store.Reader, item string, after store.Position) (bool, error)
	// There reports whether a holder is there still: a seat or a person that is configured, a
	// token that lets somebody in.
	There func(ctx context.Context, h Holder) bool
	// Put puts the grants of now in force, whose times are judged by the clock. It is called
	// by one goroutine at a time, when they have changed.
	Put func(all []Grant)
}

// Grants are the grants of a store. They are safe for concurrent use.
type Grants struct {
	o       Options
	changed broadcast.Broadcast // what is in force

	mu      sync.Mutex // one look into the store at a time: a later one is not overwritten
	inForce []Grant
}

// New answers the grants of a store. None is in force before the first [Grants.Reload].
func New(o Options) *Grants { return &Grants{o: o} }

// Log answers the log that what happens to grants is noted in.
func (g *Grants) Log() *slog.Logger { return g.o.Log }

// State answers what a grant is good for now.
func (g *Grants) State(ctx context.Context, one *Grant) State {
	switch {
	case one.Ended == Revoked:
		return WasRevoked
	case one.Ended == WorkItemEnded:
		return Withdrawn
	case one.expiredAt(g.o.Now()):
		return Expired
	case !g.There(ctx, one.Holder):
		return Void
	}
	return Active
}

// There reports whether a holder is there still.
func (g *Grants) There(ctx context.Context, h Holder) bool { return g.o.There(ctx, h) }

func (one *Grant) expiredAt(now time.Time) bool {
	return !one.ExpiresAt.IsZero() && !now.Before(one.ExpiresAt)
}

// Requests answers at most limit requests whose ids come behind the given one, by when they
// were made; "" begins the list.
func (g *Grants) Requests(ctx context.Context, f Filter, after string, limit int) (all []Request, err error) {
	query, args := f.query()
	if f.NewestFirst && after == "" {
		after = beyond
	}
	err = store.Read(ctx, g.o.Store, func(r *store.Reader) error {
		all = nil
		var rows []requestRow
		if err := r.Select(&rows, query, slices.Concat([]any{after}, args, []any{limit})...); err != nil {
			return err
		}
		for i := range rows {
			all = append(all, rows[i].request())
		}
		return nil
	})
	return all, err
}

// List answers at most limit grants whose ids come after the given one, in the order in
// which they were given. Those that have ended are among them.
func (g *Grants) List(ctx context.Context, after string, limit int) (all []Grant, err error) {
	err = store.Read(ctx, g.o.Store, func(r *store.Reader) error {
		all, err = grants(r, selectGrants, after, limit)
		return err
	})
	return all, err
}

func grants(r *store.Reader, query string, args ...any) (all []Grant, err error) {
	var rows []grantRow
	if err := r.Select(&rows, query, args...); err != nil {
		return nil, err
	}
	for i := range rows {
		all = append(all, rows[i].grant())
	}
	return all, nil
}

// Waiting answers how many requests wait for a decision.
func (g *Grants) Waiting(ctx context.Context) (n int, err error) {
	err = store.Read(ctx, g.o.Store, func(r *store.Reader) error { return r.Get(&n, countWaiting) })
	return n, err
}

// Request answers the request with an id; the refusal is [capabilities.NotFound].
func (g *Grants) Request(ctx context.Context, id string) (q Request, err error) {
	err = store.Read(ctx, g.o.Store, func(r *store.Reader) error {
		q, err = request(r, id)
		return err
	})
	return q, err
}

func request(r *store.Reader, id string) (Request, error) {
	var row requestRow
	err := r.Get(&row, selectRequest, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Request{}, NoRequest()
	}
	return row.request(), err
}

// NoRequest is the refusal of an id that no request has, or none that the caller may see.
func NoRequest() error {
	return capabilities.Refuse(capabilities.NotFound, "no request has this id: list_capability_requests has the ids")
}

// Revoke ends a grant within a write, where it has not ended, and answers it as it is
// then. The refusal is [capabilities.NotFound] for an id that no grant has. Whoever calls
// it calls [Grants.Reload] once the write has ended, however it did.
func (g *Grants) Revoke(tx *store.Tx, id string) (Grant, error) {
	if _, err := g.end(tx, id, Revoked, tx.Who().ID); err != nil {
		return Grant{}, err
	}
	var row grantRow
	err := tx.Get(&row, selectGrant, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Grant{}, capabilities.Refuse(capabilities.NotFound, "no grant has this id: list_grants has the ids")
	}
	return row.grant(), err
}

// end ends a grant that has not ended, and reports whether it did.
func (g *Grants) end(tx *store.Tx, id string, cause Cause, by string) (bool, error) {
	now := tx.Now().UnixMilli()
	n, err := tx.Exec(endGrant, now, string(cause), store.TextIn(by), id, now)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.Change(store.Change{Kind: kindGrant, ID: id, Body: event{string(cause)}})
}
