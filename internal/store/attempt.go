package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/seed-89b9419b/holotype/capabilities"
)

var (
	errPanicked = errors.New("the write panicked")
	errTooLong  = errors.New("the write ran too long")
)

// job runs one job in a savepoint. j.err is its refusal; the answered error breaks the
// whole transaction.
func (c *commit) job(j *job) error {
	s := c.session
	j.err, j.panicked = nil, nil
	if err := s.keep(c.ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	// The time of the caller is not looked at: a write that was begun is ended.
	ctx, cancel := context.WithTimeout(c.ctx, c.db.o.WriteTime)
	defer cancel()
	tx := &Tx{op: j.op, author: j.author, pack: j.pack, Reader: Reader{ctx: ctx, session: s, rights: j.rights, now: c.db.now(), db: c.db}}
	head, err := c.attempt(j, tx)
	tx.over.Store(true)
	if err == nil {
		err = tx.failed // a handler does not pass over what the engine refused
	}
	if err != nil && ctx.Err() != nil && c.ctx.Err() == nil {
		refusal := capabilities.Refuse(capabilities.Timeout, "%s took longer than %s in the store: it was undone, and nothing was written", j.op.Capability, c.db.o.WriteTime)
		err = refusal.Because(errors.Join(errTooLong, err))
		if s.engine.InTransaction(s.conn) {
			tx.failed = nil
		} else {
			return err
		}
	}
	if tx.failed != nil && (!s.engine.InTransaction(s.conn) || c.db.classify(tx.failed).Passing()) {
		return tx.failed
	}
	if err != nil || j.dry || head == noHead {
		j.err = err
		if err := s.keep(c.ctx, "ROLLBACK TO job"); err != nil {
			return err
		}
		return s.keep(c.ctx, "RELEASE job")
	}
	if err := s.keep(c.ctx, "RELEASE job"); err != nil {
		return err
	}
	c.head = head
	c.docs = append(c.docs, tx.docs...)
	c.wrote++
	return nil
}

// noHead is the head after a job that found its answer in the ledger.
const noHead = -1

// attempt does the work of one job and answers the head of the log after it.
func (c *commit) attempt(j *job, tx *Tx) (head int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			err = errPanicked
		}
	}()
	stored, err := tx.earlier(j)
	if err != nil {
		return c.head, err
	}
	if stored != nil {
		c.vouched = c.vouched || c.db.o.Engine.Early()
		return noHead, j.run(tx, stored)
	}
	if err := j.run(tx, nil); err != nil {
		return c.head, err
	}
	if j.unledgered {
		return c.head, nil
	}
	if len(tx.changes) == 0 && tx.affected > 0 {
		return c.head, fmt.Errorf("%s wrote %d rows and logged no change", j.op.Capability, tx.affected)
	}
	head, err = tx.logged(stream, c.head)
	if err != nil {
		return c.head, err
	}
	kept, err := j.answer(c.db.position(head), len(tx.changes) > 0)
	if err != nil || j.dry {
		return head, err
	}
	return head, tx.noted(tx.session.record(tx.ctx, j.op, stateApplied, head, string(kept), tx.now), insertOperation)
}

// earlier answers what the ledger keeps of the job's operation, or nil.
func (t *Tx) earlier(j *job) ([]byte, error) {
	if !j.op.Given || j.dry {
		return nil, nil
	}
	rec, err := t.session.recorded(t.ctx, j.op.Principal, j.op.Key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, t.vouches(j.op)
	case err != nil:
		return nil, t.noted(err, selectOperation)
	}
	if err := rec.answers(j.op); err != nil {
		return nil, err
	}
	return []byte(rec.Result), nil
}
