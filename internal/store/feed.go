package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// Logged is a change as it stands in the log.
type Logged struct {
	Position Position
	// Kind and ID name what changed, Scope what it belongs to.
	Kind, ID, Scope string
	// Version is the object's own, after the change; 0 for what has none.
	Version int64
	// Author is whom the change is attributed to.
	Author Author
	// Capability is what was called, and OpID the operation of the call.
	Capability, OpID string
	// At is when it was written, in UTC.
	At time.Time
	// Body describes the change.
	Body json.RawMessage
}

// ChangesQuery asks for changes of one object, or of one scope, or of everything.
type ChangesQuery struct {
	// Kind and ID name the object; both or none.
	Kind, ID string
	// Scope is that of the changes; "" is every one.
	Scope string
	// After is the last change that the asker knows: the answer goes on behind it. The
	// zero position is before the first.
	After Position
	// Newest answers the newest first, and then older and older ones.
	Newest bool
	// Limit is the most changes, 1 to [MostChanges].
	Limit int
}

// MostChanges is the most that one question is answered.
const MostChanges = 1000

// ErrForeignPosition says that a position is not one of this store: it is of another
// incarnation, or of a change that never was.
var ErrForeignPosition = errors.New("the position is not one of this store: begin again without one")

const selectChanges = `SELECT seq, kind, entity_id, scope, version, principal, author_kind, operator, acting_for, capability, op_key, at_ms, body
	FROM changes WHERE stream = ?`

// loggedRow is a row of the table changes.
type loggedRow struct {
	Seq        int64  `db:"seq"`
	Kind       string `db:"kind"`
	ID         string `db:"entity_id"`
	Scope      string `db:"scope"`
	Version    int64  `db:"version"`
	Principal  string `db:"principal"`
	AuthorKind string `db:"author_kind"`
	Operator   string `db:"operator"`
	ActingFor  string `db:"acting_for"`
	Capability string `db:"capability"`
	Key        string `db:"op_key"`
	At         int64  `db:"at_ms"`
	Body       string `db:"body"`
}

// Changes answers changes in their order, the oldest first unless the newest are asked
// for. The error wraps [ErrForeignPosition] for one to go on behind that is not known.
func (r *Reader) Changes(q ChangesQuery) ([]Logged, error) {
	if q.Limit < 1 || q.Limit > MostChanges || (q.Kind == "") != (q.ID == "") {
		return nil, fmt.Errorf("asking for %d changes of %q %q: ask for 1 to %d, of an object by its kind and its id", q.Limit, q.Kind, q.ID, MostChanges)
	}
	if err := r.knows(q.After); err != nil {
		return nil, err
	}
	var query strings.Builder
	query.WriteString(selectChanges)
	args := []any{stream}
	if q.ID != "" {
		query.WriteString(` AND kind = ? AND entity_id = ?`)
		args = append(args, q.Kind, q.ID)
	}
	if q.Scope != "" {
		query.WriteString(` AND scope = ?`)
		args = append(args, q.Scope)
	}
	order := ` ORDER BY seq LIMIT ?`
	switch {
	case q.Newest && q.After.Seq > 0:
		query.WriteString(` AND seq < ?`)
		args = append(args, q.After.Seq)
	case !q.Newest:
		query.WriteString(` AND seq > ?`)
		args = append(args, q.After.Seq)
	}
	if q.Newest {
		order = ` ORDER BY seq DESC LIMIT ?`
	}
	query.WriteString(order)
	var rows []loggedRow
	if err := r.own(&rows, query.String(), append(args, q.Limit)...); err != nil {
		return nil, err
	}
	all := make([]Logged, len(rows))
	for i, row := range rows {
		all[i] = Logged{
			Position: r.db.position(row.Seq), Kind: row.Kind, ID: row.ID, Scope: row.Scope, Version: row.Version,
			Author: Author{row.Principal, row.AuthorKind, row.Operator, row.ActingFor}, Capability: row.Capability, OpID: row.Key,
			At: time.UnixMilli(row.At).UTC(), Body: json.RawMessage(row.Body),
		}
	}
	return all, nil
}

// knows answers nil for a position that a change of this store has, and for none.
func (r *Reader) knows(p Position) error {
	if p == (Position{}) {
		return nil
	}
	if p.Incarnation != r.db.Incarnation() || p.Stream != stream {
		return ErrForeignPosition
	}
	var head []int64
	if err := r.own(&head, selectHead, stream); err != nil {
		return err
	}
	if len(head) != 1 || p.Seq > head[0] {
		return ErrForeignPosition
	}
	return nil
}

// Head answers the last position that is known here to be durable.
func (db *DB) Head() Position {
	db.mu.Lock()
	defer db.mu.Unlock()
	return Position{db.incarnation, stream, db.head}
}

const (
	tailPage = 256
	// pollEvery is how often the log is looked at for what other servers wrote: what this
	// one writes is known at once.
	pollEvery = 500 * time.Millisecond
)

// Tail answers every change behind a position, each once and in order, and then those
// that are yet to come, until ctx is done. After an error it ends; whoever goes on
// begins again behind the last change it got.
func (db *DB) Tail(ctx context.Context, after Position) iter.Seq2[Logged, error] {
	return func(yield func(Logged, error) bool) {
		for {
			next := db.moved.Next()
			var page []Logged
			err := Read(ctx, db, func(r *Reader) (err error) {
				page, err = r.Changes(ChangesQuery{After: after, Limit: tailPage})
				return err
			})
			if err != nil {
				if ctx.Err() == nil {
					yield(Logged{}, err)
				}
				return
			}
			for _, l := range page {
				if !yield(l, nil) {
					return
				}
				after = l.Position
			}
			if len(page) < tailPage && !db.waitNext(ctx, next) {
				if ctx.Err() == nil {
					yield(Logged{}, errClosed)
				}
				return
			}
		}
	}
}

// waitNext waits until the log has grown, or may have elsewhere. It answers false when
// ctx is done or the store is closed.
func (db *DB) waitNext(ctx context.Context, next <-chan struct{}) bool {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-db.ctx.Done():
		return false
	case <-next:
	case <-timer.C:
	}
	return ctx.Err() == nil
}

// WaitFor returns when whoever reads here sees the write at a position. The error wraps
// [ErrForeignPosition] for one of another incarnation, or is that of ctx.
func (db *DB) WaitFor(ctx context.Context, p Position) error {
	for {
		next := db.moved.Next()
		head := db.Head()
		if p.Incarnation != head.Incarnation || p.Stream != head.Stream {
			return fmt.Errorf("waiting for %s: %w", p, ErrForeignPosition)
		}
		if head.Seq >= p.Seq {
			return nil
		}
		var seq []int64
		err := Read(ctx, db, func(r *Reader) error { return r.own(&seq, selectHead, stream) })
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", p, err)
		}
		if len(seq) == 1 && seq[0] > head.Seq {
			db.advanced(seq[0])
			continue
		}
		if !db.waitNext(ctx, next) {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("waiting for %s: %w", p, err)
			}
			return errClosed
		}
	}
}
