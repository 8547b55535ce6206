package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// job is one write on its way through the batcher.
type job struct {
	op     Op
	author Author
	rights Rights
	dry    bool
	// unledgered marks a write of the store itself, which has no answer to keep.
	unledgered bool
	// run does the work of one write and answers what the ledger keeps of it. It may
	// run twice. stored is what the ledger has of the operation already, or nil: run
	// takes the answer from there and writes nothing.
	run func(tx *Tx, stored []byte) error
	// answer is called after run, with the position of the write, and answers what the
	// ledger keeps.
	answer func(p Position, changed bool) ([]byte, error)

	claimed  atomic.Bool // by the writer, which then finishes it, or by the caller, which gave up
	done     chan struct{}
	err      error
	panicked any
}

func (j *job) finish(err error) {
	j.err = err
	close(j.done)
}

// batchTime is the longest that the statements of one commit may take: a write that
// runs away holds up every other.
const batchTime = 30 * time.Second

// write is the writer: it takes what waits, runs it and commits it, until the store is
// closed.
func (db *DB) write() {
	var s *session
	defer func() {
		if s != nil {
			_ = s.close() // nothing is under way on it
		}
	}()
	for {
		var jobs []*job
		select {
		case <-db.ctx.Done():
			db.refuseWaiting()
			return
		case j := <-db.queue:
			jobs = db.gather(j)
		}
		s = db.serve(s, jobs)
	}
}

// gather answers the writes that wait now, j the first of them, without those whose
// callers gave up.
func (db *DB) gather(j *job) []*job {
	jobs := make([]*job, 0, 8)
	for {
		if j.claimed.CompareAndSwap(false, true) {
			jobs = append(jobs, j)
		}
		if len(jobs) == db.o.Batch {
			return jobs
		}
		select {
		case j = <-db.queue:
		default:
			return jobs
		}
	}
}

// refuseWaiting ends what waits when the store is closed.
func (db *DB) refuseWaiting() {
	for {
		select {
		case j := <-db.queue:
			if j.claimed.CompareAndSwap(false, true) {
				j.finish(errNotBegun)
			}
		default:
			return
		}
	}
}

// serve runs a batch to its end on the session, which it opens when there is none, and
// answers the session to go on with.
func (db *DB) serve(s *session, jobs []*job) *session {
	if len(jobs) == 0 {
		return s
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(db.ctx), batchTime)
	defer cancel()
	if s == nil {
		pool, err := db.writer(ctx)
		if err == nil {
			s, err = newSession(ctx, pool, db.o.Engine)
		}
		if err != nil {
			db.fail(jobs, err)
			return nil
		}
	}
	alone, err := db.commit(ctx, s, jobs)
	if err != nil {
		// What became of the transaction is known when its session is gone.
		s.discard()
		return db.settle(jobs, err)
	}
	for _, j := range alone {
		s = db.serveAlone(s, j)
	}
	return s
}

// serveAlone runs one write in a transaction of its own, after one of its batch broke
// the transaction of all.
func (db *DB) serveAlone(s *session, j *job) *session {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(db.ctx), batchTime)
	defer cancel()
	if s == nil {
		return db.serve(nil, []*job{j})
	}
	alone, err := db.commit(ctx, s, []*job{j})
	switch {
	case err != nil:
		s.discard()
		return db.settle([]*job{j}, err)
	case len(alone) > 0:
		// It broke its own transaction, and j.err says how.
		j.finish(db.refused(ctx, j.err))
	}
	return s
}

// commit runs the jobs in one transaction. Those it answers as alone have to be run
// again, each for itself; the others are finished. After an error the state of the
// transaction is not known.
func (db *DB) commit(ctx context.Context, s *session, jobs []*job) (alone []*job, err error) {
	if err := s.keep(ctx, db.o.Engine.Begin()); err != nil {
		db.fail(jobs, err)
		return nil, nil
	}
	var head int64
	const take = `UPDATE log_head SET seq = seq + 0 WHERE stream = ? RETURNING seq`
	if err := s.get(ctx, Keeping, &head, take, stream); err != nil {
		return db.undone(ctx, s, jobs, err)
	}
	b := &batch{db: db, ctx: ctx, session: s, head: head}
	for _, j := range jobs {
		if err := b.run(j); err != nil {
			j.err = err
			return jobs, s.rollback(ctx) // all are run again, each for itself
		}
	}
	if b.wrote == 0 {
		if err := s.keep(ctx, "ROLLBACK"); err != nil {
			return nil, err
		}
	} else {
		if err := s.keep(ctx, `UPDATE log_head SET seq = ? WHERE stream = ?`, b.head, stream); err != nil {
			return db.undone(ctx, s, jobs, err)
		}
		if err := s.keep(ctx, "COMMIT"); err != nil {
			return nil, err
		}
		db.well()
		db.advanced(b.head)
	}
	for _, j := range jobs {
		j.finish(j.err)
	}
	return nil, nil
}

// undone ends a transaction that failed before its commit: nothing of it happened.
func (db *DB) undone(ctx context.Context, s *session, jobs []*job, cause error) ([]*job, error) {
	db.fail(jobs, cause)
	return nil, s.rollback(ctx)
}

