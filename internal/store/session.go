package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// session is one connection with the statements prepared on it. One goroutine uses it
// at a time.
type session struct {
	conn   *sql.Conn
	engine Engine
	rights Rights
	stmts  map[stmtKey]*statement
}

// statement is one that is prepared.
type statement struct {
	*sqlx.Stmt
	brief bool // it ends soon by itself
	rows  shape
}

// within answers the context to run a statement with. Package sql and the driver of an
// engine in this process each watch from a goroutine of their own whether it ends, which
// costs more than many a statement: one that ends soon is not watched. A context that is
// over already runs nothing.
func (s *session) within(ctx context.Context, brief bool) context.Context {
	if brief && s.engine.Local() && ctx.Err() == nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// stmtKey: a statement keeps the rights it was prepared with, so those are part of
// what it is.
type stmtKey struct {
	rights Rights
	query  string
}

// mostStatements bounds what a session keeps prepared. Packs compose few statements;
// one that composes many pays for preparing them again.
const mostStatements = 512

var mapper = reflectx.NewMapperFunc("db", sqlx.NameMapper)

func newSession(ctx context.Context, pool *sql.DB, e Engine) (*session, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{conn: conn, engine: e, stmts: map[stmtKey]*statement{}}, nil
}

// close gives the connection back.
func (s *session) close() error {
	s.forget()
	return s.conn.Close()
}

// discard ends the connection, whatever state it is in.
func (s *session) discard() {
	s.forget()
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn }) // makes the pool drop it
	_ = s.conn.Close()                                           // it is gone already
}

func (s *session) forget() {
	for key, stmt := range s.stmts {
		_ = stmt.Close() // the connection outlives it, or is broken anyway
		delete(s.stmts, key)
	}
}

// prepared answers the statement with the rights, and leaves the session with those.
func (s *session) prepared(ctx context.Context, r Rights, query string) (*statement, error) {
	if s.rights != r {
		if err := s.engine.Grant(ctx, s.conn, r); err != nil {
			return nil, fmt.Errorf("limiting a session to %s: %w", r, err)
		}
		s.rights = r
	}
	key := stmtKey{r, query}
	if stmt, ok := s.stmts[key]; ok {
		return stmt, nil
	}
	if len(s.stmts) >= mostStatements {
		s.forget()
	}
	plain, err := s.conn.PrepareContext(ctx, s.engine.Rebind(query))
	if err != nil {
		return nil, err
	}
	stmt := &statement{Stmt: &sqlx.Stmt{Stmt: plain, Mapper: mapper}, brief: isBrief(query)}
	s.stmts[key] = stmt
	return stmt, nil
}

func (s *session) exec(ctx context.Context, r Rights, query string, args ...any) (int64, error) {
	stmt, err := s.prepared(ctx, r, query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(s.within(ctx, stmt.brief), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// keep runs a statement of the store itself whose result nobody looks at.
func (s *session) keep(ctx context.Context, query string, args ...any) error {
	stmt, err := s.prepared(ctx, Keeping, query)
	if err == nil {
		_, err = stmt.ExecContext(context.WithValue(s.within(ctx, true), unheeded{}, true), args...)
	}
	return err
}

type unheeded struct{}

// Unheeded reports whether nobody looks at the result of what runs with ctx: within a
// transaction an engine may send it together with the next statement, which then has its
// error. It has to run before a savepoint is released.
func Unheeded(ctx context.Context) bool { return ctx.Value(unheeded{}) != nil }

// isBrief reports whether a statement names one table at most, and that once.
func isBrief(query string) bool {
	tokens, fault := sqlTokens(query)
	if fault != "" {
		return false
	}
	tables := 0
	for i, t := range tokens {
		switch {
		case t.is("JOIN") || t.is("WITH"):
			return false
		case t.is("FROM"):
			tables++
			for _, next := range tokens[i+1:] {
				if next.depth < t.depth || next.is("WHERE") && next.depth == t.depth {
					break
				}
				if next.is(",") && next.depth == t.depth {
					tables++ // FROM a, b; a list behind it only makes the statement less brief
				}
			}
		}
	}
	return tables <= 1
}

// get scans one row into dst, a scalar or a struct with db tags; no row is
// [sql.ErrNoRows].
func (s *session) get(ctx context.Context, r Rights, dst any, query string, args ...any) (err error) {
	stmt, err := s.prepared(ctx, r, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(s.within(ctx, stmt.brief), args...)
	if err != nil {
		return err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	if !rows.Next() {
		return cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	into, err := stmt.rows.targets(rows, dst)
	if err != nil {
		return err
	}
	return rows.Scan(into...)
}

// list scans every row into dst, a pointer to a slice.
func (s *session) list(ctx context.Context, r Rights, dst any, query string, args ...any) error {
	stmt, err := s.prepared(ctx, r, query)
	if err != nil {
		return err
	}
	return stmt.SelectContext(s.within(ctx, stmt.brief), dst, args...)
}
