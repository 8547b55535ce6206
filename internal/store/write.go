package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Write runs fn in the one write transaction of the store and answers its value with
// the receipt filled in: the outcome, the position, the operation. fn reads and writes
// through the Tx alone, touches nothing outside but what it answers, and may run
// twice. When it answers an error nothing happened, and a refusal reaches the caller
// as it is.
//
// What it may do follows from the capability that is called: see [Rights]. A call
// writes once. A repeated operation answers what the first answered and does not run
// fn; a dry run does, and undoes it.
//
// Refusals of its own: [capabilities.OpIDInvalid], [capabilities.Unavailable] when
// nothing happened, and [capabilities.UnknownOutcome] when nobody knows.
func Write[T any, P capabilities.ReceiptOf[T]](ctx context.Context, db *DB, fn func(*Tx) (T, error)) (T, error) {
	var out, none T
	j, err := db.job(ctx)
	if err != nil {
		return none, err
	}
	j.run = func(tx *Tx, stored []byte) (err error) {
		if stored == nil {
			out, err = fn(tx)
			return err
		}
		out = none
		if err := json.Unmarshal(stored, &out); err != nil {
			return fmt.Errorf("reading the stored answer of %s: %w", j.op.Key, err)
		}
		P(&out).ReceiptRef().Replayed = true
		return nil
	}
	j.answer = func(p Position, changed bool) ([]byte, error) {
		r := P(&out).ReceiptRef()
		*r = capabilities.Receipt{Outcome: capabilities.Unchanged, DryRun: j.dry}
		if changed {
			r.Outcome = capabilities.Applied
		}
		if !j.dry {
			r.Position, r.OpID = p.String(), j.op.Key
		}
		kept := capabilities.WithoutOnce(out)
		if j.dry {
			out = kept
		}
		return capabilities.Encode(kept)
	}
	if err := db.submit(ctx, j); err != nil {
		return none, err
	}
	return out, nil
}

// job answers the job of the call that ctx belongs to.
func (db *DB) job(ctx context.Context) (*job, error) {
	call := capabilities.CallFrom(ctx)
	j := &job{rights: Changing, dry: call.Operation.DryRun, author: authorOf(call.Principal), pack: "-", done: make(chan struct{})}
	j.op = Op{Principal: "-", Key: call.Operation.ID, Given: call.Operation.ID != "", Capability: "-"}
	if call.Principal != nil {
		j.op.Principal = call.Principal.Key()
	}
	if !j.op.Given {
		j.op.Key = NewID(opPrefix, db.now())
	}
	c := call.Capability
	if c == nil {
		return j, nil
	}
	if !call.MarkWrite() {
		return nil, fmt.Errorf("%s writes a second time in one call: do all of it in one write", c.Name())
	}
	j.op.Capability, j.pack = call.Name(), c.Pack()
	j.op.Digest = call.Digest()
	effect, _ := c.Effect()
	switch effect.Change() {
	case capabilities.ChangeAppend:
		j.rights = Appending
	case capabilities.ChangeAmend, capabilities.ChangeSet, capabilities.ChangeDestroy:
	case capabilities.ChangeRead, capabilities.ChangeUndeclared:
		return nil, fmt.Errorf("%s declares that it reads, and it writes", c.Name())
	}
	return j, nil
}

// authorOf answers whom a principal's writes are attributed to, and the credential that
// was used beside it. The owner acts for itself, with no credential to name.
func authorOf(p *capabilities.Principal) Author {
	switch {
	case p == nil:
		return Author{ID: "system", Kind: "operator"}
	case p.Seat != "":
		return Author{ID: p.Seat, Kind: "human", Operator: cmp.Or(p.Credential, p.ID), For: p.ActingFor}
	case p.Kind == capabilities.Operator:
		return Author{ID: "token:" + p.ID, Kind: "operator", Operator: cmp.Or(p.Credential, p.ID)}
	}
	return Author{ID: p.ID, Kind: "human", Operator: p.Credential}
}

var errNotBegun = capabilities.Refuse(capabilities.Unavailable, "the server is stopping: nothing was written, send the call again")

// submit sends a job through the batcher and waits for its end.
func (db *DB) submit(ctx context.Context, j *job) error {
	select {
	case db.queue <- j:
	case <-ctx.Done():
		return waited(ctx)
	case <-db.ctx.Done():
		return errNotBegun
	}
	select {
	case <-j.done:
		return j.result()
	case <-db.ctx.Done():
		if j.claimed.CompareAndSwap(false, true) {
			return errNotBegun
		}
	case <-ctx.Done():
		if j.claimed.CompareAndSwap(false, true) {
			return waited(ctx)
		}
	}
	grace := time.NewTimer(db.o.Grace)
	defer grace.Stop()
	select {
	case <-j.done:
		return j.result()
	case <-grace.C:
		return unknown(j.op, ctx.Err())
	}
}

func (j *job) result() error {
	if j.panicked != nil {
		panic(j.panicked) //nolint:forbidigo // it goes on in the goroutine of the call, where the door catches it
	}
	return j.err
}

// waited answers the refusal of a write whose caller's time was over before it began.
func waited(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return capabilities.Refuse(capabilities.Unavailable, "the store is busy with other writes: nothing was written, send the call again").Because(ctx.Err())
	}
	return capabilities.Refuse(capabilities.Unavailable, "the call was cancelled before it began: nothing was written").Because(ctx.Err())
}
