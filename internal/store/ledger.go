package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Op is the identity of one write.
type Op struct {
	// Principal is the key of whoever calls, [capabilities.Principal.Key]. It scopes the
	// operation's: another's is another operation.
	Principal string
	// Key is the caller's own, or one of [NewID].
	Key string
	// Given is set where the caller sent the key, so that the ledger may have it.
	Given      bool
	Capability string
	// Digest binds the key to the call.
	Digest [sha256.Size]byte
}

func (o Op) digest() string { return hex.EncodeToString(o.Digest[:]) }

// opPrefix begins the keys that the store makes for calls without one.
const opPrefix = "op"

// The states of an operation in the ledger.
const (
	stateStarted = "started" // something outside the store was begun, and its end is not known
	stateApplied = "applied"
)

// Recorded is an operation in the ledger.
type Recorded struct {
	Capability string `db:"capability"`
	Digest     string `db:"digest"`
	State      string `db:"state"`
	Result     string `db:"result"`
	Created    int64  `db:"created_ms"`
}

const insertOperation = `INSERT INTO operations (principal, op_key, capability, digest, state, stream, seq, result, minted_ms, created_ms)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (s *session) record(ctx context.Context, op Op, state string, seq int64, result string, now time.Time) error {
	minted := now
	if at, ok := mintedAt(opPrefix, op.Key); ok {
		minted = at
	}
	return s.keep(ctx, insertOperation, op.Principal, op.Key, op.Capability, op.digest(), state, stream, seq, result, minted.UnixMilli(), now.UnixMilli())
}

const selectOperation = `SELECT capability, digest, state, result, created_ms FROM operations WHERE principal = ? AND op_key = ?`

func (s *session) recorded(ctx context.Context, principal, key string) (rec Recorded, err error) {
	return rec, s.get(ctx, Keeping, &rec, selectOperation, principal, key)
}

// answers reports whether the record answers the operation: the refusal says why not.
func (r Recorded) answers(op Op) error {
	switch {
	case r.Digest != op.digest() || r.Capability != op.Capability:
		return capabilities.Refuse(capabilities.OpIDInvalid, "the operation key %q was used for another call, of %s: send the same call again with it, or this one with a fresh key", op.Key, r.Capability)
	case r.State == stateStarted:
		return capabilities.Refuse(capabilities.UnknownOutcome,
			"an earlier call of %s with this key began, and nobody knows how it ended; it is not sent again: look for what it would have done, then send the call with a fresh key if it is not there", op.Capability)
	}
	return nil
}

// vouches answers nil where an operation that is not in the ledger did not happen. A
// key that was made here before the ledger begins may have happened all the same.
func (r *Reader) vouches(op Op) error {
	at, ours := mintedAt(opPrefix, op.Key)
	if !ours {
		return nil
	}
	floor, err := r.session.floor(r.ctx)
	if err != nil {
		return r.noted(err, selectMeta)
	}
	if !at.Before(floor) {
		return nil
	}
	return capabilities.Refuse(capabilities.UnknownOutcome,
		"the operation %s is older than what the ledger keeps, so nobody can say whether it happened: look for what it would have written, then send the call with a fresh key if it is not there", op.Key)
}

// unknown answers the refusal of an operation nobody knows the outcome of.
func unknown(op Op, cause error) error {
	return capabilities.Refuse(capabilities.UnknownOutcome,
		"%s may or may not have taken effect: send the same call again with op_id %q, which does it once, or look", op.Capability, op.Key).Because(cause)
}

// Recall answers what the ledger keeps of an operation with a given key: the stored
// answer and true, or false where it did not happen. The refusals are those of the
// ledger: a key of another call, an outcome nobody knows, an operation older than the
// ledger.
func (db *DB) Recall(ctx context.Context, op Op) (answer []byte, found bool, err error) {
	var rec Recorded
	err = Read(ctx, db, func(r *Reader) error {
		var err error
		rec, err = r.session.recorded(r.ctx, op.Principal, op.Key)
		if errors.Is(err, sql.ErrNoRows) {
			return r.vouches(op)
		}
		found = err == nil
		return r.noted(err, selectOperation)
	})
	if err != nil || !found {
		return nil, false, err
	}
	if err := rec.answers(op); err != nil {
		return nil, false, err
	}
	return []byte(rec.Result), true, nil
}
