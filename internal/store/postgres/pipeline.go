package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// waiting is a statement that is sent with the next one.
type waiting struct {
	stmt   *stmt
	values [][]byte
	binary []int16
}

// mostWaiting and heaviestWaiting bound what waits.
const (
	mostWaiting     = 64
	heaviestWaiting = 1 << 20
)

// ExecContext runs the statement and answers how many rows it wrote. Where nobody looks
// at that, in a transaction, it may wait for the next statement instead: its error is
// that of the next one then, and a savepoint is not released before it has run.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	w, err := s.bind(args)
	if err != nil {
		return nil, err
	}
	c := s.conn
	if store.Unheeded(ctx) && (s.kind == plain || s.kind == savepoint) && c.pg.TxStatus() == within && len(c.waiting) < mostWaiting && c.weight < heaviestWaiting {
		c.waiting = append(c.waiting, w)
		for _, v := range w.values {
			c.weight += len(v)
		}
		return driver.RowsAffected(0), nil
	}
	c.forsake(s.kind)
	if s.kind == commit {
		delete(c.pg.CustomData(), warning)
	}
	results, err := c.send(ctx, &w)
	if err != nil {
		return nil, err
	}
	tag, err := results.ResultReader().Close()
	if over := results.Close(); err == nil {
		err = over
	}
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	return driver.RowsAffected(tag.RowsAffected()), c.honest(s.kind, tag)
}

// QueryContext runs the statement and answers its rows.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	w, err := s.bind(args)
	if err != nil {
		return nil, err
	}
	s.conn.forsake(s.kind)
	results, err := s.conn.send(ctx, &w)
	if err != nil {
		return nil, err
	}
	return &rows{ctx: ctx, stmt: s, all: results, one: results.ResultReader()}, nil
}

// forsake drops what waits and would be undone by a statement of that kind. The store
// has one savepoint at a time.
func (c *conn) forsake(k kind) {
	switch k {
	case rollback:
		c.waiting = nil
	case rollbackTo:
		for len(c.waiting) > 0 && c.waiting[len(c.waiting)-1].stmt.kind != savepoint {
			c.waiting = c.waiting[:len(c.waiting)-1]
		}
	case plain, begin, commit, savepoint, release:
	}
}

// flush sends what waits.
func (c *conn) flush(ctx context.Context) error {
	if len(c.waiting) == 0 {
		return nil
	}
	results, err := c.send(ctx, nil)
	if err != nil {
		return err
	}
	return c.failed(ctx, results.Close())
}

// send sends what waits and then the last statement, and reads as far as the result of
// that. It answers an error where one before it failed: the server has run none behind.
func (c *conn) send(ctx context.Context, last *waiting) (*pgconn.MultiResultReader, error) {
	all := c.waiting
	c.waiting, c.weight = nil, 0
	ahead := len(all)
	if last != nil {
		all = append(all, *last)
	}
	var batch pgconn.Batch
	for _, w := range all {
		batch.ExecStatement(w.stmt.d, w.values, w.binary, w.stmt.formats)
	}
	results := c.pg.ExecBatch(ctx, &batch)
	for i, w := range all {
		var err error
		if !results.NextResult() {
			err = results.Close()
			if err == nil {
				err = errors.New("the server has no answer to a statement")
			}
		} else if i < ahead {
			_, err = results.ResultReader().Close()
		}
		if err == nil {
			continue
		}
		// The reader is at its end already where the error is that of the batch.
		_ = results.Close()
		err = c.failed(ctx, err)
		if i < ahead {
			err = fmt.Errorf("running %q before it: %w", w.stmt.query, err)
		}
		return nil, err
	}
	return results, nil
}

// bind writes the arguments as the server takes them.
func (s *stmt) bind(args []driver.NamedValue) (waiting, error) {
	w := waiting{stmt: s, values: make([][]byte, len(args)), binary: make([]int16, len(args))}
	for i, a := range args {
		var err error
		if w.values[i], w.binary[i], err = encode(a.Value, s.d.ParamOIDs[i]); err != nil {
			return w, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return w, nil
}
