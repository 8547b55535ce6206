package store_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// faulty is SQLite with a fault: hook stands before every COMMIT and every BEGIN of a
// write, and may run it or not.
type faulty struct {
	*sqlite.Engine
	mu   sync.Mutex
	hook func(query string, run func() error) error
	seen *storetest.Recorder // of every statement; nil is nobody
	lost bool                // the connection that writes has ended, and with it its transaction
}

// drop ends the transaction that is being committed, unseen, as a medium or a server
// does that goes away.
func (e *faulty) drop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lost = true
}

func (e *faulty) set(hook func(query string, run func() error) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hook = hook
}

func (e *faulty) around(query string, run func() error) error {
	e.mu.Lock()
	hook := e.hook
	e.mu.Unlock()
	if hook == nil {
		return run()
	}
	return hook(query, run)
}

// errMedium is what SQLite answers when the medium fails.
var errMedium = sqlite3.Error{Code: sqlite3.ErrIoErr}

func (e *faulty) Open(ctx context.Context, use store.Use, size int) (*sql.DB, error) {
	pool, err := e.Engine.Open(ctx, use, size)
	if err != nil || use != store.Writer && e.seen == nil {
		return pool, err
	}
	outer := sql.OpenDB(faultyConnector{e, pool})
	outer.SetMaxOpenConns(size)
	return outer, nil
}

func (e *faulty) Grant(ctx context.Context, c *sql.Conn, r store.Rights) error {
	return inner(c, func(c *sql.Conn) error { return e.Engine.Grant(ctx, c, r) })
}

func (e *faulty) InTransaction(c *sql.Conn) (in bool) {
	e.mu.Lock()
	lost := e.lost
	e.lost = false
	e.mu.Unlock()
	_ = inner(c, func(c *sql.Conn) error { in = e.Engine.InTransaction(c); return nil }) // no connection has no transaction
	return in && !lost
}

// inner runs f with the connection of SQLite itself.
func inner(c *sql.Conn, f func(*sql.Conn) error) error {
	under := c
	err := c.Raw(func(dc any) error {
		if own, ok := dc.(*faultyConn); ok {
			under = own.held
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f(under)
}

type faultyConnector struct {
	engine *faulty
	pool   *sql.DB
}

func (c faultyConnector) Driver() driver.Driver { return c.pool.Driver() }

func (c faultyConnector) Close() error { return c.pool.Close() }

func (c faultyConnector) Connect(ctx context.Context) (driver.Conn, error) {
	held, err := c.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConn{c.engine, held}, nil
}

type faultyConn struct {
	engine *faulty
	held   *sql.Conn
}

func (c *faultyConn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("not without a context")
}
func (c *faultyConn) Begin() (driver.Tx, error) { return nil, errors.New("not without a context") }

// Close ends the connection itself, with the transaction on it.
func (c *faultyConn) Close() error {
	_ = c.held.Raw(func(any) error { return driver.ErrBadConn }) // drops it
	_ = c.held.Close()                                           // it is gone
	return nil
}

func (c *faultyConn) BeginTx(ctx context.Context, o driver.TxOptions) (tx driver.Tx, err error) {
	err = c.held.Raw(func(dc any) error {
		begin, ok := dc.(driver.ConnBeginTx)
		if !ok {
			return fmt.Errorf("a connection is a %T", dc)
		}
		tx, err = begin.BeginTx(ctx, o)
		return err
	})
	return tx, err
}

func (c *faultyConn) PrepareContext(ctx context.Context, query string) (stmt driver.Stmt, err error) {
	if c.engine.seen != nil {
		c.engine.seen.Add(query)
	}
	err = c.held.Raw(func(dc any) error {
		prepare, ok := dc.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("a connection is a %T", dc)
		}
		stmt, err = prepare.PrepareContext(ctx, query)
		return err
	})
	if err == nil && (query == "COMMIT" || query == c.engine.Begin()) {
		stmt = &faultyStmt{stmt, c.engine, query}
	}
	return stmt, err
}

type faultyStmt struct {
	driver.Stmt
	engine *faulty
	query  string
}

func (s *faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	var result driver.Result
	err := s.engine.around(s.query, func() (err error) {
		exec, ok := s.Stmt.(driver.StmtExecContext)
		if !ok {
			return fmt.Errorf("a statement is a %T", s.Stmt)
		}
		result, err = exec.ExecContext(ctx, args)
		return err
	})
	return result, err
}
