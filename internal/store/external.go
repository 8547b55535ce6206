package store

import (
	"context"
	"database/sql"
	"errors"
)

// Begun is an operation outside the store whose beginning was noted.
type Begun struct {
	// Answer is that of an earlier call with the key, where Found says so.
	Answer []byte
	Found  bool
	// Again says that it was begun before, too, and that its end is not known.
	Again bool
}

// Begin notes that an operation with a given key begins something outside the store. An
// operation that began and whose end is not known is refused as unknown, unless again
// says that doing it twice is doing it once. Nothing of it may happen before Begin
// answers.
func (db *DB) Begin(ctx context.Context, op Op, again bool) (Begun, error) {
	var b Begun
	err := db.keep(ctx, func(tx *Tx) error {
		b = Begun{}
		rec, err := tx.session.recorded(tx.ctx, op.Principal, op.Key)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if err := tx.vouches(op); err != nil {
				return err
			}
			return tx.noted(tx.session.record(tx.ctx, op, stateStarted, 0, "", tx.now), insertOperation)
		case err != nil:
			return tx.noted(err, insertOperation)
		case rec.State == stateStarted && again && rec.Digest == op.digest():
			b.Again = true
			return nil
		}
		if err := rec.answers(op); err != nil {
			return err
		}
		b.Answer, b.Found = []byte(rec.Result), true
		return nil
	})
	if err != nil {
		return Begun{}, err // what runs still may assign it
	}
	return b, nil
}

// Finish notes the answer of an operation that was begun.
func (db *DB) Finish(ctx context.Context, op Op, answer []byte) error {
	const query = `UPDATE operations SET state = ?, result = ? WHERE principal = ? AND op_key = ?`
	return db.keep(ctx, func(tx *Tx) error {
		return tx.noted(tx.session.keep(tx.ctx, query, stateApplied, string(answer), op.Principal, op.Key), query)
	})
}

// Forget takes back an operation that was begun and of which nothing happened.
func (db *DB) Forget(ctx context.Context, op Op) error {
	const query = `DELETE FROM operations WHERE principal = ? AND op_key = ? AND state = ?`
	return db.keep(ctx, func(tx *Tx) error {
		return tx.noted(tx.session.keep(tx.ctx, query, op.Principal, op.Key, stateStarted), query)
	})
}
