package store

import (
	"context"
	"errors"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Read runs fn on one state of the store: all it reads is of the same moment, which
// is not before any write that was answered. fn keeps the reader no longer than it
// runs. The refusal is [capabilities.Unavailable] while the store cannot be read.
func Read(ctx context.Context, db *DB, fn func(*Reader) error) (err error) {
	if err := db.present(); err != nil {
		return db.refused(ctx, err)
	}
	s, err := db.reader(ctx)
	if err != nil {
		return db.refused(ctx, err)
	}
	r := &Reader{ctx: ctx, session: s, rights: Reading, now: db.now(), db: db}
	defer func() {
		r.over.Store(true)
		db.returned(s, s.end(ctx) != nil || db.classify(r.failed).Passing())
	}()
	if err = fn(r); err == nil {
		err = r.failed // a handler does not pass over what the engine refused
	}
	return db.refused(ctx, err)
}

// end ends a transaction that only read. It runs when the call is over, too.
func (s *session) end(ctx context.Context) error {
	return s.keep(context.WithoutCancel(ctx), "ROLLBACK")
}

// reader answers a session of its own for a read, on which the read has begun. A
// connection that was lost while nobody used it is replaced.
func (db *DB) reader(ctx context.Context) (s *session, err error) {
	select {
	case s = <-db.readers:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-db.ctx.Done():
		return nil, errClosed
	}
	if s != nil {
		if err = s.keep(ctx, db.o.Engine.Snapshot()); err == nil {
			return s, nil
		}
		s.discard()
	}
	if s == nil || db.classify(err) == Lost {
		if s, err = db.fresh(ctx); err == nil {
			return s, nil
		}
	}
	db.readers <- nil
	return nil, err
}

// fresh answers a new session on which a read has begun.
func (db *DB) fresh(ctx context.Context) (*session, error) {
	_, pool, err := db.pools()
	if err != nil {
		return nil, err
	}
	s, err := newSession(ctx, pool, db.o.Engine)
	if err != nil {
		return nil, err
	}
	if err := s.keep(ctx, db.o.Engine.Snapshot()); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

// returned puts a session back, or closes it.
func (db *DB) returned(s *session, broken bool) {
	if broken {
		s.discard()
		s = nil
	}
	db.readers <- s
}

var (
	errClosed = capabilities.Refuse(capabilities.Unavailable, "the server is stopping: send the call again")
	errOver   = errors.New("a reader or a write is used after the function that got it")
)
