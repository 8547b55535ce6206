// Package ledger makes a write with an operation key happen once, however often it is
// sent: a repeat is answered what the first was answered, and does nothing.
//
// A write of the store keeps its own answer in its own transaction; the ledger looks
// there before the call runs. Whatever happens elsewhere, at a bridged server or in
// the configuration, is noted before it begins and when it has ended. Between the two
// nobody can say what became of it, and the ledger does not guess.
package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// MetaReplayed marks, in the _meta of a tool result, the answer of an earlier call.
const MetaReplayed = "holotype/replayed"

// finishTime bounds how long the end of a call is being noted after it.
const finishTime = 10 * time.Second

// Interceptor answers the ledger's place in the chain of every call. db answers the
// store; it is asked at every call with a key, so that it may be opened later.
func Interceptor(db *store.DB, log *slog.Logger) capabilities.Interceptor {
	l := &ledger{db: db, log: log}
	return capabilities.Interceptor{Name: "ledger", Stage: capabilities.StageLedger, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			if inv.Operation.ID == "" || !inv.Capability.Writes() {
				return next(ctx, inv)
			}
			return l.serve(ctx, inv, next)
		}
	}}
}

type ledger struct {
	db      *store.DB
	log     *slog.Logger
	running sync.Map // the flights of this process
}

func (l *ledger) serve(ctx context.Context, inv *capabilities.Invocation, next capabilities.Handler) (*capabilities.Result, error) {
	if !capabilities.ValidKey(inv.Operation.ID) {
		return nil, capabilities.Refuse(capabilities.OpIDInvalid, "an operation key is 1 to %d visible ASCII characters: use a fresh one", capabilities.MaxKey)
	}
	call := capabilities.CallFrom(ctx)
	op := store.Op{Principal: inv.Principal.Key(), Key: inv.Operation.ID, Given: true, Capability: call.Name(), Digest: call.Digest()}
	if inv.Capability.Receipts() || inv.Operation.DryRun {
		return l.stored(ctx, op, inv, next)
	}
	return l.outside(ctx, op, inv, next)
}

// stored serves a write of the store, which looks again under its write lock, and every
// dry run, which begins nothing.
func (l *ledger) stored(ctx context.Context, op store.Op, inv *capabilities.Invocation, next capabilities.Handler) (*capabilities.Result, error) {
	answer, found, err := l.db.Recall(ctx, op)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return next(ctx, inv)
	case !inv.Capability.Receipts():
		return decode(answer)
	}
	replayed, err := marked(answer, inv.Operation.DryRun)
	return &capabilities.Result{Structured: replayed}, err
}

// marked answers a stored receipt that says it is of an earlier call.
func marked(receipt []byte, dry bool) (json.RawMessage, error) {
	if len(receipt) < 2 || receipt[0] != '{' {
		return nil, fmt.Errorf("the ledger holds an answer that is no receipt")
	}
	if dry {
		return append([]byte(`{"replayed":true,"dry_run":true,`), receipt[1:]...), nil
	}
	return append([]byte(`{"replayed":true,`), receipt[1:]...), nil
}

// outside serves a write that happens anywhere but in the store.
func (l *ledger) outside(ctx context.Context, op store.Op, inv *capabilities.Invocation, next capabilities.Handler) (*capabilities.Result, error) {
	running := flight{op.Principal, op.Key}
	if _, busy := l.running.LoadOrStore(running, true); busy {
		return nil, capabilities.Refuse(capabilities.Unavailable, "a call with this operation key is running: wait for its answer, then send the same call again if you need it once more")
	}
	defer l.running.Delete(running)
	begun, err := l.db.Begin(ctx, op, inv.Capability.Hints().Idempotent == capabilities.Yes)
	if err != nil {
		return nil, err
	}
	if begun.Found {
		return decode(begun.Answer)
	}
	ended := false
	defer func() {
		if !ended { // a panic: nobody knows what happened
			l.log.WarnContext(ctx, "operation_left_open", "capability", op.Capability)
		}
	}()
	res, err := next(ctx, inv)
	ended = true
	l.note(ctx, op, begun, res, err)
	return res, err
}

// flight is an operation that runs in this process.
type flight struct{ principal, key string }

// note keeps how a call ended, even when its caller is gone.
func (l *ledger) note(ctx context.Context, op store.Op, begun store.Begun, res *capabilities.Result, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	var noted error
	switch verdict(err) {
	case over:
		var answer []byte
		if answer, noted = encode(res, err); noted == nil {
			noted = l.db.Finish(ctx, op, answer)
		}
	case nothing:
		if !begun.Again { // what an earlier call did stays open
			noted = l.db.Forget(ctx, op)
		}
	case open:
	}
	if noted != nil {
		l.log.WarnContext(ctx, "operation_left_open", "capability", op.Capability, "error", noted.Error())
	}
}

// ending is what became of a call outside the store.
type ending uint8

const (
	over    ending = iota // it was done, or its server said in its own words that it was not
	nothing               // it did not begin
	open                  // nobody knows
)

func verdict(err error) ending {
	if err == nil {
		return over
	}
	e, ok := capabilities.AsError(err)
	switch {
	case !ok, e.MaybeApplied, e.Code == capabilities.UnknownOutcome, e.Code == capabilities.InternalError:
		return open
	case e.Code == capabilities.UpstreamError:
		return over
	}
	return nothing
}
