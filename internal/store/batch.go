package store

import (
	"context"
	"sync/atomic"
	"time"
)

// job is one write on its way through the batcher.
type job struct {
	op     Op
	author Author
	pack   string // of the capability that is called
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

const (
	// batchTime bounds one transaction, whatever the engine waits for.
	batchTime = 30 * time.Second
	// batchSpan is after how long a transaction takes no further write: those that wait
	// have the next one.
	batchSpan = 100 * time.Millisecond
)

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
		s = db.serve(s, jobs, db.waiting)
	}
}

// waiting answers a write that waits now, whose caller did not give up; nil is none.
func (db *DB) waiting() *job {
	for {
		select {
		case j := <-db.queue:
			if j.claimed.CompareAndSwap(false, true) {
				return j
			}
		default:
			return nil
		}
	}
}

// nobody joins a transaction of one write that is run again for itself.
func nobody() *job { return nil }

// gather answers the writes that wait now, j the first of them, without those whose
// callers gave up.
func (db *DB) gather(j *job) []*job {
	var jobs []*job
	if j.claimed.CompareAndSwap(false, true) {
		jobs = append(jobs, j)
	}
	for len(jobs) < db.o.Batch {
		if j = db.waiting(); j == nil {
			break
		}
		jobs = append(jobs, j)
	}
	return jobs
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
// answers the session to go on with. more answers writes that may join it meanwhile.
func (db *DB) serve(s *session, jobs []*job, more func() *job) *session {
	for len(jobs) > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(db.ctx), batchTime)
		var alone []*job
		s, alone, jobs = db.round(ctx, s, jobs, more)
		cancel()
		for _, j := range alone {
			s = db.serve(s, []*job{j}, nobody)
		}
	}
	return s
}

// round runs one transaction. It answers the session to go on with, the jobs that have
// to be run again each for itself, and those that it did not get to.
func (db *DB) round(ctx context.Context, s *session, jobs []*job, more func() *job) (next *session, alone, later []*job) {
	if err := db.damage(); err != nil {
		db.fail(jobs, err)
		return s, nil, nil
	}
	s, err := db.begun(ctx, s)
	if err != nil {
		db.fail(jobs, err)
		return s, nil, nil
	}
	c := commit{db: db, ctx: ctx, session: s}
	c.run(jobs, more)
	if c.broken == nil {
		return s, c.alone, c.later
	}
	// What became of a transaction is known when its session is gone.
	s.discard()
	if c.sent {
		return db.settle(c.taken, c.broken), nil, c.later
	}
	return nil, c.alone, c.later
}

// begun answers a session with a transaction begun on it. A connection that was lost
// while nobody used it is replaced.
func (db *DB) begun(ctx context.Context, s *session) (*session, error) {
	if err := db.present(); err != nil {
		return s, err
	}
	for {
		reused := s != nil
		if s == nil {
			pool, _, err := db.pools()
			if err != nil {
				return nil, err
			}
			if s, err = newSession(ctx, pool, db.o.Engine); err != nil {
				return nil, err
			}
		}
		err := s.keep(ctx, db.o.Engine.Begin())
		switch f := db.classify(err); {
		case err == nil, f == Busy:
			return s, err
		case f != Lost || !reused:
			s.discard()
			return nil, err
		}
		s.discard()
		s = nil
	}
}