// rollback ends a transaction, if there still is one.
func (s *session) rollback(ctx context.Context) error {
	if !s.engine.InTransaction(s.conn) {
		return nil
	}
	return s.keep(context.WithoutCancel(ctx), "ROLLBACK")
}

// fail finishes the jobs with an error of the engine that came before anything
// happened.
func (db *DB) fail(jobs []*job, cause error) {
	err := db.refused(db.ctx, cause)
	for _, j := range jobs {
		j.finish(err)
	}
}

// settle finishes jobs whose commit may or may not have happened: the ledger says
// which. It answers a session to go on with, or nil.
func (db *DB) settle(jobs []*job, cause error) *session {
	db.troubled(cause)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(db.ctx), settleTime)
	defer cancel()
	var s *session
	pool, err := db.writer(ctx)
	if err == nil {
		s, err = newSession(ctx, pool, db.o.Engine)
	}
	for _, j := range jobs {
		switch {
		case j.err != nil || j.dry || j.panicked != nil: // refused, whatever became of the others
			j.finish(j.err)
			continue
		case err != nil:
			j.finish(unknown(j.op, cause))
			continue
		}
		found, lookErr := db.landed(ctx, s, j)
		switch {
		case lookErr != nil:
			err = lookErr
			j.finish(unknown(j.op, errors.Join(cause, lookErr)))
		case found:
			j.finish(nil)
		default:
			j.finish(db.refused(ctx, cause))
		}
	}
	if err != nil && s != nil {
		s.discard()
		s = nil
	}
	return s
}

// settleTime bounds how long the writer looks for what became of a commit.
const settleTime = 10 * time.Second

// landed reports whether the operation of a job is in the ledger. It holds the head of
// the log while it looks: until then a transaction that is dying may yet commit.
func (db *DB) landed(ctx context.Context, s *session, j *job) (found bool, err error) {
	if err := s.keep(ctx, db.o.Engine.Begin()); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.rollback(ctx)) }()
	var head int64
	if err := s.get(ctx, Keeping, &head, `UPDATE log_head SET seq = seq + 0 WHERE stream = ? RETURNING seq`, stream); err != nil {
		return false, err
	}
	rec, err := s.recorded(ctx, Keeping, j.op.Principal, j.op.Key)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil && rec.Digest == j.op.digest(), err
}

// batch is a transaction that runs several jobs.
type batch struct {
	db      *DB
	ctx     context.Context //nolint:containedctx // the batch's own
	session *session
	head    int64
	wrote   int
}

// run runs one job in a savepoint. j.err is its refusal; the answered error breaks the
// whole batch.
func (b *batch) run(j *job) error {
	s := b.session
	j.err = nil
	if err := s.keep(b.ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	tx := &Tx{op: j.op, author: j.author, Reader: Reader{ctx: b.ctx, session: s, rights: j.rights, now: b.db.now(), guard: &b.db.guard}}
	head, err := b.attempt(j, tx)
	if err == nil {
		err = tx.failed // a handler does not pass over what the engine refused
	}
	if tx.failed != nil && (!s.engine.InTransaction(s.conn) || s.engine.Classify(tx.failed).passing()) {
		return tx.failed
	}
	if err != nil || j.dry || head == noHead {
		j.err = err
		if err := s.keep(b.ctx, "ROLLBACK TO job"); err != nil {
			return err
		}
		return s.keep(b.ctx, "RELEASE job")
	}
	if err := s.keep(b.ctx, "RELEASE job"); err != nil {
		return err
	}
	b.head = head
	b.wrote++
	return nil
}

// noHead is the head after a job that found its answer in the ledger.
const noHead = -1

// attempt does the work of one job and answers the head of the log after it.
func (b *batch) attempt(j *job, tx *Tx) (head int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			err = errPanicked
		}
	}()
	stored, err := b.earlier(j)
	if err != nil {
		return b.head, err
	}
	if stored != nil {
		return noHead, j.run(tx, stored)
	}
	if err := j.run(tx, nil); err != nil {
		return b.head, err
	}
	if j.unledgered {
		return b.head, nil
	}
	if len(tx.changes) == 0 && tx.affected > 0 {
		return b.head, fmt.Errorf("%s wrote %d rows and logged no change", j.op.Capability, tx.affected)
	}
	head, err = tx.logged(stream, b.head)
	if err != nil {
		return b.head, err
	}
	kept, err := j.answer(Position{b.db.incarnation, stream, head}, len(tx.changes) > 0)
	if err != nil || j.dry {
		return head, err
	}
	return head, tx.noted(b.session.record(b.ctx, j.op, stateApplied, head, string(kept), tx.now), insertOperation)
}

// earlier answers what the ledger keeps of the job's operation, or nil.
func (b *batch) earlier(j *job) ([]byte, error) {
	if !j.op.Given || j.dry {
		return nil, nil
	}
	rec, err := b.session.recorded(b.ctx, Keeping, j.op.Principal, j.op.Key)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, b.db.vouches(j.op)
	case err != nil:
		return nil, err
	}
	if err := rec.answers(j.op); err != nil {
		return nil, err
	}
	return []byte(rec.Result), nil
}

var errPanicked = errors.New("the write panicked")

// advanced notes that the log has grown.
func (db *DB) advanced(head int64) {
	db.mu.Lock()
	db.head = head
	db.mu.Unlock()
	db.moved.wake()
}
