package approval

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	filed   = `id, principal, acting_for, digest, op_key, state, capability, facts, arguments, requested_ms, expires_ms`
	columns = filed + `, decided_ms, decided_by, reason, used_ms`

	// selectOpen finds the request that a call is about. The newest counts: there is one at
	// most, but for clocks that were set back.
	selectOpen = `SELECT id, state, expires_ms, facts, decided_by, reason FROM approval_requests
		WHERE principal = ? AND digest = ? AND acting_for = ? AND op_key = ? AND state <> ? AND expires_ms > ? ORDER BY id DESC LIMIT 1`

	selectByID = `SELECT ` + columns + ` FROM approval_requests WHERE id = ?`

	countPending = `SELECT count(*) FROM approval_requests WHERE principal = ? AND state = ? AND expires_ms > ?`

	countWaiting = `SELECT count(*) FROM approval_requests WHERE state = ? AND expires_ms > ?`

	countOf = `SELECT count(*) FROM approval_requests WHERE principal = ?`

	insertRequest = `INSERT INTO approval_requests (` + filed + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	// useRequest takes an approval, once: of two calls one finds it approved.
	useRequest = `UPDATE approval_requests SET state = ?, used_ms = ? WHERE id = ? AND state = ? AND expires_ms > ?`

	lapseRequest = `UPDATE approval_requests SET expires_ms = ? WHERE id = ? AND (state = ? OR state = ?) AND expires_ms > ?`

	returnRequest = `UPDATE approval_requests SET state = ?, used_ms = NULL WHERE id = ? AND state = ?`

	decideRequest = `UPDATE approval_requests SET state = ?, decided_ms = ?, decided_by = ?, reason = ? WHERE id = ?`

	deleteOld = `DELETE FROM approval_requests WHERE id IN (SELECT id FROM approval_requests WHERE expires_ms < ? ORDER BY expires_ms LIMIT ?)`

	deleteEnded = `DELETE FROM approval_requests WHERE id IN (SELECT id FROM approval_requests WHERE principal = ? AND (state = ? OR expires_ms <= ?) ORDER BY id LIMIT ?)`
)

// open is the request that a call is about, as far as the call needs it.
type open struct {
	ID        string         `db:"id"`
	State     State          `db:"state"`
	ExpiresMS int64          `db:"expires_ms"`
	Facts     string         `db:"facts"`
	DecidedBy sql.NullString `db:"decided_by"`
	Reason    sql.NullString `db:"reason"`
}

// outdated reports whether a person who decides is, or was, told other hints than those that
// the tool has now. A denial stands whatever they are.
func (o *open) outdated(c *capabilities.Capability) bool {
	if o.State != Pending && o.State != Approved {
		return false
	}
	var told Facts
	err := json.Unmarshal([]byte(o.Facts), &told)
	return err != nil || c.Hints() != capabilities.Hints{ReadOnly: told.ReadOnly, Destructive: told.Destructive, Idempotent: told.Idempotent, OpenWorld: told.OpenWorld}
}

// lapse ends the time of a request that is neither denied nor used.
func (d *Desk) lapse(ctx context.Context, id string) error {
	return store.Beside(ctx, d.o.Store, owner, func(tx *store.Tx) error {
		now := tx.Now().UnixMilli()
		_, err := tx.Exec(lapseRequest, now, id, Pending, Approved, now)
		return err
	})
}

// look answers the request that a call is about; ok is false where there is none.
func (d *Desk) look(ctx context.Context, b binding) (o open, ok bool, err error) {
	err = store.Read(ctx, d.o.Store, func(r *store.Reader) (err error) {
		o, ok, err = lookIn(r, b)
		return err
	})
	return o, ok, err
}

func lookIn(r *store.Reader, b binding) (o open, ok bool, err error) {
	err = r.Get(&o, selectOpen, b.principal, b.digest, b.actingFor, b.opKey, Used, r.Now().UnixMilli())
	if errors.Is(err, sql.ErrNoRows) {
		return o, false, nil
	}
	return o, err == nil, err
}

// file files a request, or answers the one that was filed meanwhile.
func (d *Desk) file(ctx context.Context, b binding, inv *capabilities.Invocation, c *capabilities.Capability, name string, need capabilities.ApprovalNeed) (o open, fresh bool, err error) {
	facts, err := capabilities.Encode(factsOf(inv, c, need))
	if err != nil {
		return o, false, fmt.Errorf("writing the facts of a request: %w", err)
	}
	arguments := string(d.masked(inv.Arguments))
	err = store.Beside(ctx, d.o.Store, owner, func(tx *store.Tx) error {
		var found bool
		var err error
		fresh = false
		if o, found, err = lookIn(&tx.Reader, b); err != nil || found {
			return err
		}
		if err := d.room(tx, b.principal); err != nil {
			return err
		}
		o = open{ID: store.NewID(idPrefix, tx.Now()), State: Pending, ExpiresMS: tx.Now().Add(need.Valid).UnixMilli(), Facts: string(facts)}
		fresh = true
		_, err = tx.Exec(insertRequest, o.ID, b.principal, b.actingFor, b.digest, b.opKey, Pending, name, string(facts), arguments, tx.Now().UnixMilli(), o.ExpiresMS)
		return err
	})
	return o, fresh, err
}

