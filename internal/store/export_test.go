package store

import "context"

// UnguardedForTest leaves the limits of statements to the engine alone.
func (db *DB) UnguardedForTest() { db.guard.off = true }

// SweepForTest forgets some old operations, as the sweeper does.
func (db *DB) SweepForTest() (more bool, err error) { return db.sweepSome() }

// KeepForTest runs statements of the store itself.
func (db *DB) KeepForTest(ctx context.Context, query string, args ...any) error {
	return db.keep(ctx, func(tx *Tx) error { return tx.noted(tx.session.keep(tx.ctx, query, args...), query) })
}

// QueueForTest answers how many writes wait to be taken.
func (db *DB) QueueForTest() int { return len(db.queue) }
