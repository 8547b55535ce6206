package store

import "context"

// Beside runs fn in the write transaction of the store for what is kept of a call beside
// it, such as that a person has to approve it. It is no operation: neither the log nor the
// ledger has it, and no answer is kept of it. Where nobody knows whether it happened, the
// error is [capabilities.Unavailable], too. owner is whose tables are written; ctx is of no
// call.
//
// fn reads and writes through the Tx alone and may run twice: what it assigns outside is
// there when Beside answers no error.
func Beside(ctx context.Context, db *DB, owner string, fn func(*Tx) error) error {
	j := &job{
		op:     Op{Principal: "-", Key: NewID(opPrefix, db.now()), Capability: "-"},
		rights: Changing, pack: owner, unledgered: true, done: make(chan struct{}),
	}
	j.run = func(tx *Tx, _ []byte) error { return fn(tx) }
	return db.submit(ctx, j)
}
