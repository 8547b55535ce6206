package store

import (
	"context"
	"errors"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Read runs fn on one state of the store: all it reads is of the same moment, which
// is not before any write that was answered. fn keeps the reader no longer than it
// runs. The refusal is [capabilities.Unavailable] while the store cannot be read.
func Read(ctx context.Context, db *DB, fn func(*Reader) error) (err error) {
	s, err := db.reader(ctx)
	if err != nil {
		return db.refused(ctx, err)
	}
	r := &Reader{ctx: ctx, session: s, rights: Reading, now: db.now(), guard: &db.guard}
	defer func() {
		ended := s.end(ctx)
		db.returned(s, ended != nil || db.o.Engine.Classify(r.failed) == Lost)
	}()
	if err := s.keep(ctx, db.o.Engine.Snapshot()); err != nil {
		r.failed = err
		return db.refused(ctx, err)
	}
	if err = fn(r); err == nil {
		err = r.failed // a handler does not pass over what the engine refused
	}
	return db.refused(ctx, err)
}

// end ends a transaction that only read. It runs when the call is over, too.
func (s *session) end(ctx context.Context) error {
	return s.keep(context.WithoutCancel(ctx), "ROLLBACK")
}

// reader answers a session of its own for a read.
func (db *DB) reader(ctx context.Context) (*session, error) {
	select {
	case s := <-db.readers:
		if s != nil {
			return s, nil
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	pool, err := db.readerPool(ctx)
	if err == nil {
		var s *session
		if s, err = newSession(ctx, pool, db.o.Engine); err == nil {
			return s, nil
		}
	}
	db.readers <- nil
	return nil, err
}

// returned puts a session back, or closes it.
func (db *DB) returned(s *session, broken bool) {
	if broken {
		s.discard()
		s = nil
	}
	db.readers <- s
}

// refused answers the refusal of a call that an engine's failure ended. What is no
// failure of an engine passes as it is.
func (db *DB) refused(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := capabilities.AsError(err); ok || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	f := db.o.Engine.Classify(err)
	if !f.passing() {
		return err
	}
	db.troubled(err)
	return capabilities.Refuse(capabilities.Unavailable, "the store cannot serve this now: %s", advice[f]).Because(err)
}

// now answers the time as it is stored.
func (db *DB) now() time.Time { return db.o.Now().UTC().Truncate(time.Millisecond) }
