package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// open opens the pools, and brings the tables forward. One goroutine calls it at a
// time.
func (db *DB) open(ctx context.Context) (err error) {
	e := db.o.Engine
	writing, err := e.Open(ctx, Writer, 2)
	if err != nil {
		return fmt.Errorf("opening the database for writing: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, writing.Close())
		}
	}()
	first, err := own()
	if err != nil {
		return err
	}
	if err := db.migrate(ctx, writing, append([]Schema{first, e.Schema()}, db.o.Schemas...)); err != nil {
		return err
	}
	incarnation, head, err := db.describe(ctx, writing)
	if err != nil {
		return err
	}
	reading, err := e.Open(ctx, Readers, cap(db.readers))
	if err != nil {
		return fmt.Errorf("opening the database for reading: %w", err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.writing, db.reading, db.opened = writing, reading, true
	db.incarnation, db.head = incarnation, head
	if db.trouble != nil && db.classify(db.trouble) == Corrupt {
		db.trouble = nil // it was another file, as far as anybody can say
	}
	return nil
}

// describe answers what the store says of itself, and makes it in a new one. The ledger
// of a new one begins now: it knows of no operation of an earlier life.
func (db *DB) describe(ctx context.Context, pool *sql.DB) (incarnation string, head int64, err error) {
	s, err := newSession(ctx, pool, db.o.Engine)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.keep(ctx, insertMeta, metaIncarnation, freshIncarnation()); err != nil {
		return "", 0, err
	}
	if err := s.keep(ctx, insertMeta, metaFloor, strconv.FormatInt(db.now().UnixMilli(), 10)); err != nil {
		return "", 0, err
	}
	if err := s.keep(ctx, `INSERT INTO log_head (stream, seq) VALUES (?, 0) ON CONFLICT (stream) DO NOTHING`, stream); err != nil {
		return "", 0, err
	}
	if err := s.get(ctx, Keeping, &incarnation, selectMeta, metaIncarnation); err != nil {
		return "", 0, err
	}
	return incarnation, head, s.get(ctx, Keeping, &head, selectHead, stream)
}

const selectHead = `SELECT seq FROM log_head WHERE stream = ?`

// notOpen says that the database was not opened yet.
type notOpen struct{ cause error }

func (e *notOpen) Error() string { return "the database is not open: " + e.cause.Error() }
func (e *notOpen) Unwrap() error { return e.cause }

// pools answers the pools of an open store. One that is not open is opened by the
// mender, so that no call waits for that.
func (db *DB) pools() (writing, reading *sql.DB, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.opened {
		return nil, nil, &notOpen{db.trouble}
	}
	return db.writing, db.reading, nil
}
