package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// takeHead takes the one write lock and answers the last number given out.
const takeHead = `UPDATE log_head SET seq = seq + 0 WHERE stream = ? RETURNING seq`

// commit is a transaction that has begun and runs several jobs.
type commit struct {
	db      *DB
	ctx     context.Context //nolint:containedctx // the transaction's own
	session *session
	head    int64
	docs    []docChange // of the jobs that are taken
	wrote   int
	vouched bool // an answer of the ledger has to be durable

	only   bool   // there is one job
	taken  []*job // those whose work stands in the transaction
	alone  []*job // those that have to be run again, each for itself
	later  []*job // those it did not get to
	sent   bool   // the commit was sent
	broken error  // the session cannot be used any more
}

// run runs the jobs, and those that wait when it is through with them, and commits them:
// whoever calls again as soon as it is answered would miss the next transaction, which
// begins with the first of them. Every job is finished then, but for those that
// are alone or later, and those that are taken when a commit was sent and the session
// is broken.
func (c *commit) run(jobs []*job, more func() *job) {
	if err := c.session.get(c.ctx, Keeping, &c.head, takeHead, stream); err != nil {
		c.db.fail(jobs, err)
		c.broken = c.session.rollback(c.ctx)
		return
	}
	start := time.Now()
	for i := 0; ; i++ {
		if i > 0 && time.Since(start) > batchSpan {
			c.later = jobs[i:]
			break
		}
		if i == len(jobs) && i < c.db.o.Batch {
			if j := more(); j != nil {
				jobs = append(jobs, j)
			}
		}
		if i == len(jobs) {
			break
		}
		j := jobs[i]
		c.only = len(jobs) == 1
		if err := c.job(j); err != nil {
			c.again(jobs[:i+1], i, err)
			c.later = jobs[i+1:]
			c.broken = c.session.rollback(c.ctx)
			return
		}
		c.taken = append(c.taken, j)
	}
	if c.end() {
		for _, j := range c.taken {
			j.finish(j.err)
		}
	}
}

// again sorts the jobs after the one at i broke the transaction: nothing of any of them
// happened. One that breaks a transaction of its own, or runs too long, is not tried
// once more.
func (c *commit) again(jobs []*job, i int, cause error) {
	for k, j := range jobs {
		switch {
		case k == i && (c.only || errors.Is(cause, errTooLong)):
			j.finish(c.db.nothing(cause))
		default:
			c.alone = append(c.alone, j)
		}
	}
	c.taken = nil
}

// end ends the transaction, and reports whether its jobs can be finished.
func (c *commit) end() (over bool) {
	if c.wrote == 0 && !c.vouched {
		c.broken = c.session.rollback(c.ctx)
		return true
	}
	for _, d := range c.docs {
		if err := d.apply(c.ctx, c.session); err != nil {
			// One job may be the cause: each is run again, for itself.
			c.again(c.taken, 0, err)
			c.broken = c.session.rollback(c.ctx)
			return false
		}
	}
	if err := c.session.keep(c.ctx, `UPDATE log_head SET seq = ? WHERE stream = ?`, c.head, stream); err != nil {
		c.undone(err) // it may be that of a statement before, which an engine sent with this one
		return false
	}
	if err := c.session.keep(c.ctx, "COMMIT"); err != nil {
		// One that was refused leaves the transaction as it is: a constraint that is judged
		// at the end, no room. Then it did not happen.
		if c.session.engine.InTransaction(c.session.conn) {
			c.undone(err)
			return false
		}
		c.sent, c.broken = true, err
		return false
	}
	// What was committed to a file that is gone meanwhile is not in the database.
	if err := c.db.present(); err != nil {
		c.sent, c.broken = true, err
		return false
	}
	c.db.well()
	c.db.advanced(c.head)
	return true
}

// undone undoes what all jobs did. One of them may be the cause, unless it is one that
// passes.
func (c *commit) undone(cause error) {
	if c.db.classify(cause).Passing() {
		c.db.fail(c.taken, cause)
	} else {
		c.again(c.taken, 0, cause)
	}
	c.broken = c.session.rollback(c.ctx)
}

// rollback ends a transaction, if there still is one.
func (s *session) rollback(ctx context.Context) error {
	if !s.engine.InTransaction(s.conn) {
		return nil
	}
	return s.keep(context.WithoutCancel(ctx), "ROLLBACK")
}

// fail finishes the jobs with an error that came before anything happened.
func (db *DB) fail(jobs []*job, cause error) {
	err := db.nothing(cause)
	for _, j := range jobs {
		j.finish(err)
	}
}

// nothing answers the refusal of a write of which nothing happened.
func (db *DB) nothing(cause error) error {
	if _, refusal := capabilities.AsError(cause); refusal {
		return cause
	}
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, context.Canceled) {
		return capabilities.Refuse(capabilities.Unavailable, "the store did not answer in time: nothing was written, send the call again").Because(cause)
	}
	return db.refused(db.ctx, cause)
}

// settleTime bounds how long the writer looks for what became of a commit.
const settleTime = 10 * time.Second

// settle finishes jobs whose commit may or may not have happened: the ledger says
// which. It answers a session to go on with, or nil.
func (db *DB) settle(jobs []*job, cause error) *session {
	db.troubled(cause)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(db.ctx), settleTime)
	defer cancel()
	s, err := db.begun(ctx, nil)
	if err == nil {
		// It holds the head of the log while it looks: until then a transaction that is
		// dying may yet commit.
		var head int64
		err = s.get(ctx, Keeping, &head, takeHead, stream)
	}
	var landed, open []*job
	for _, j := range jobs {
		if j.err != nil || j.dry || j.panicked != nil { // refused, whatever became of the others
			j.finish(j.err)
			continue
		}
		found := false
		if err == nil {
			found, err = s.landed(ctx, j)
		}
		switch {
		case err != nil:
			open = append(open, j)
		case found:
			landed = append(landed, j)
		default:
			j.finish(db.nothing(cause))
		}
	}
	if s != nil {
		// What is there is durable when a commit after it is.
		failed := s.keep(ctx, "COMMIT")
		if err = errors.Join(err, failed); err != nil {
			s.discard()
			s = nil
		}
		if failed != nil {
			landed, open = nil, append(landed, open...)
		}
	}
	for _, j := range landed {
		j.finish(nil)
	}
	for _, j := range open {
		j.finish(unknown(j.op, errors.Join(cause, err)))
	}
	return s
}

// landed reports whether the operation of a job is in the ledger.
func (s *session) landed(ctx context.Context, j *job) (bool, error) {
	rec, err := s.recorded(ctx, j.op.Principal, j.op.Key)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil && rec.Digest == j.op.digest(), err
}

// advanced notes how far the log has grown.
func (db *DB) advanced(head int64) {
	db.mu.Lock()
	db.head = max(db.head, head)
	db.mu.Unlock()
	db.moved.Wake()
}