// room lets go of old requests, and refuses one more of a principal of whom many wait.
func (d *Desk) room(tx *store.Tx, principal string) error {
	now := tx.Now()
	if _, err := tx.Exec(deleteOld, now.Add(-keep).UnixMilli(), sweepMost); err != nil {
		return err
	}
	var pending, all int
	if err := tx.Get(&pending, countPending, principal, Pending, now.UnixMilli()); err != nil {
		return err
	}
	if pending >= MostPending {
		return capabilities.Refuse(capabilities.RateLimited, "%d calls of yours wait for a person's decision, which is the most: wait until some are decided or expire", pending)
	}
	if err := tx.Get(&all, countOf, principal); err != nil {
		return err
	}
	if all < mostKept {
		return nil
	}
	_, err := tx.Exec(deleteEnded, principal, Used, now.UnixMilli(), sweepMost)
	return err
}

// take uses an approval; ok is false where another call, or the time, was first.
func (d *Desk) take(ctx context.Context, id string) (ok bool, err error) {
	err = store.Beside(ctx, d.o.Store, owner, func(tx *store.Tx) error {
		now := tx.Now().UnixMilli()
		n, err := tx.Exec(useRequest, Used, now, id, Approved, now)
		ok = n == 1
		return err
	})
	return ok && err == nil, err
}

// giveBack takes a use back. The one who used it is the one who says so.
func (d *Desk) giveBack(ctx context.Context, id string) error {
	return store.Beside(ctx, d.o.Store, owner, func(tx *store.Tx) error {
		_, err := tx.Exec(returnRequest, Approved, id, Used)
		return err
	})
}

// Get answers a request; the refusal is [capabilities.NotFound].
func (d *Desk) Get(ctx context.Context, id string) (q Request, err error) {
	err = store.Read(ctx, d.o.Store, func(r *store.Reader) (err error) {
		q, err = get(r, id)
		return err
	})
	return q, err
}

func get(r *store.Reader, id string) (Request, error) {
	var found row
	err := r.Get(&found, selectByID, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Request{}, capabilities.Refuse(capabilities.NotFound, "no request for an approval has this id: list_approvals has the ids")
	}
	if err != nil {
		return Request{}, err
	}
	return found.request(r.Now())
}

// Waiting answers how many requests wait for a decision.
func (d *Desk) Waiting(ctx context.Context) (n int, err error) {
	err = store.Read(ctx, d.o.Store, func(r *store.Reader) error {
		return r.Get(&n, countWaiting, Pending, r.Now().UnixMilli())
	})
	return n, err
}

// listChunk is how many rows are read at once, and listBytes after how many bytes of
// arguments a page ends.
const (
	listChunk = 32
	listBytes = 512 << 10
)

// Order is an order of a list of requests.
type Order bool

// The orders.
const (
	OldestFirst Order = false
	NewestFirst Order = true
)

// List answers at most limit requests of a state whose ids come behind the given one, by
// when they were filed, and whether there are more; "" begins the list. It answers fewer
// where their arguments are long.
func (d *Desk) List(ctx context.Context, s State, order Order, after string, limit int) (all []Request, more bool, err error) {
	if order == NewestFirst && after == "" {
		after = beyond
	}
	err = store.Read(ctx, d.o.Store, func(r *store.Reader) error {
		all, more = nil, false
		query, args := ofState(s, order, r.Now().UnixMilli())
		size := 0
		for next := after; ; {
			var rows []row
			if err := r.Select(&rows, query, append(append([]any{}, args...), next, listChunk)...); err != nil {
				return err
			}
			for i := range rows {
				if more = len(all) == limit || size > listBytes; more {
					return nil
				}
				q, err := rows[i].request(r.Now())
				if err != nil {
					return err
				}
				all, size, next = append(all, q), size+len(q.Arguments), q.ID
			}
			if len(rows) < listChunk {
				return nil
			}
		}
	})
	return all, more, err
}

// beyond is behind every id.
const beyond = "~"

// ofState answers the statement that lists the requests of a state, and its first
// arguments.
func ofState(s State, order Order, now int64) (query string, args []any) {
	tail := ` AND id > ? ORDER BY id LIMIT ?`
	if order == NewestFirst {
		tail = ` AND id < ? ORDER BY id DESC LIMIT ?`
	}
	query = `SELECT ` + columns + ` FROM approval_requests WHERE `
	switch s {
	case Pending, Approved:
		return query + `state = ? AND expires_ms > ?` + tail, []any{s, now}
	case Denied, Used:
		return query + `state = ?` + tail, []any{s}
	case Expired:
	}
	// Looked up by its time or its state, what is found would have to be sorted.
	return query + `state <> ? AND state <> ? AND expires_ms + 0 <= ?` + tail, []any{Denied, Used, now}
}

// check looks whether every request can be read.
func check(r *store.Reader) (faults []string, err error) {
	const selectAll = `SELECT ` + columns + ` FROM approval_requests WHERE id > ? ORDER BY id LIMIT ?`
	known := " " + strings.Join(Pending.SchemaEnum(), " ") + " "
	for after := ""; ; {
		var rows []row
		if err := r.Select(&rows, selectAll, after, listChunk); err != nil {
			return nil, err
		}
		for i := range rows {
			if _, err := rows[i].request(r.Now()); err != nil {
				faults = append(faults, err.Error())
			}
			if !strings.Contains(known, " "+rows[i].State+" ") {
				faults = append(faults, fmt.Sprintf("the request %s is %q, which is no state", rows[i].ID, rows[i].State))
			}
			after = rows[i].ID
		}
		if len(rows) < listChunk {
			return faults, nil
		}
	}
}
