package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// The rows of store_meta.
const (
	metaIncarnation = "incarnation"
	metaFloor       = "ledger_floor_ms" // operations minted before are not known to the ledger
	metaProbed      = "probed_ms"
)

const (
	selectMeta = `SELECT v FROM store_meta WHERE k = ?`
	updateMeta = `UPDATE store_meta SET v = ? WHERE k = ?`
	insertMeta = `INSERT INTO store_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO NOTHING`
)

// floor answers since when the ledger knows every operation that happened. It is read
// where the ledger is, because another server may move it.
func (s *session) floor(ctx context.Context) (time.Time, error) {
	var text string
	if err := s.get(ctx, Keeping, &text, selectMeta, metaFloor); err != nil {
		return time.Time{}, err
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the floor of the ledger is %q, which is no time", text)
	}
	return time.UnixMilli(ms), nil
}

// raise moves the floor of the ledger up. It is never moved down, whatever the clock
// does: what was forgotten is not known again.
func (s *session) raise(ctx context.Context, to time.Time) error {
	floor, err := s.floor(ctx)
	if err != nil || !to.After(floor) {
		return err
	}
	return s.keep(ctx, updateMeta, strconv.FormatInt(to.UnixMilli(), 10), metaFloor)
}

const (
	sweepFirst = time.Minute
	sweepEvery = time.Hour
	sweepNext  = time.Second // while there is more
	sweepMost  = 500
)

// sweep forgets operations that are older than what the ledger keeps, a few at a time.
func (db *DB) sweep() {
	timer := time.NewTimer(sweepFirst)
	defer timer.Stop()
	for {
		select {
		case <-db.ctx.Done():
			return
		case <-timer.C:
		}
		more, err := db.sweepSome()
		wait := sweepEvery
		switch {
		case err != nil && db.ctx.Err() == nil:
			db.o.Log.Warn("ledger_sweep_failed", "error", err.Error())
		case more:
			wait = sweepNext
		}
		timer.Reset(wait)
	}
}

// sweepSome forgets some old operations and reports whether there are more.
func (db *DB) sweepSome() (more bool, err error) {
	most := false
	err = db.keep(db.ctx, func(tx *Tx) error {
		floor := tx.now.Add(-db.o.Keep)
		// The floor moves first and in the same transaction: what is not there any more is
		// never taken for what did not happen.
		if err := tx.session.raise(tx.ctx, floor); err != nil {
			return tx.noted(err, updateMeta)
		}
		const query = `DELETE FROM operations WHERE (principal, op_key) IN (SELECT principal, op_key FROM operations WHERE created_ms < ? ORDER BY created_ms LIMIT ?)`
		n, err := tx.session.exec(tx.ctx, Keeping, query, floor.UnixMilli(), sweepMost)
		most = n == sweepMost
		return tx.noted(err, query)
	})
	return err == nil && most, err
}

// keep runs a write of the store itself. It has no answer, so the ledger does not keep
// it, and it needs no repeating. What fn assigns outside is there when keep answers no
// error.
func (db *DB) keep(ctx context.Context, fn func(*Tx) error) error {
	j := &job{op: Op{Principal: "-", Key: NewID(opPrefix, db.now()), Capability: "-"}, rights: Keeping, unledgered: true, done: make(chan struct{})}
	j.run = func(tx *Tx, _ []byte) error { return fn(tx) }
	return db.submit(ctx, j)
}
