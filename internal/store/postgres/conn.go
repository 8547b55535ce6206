package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// The states of a session (https://www.postgresql.org/docs/current/protocol-message-formats.html,
// ReadyForQuery).
const (
	idle   = 'I'
	within = 'T' // in a transaction that goes on

	failedWithin = 'E' // in one that can only be undone
)

// conn is one connection. Package sql lets one goroutine use it at a time.
type conn struct {
	engine  *Engine
	pg      *pgconn.PgConn
	schema  string // where the tables are
	rights  store.Rights
	made    int      // statements, to name them
	dropped []string // names of statements that nobody uses any more
	waiting []waiting
	weight  int // bytes of the arguments of what waits
}

// mostDropped is how many statements that nobody uses the server keeps for a moment.
const mostDropped = 32

// stmt is a prepared statement.
type stmt struct {
	conn  *conn
	d     *pgconn.StatementDescription
	query string
	kind  kind
	// formats are those in which the columns of the result are asked for.
	formats []int16
}

// kind is what a statement does to the transaction.
type kind uint8

const (
	plain kind = iota
	begin
	commit
	rollback
	rollbackTo
	savepoint
	release
)

// kindOf answers the kind of a statement of the store; packs cannot write the others.
func kindOf(query string) kind {
	words := strings.Fields(strings.ToUpper(query))
	switch {
	case len(words) == 0:
		return plain
	case words[0] == "ROLLBACK" && len(words) > 1:
		return rollbackTo
	}
	switch words[0] {
	case "BEGIN", "START":
		return begin
	case "COMMIT", "END":
		return commit
	case "ROLLBACK":
		return rollback
	case "SAVEPOINT":
		return savepoint
	case "RELEASE":
		return release
	}
	return plain
}

// PrepareContext prepares a statement with the rights that the connection has. One that
// asks for more is refused.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	// What fails here ends what a savepoint that still waits would have saved.
	if err := c.flush(ctx); err != nil {
		return nil, err
	}
	if len(c.dropped) >= mostDropped && c.pg.TxStatus() != failedWithin {
		names := c.dropped
		c.dropped = nil
		if _, err := c.pg.Exec(ctx, "DEALLOCATE "+strings.Join(names, "; DEALLOCATE ")).ReadAll(); err != nil {
			return nil, c.failed(ctx, err)
		}
	}
	c.made++
	name := "h" + strconv.Itoa(c.made)
	d, err := c.pg.Prepare(ctx, name, query, nil)
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	s := &stmt{conn: c, d: d, query: query, kind: kindOf(query), formats: make([]int16, len(d.Fields))}
	for i, f := range d.Fields {
		if f.DataTypeOID == oidBytes {
			s.formats[i] = binary
		}
	}
	if err := c.judge(ctx, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Prepare prepares a statement.
func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// longLimit bounds a statement in a transaction of package sql, as those that bring the
// tables forward are: an index of a large table takes its time.
const longLimit = 6 * time.Hour

// BeginTx begins a transaction for package sql. The store's own begins with [Engine.Begin].
func (c *conn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o.ReadOnly || o.Isolation != 0 {
		return nil, errors.New("a transaction of package sql has no options here")
	}
	query := fmt.Sprintf("BEGIN; SET LOCAL statement_timeout = %[1]d; SET LOCAL lock_timeout = %[1]d; SET LOCAL idle_in_transaction_session_timeout = %[1]d", longLimit.Milliseconds())
	if _, err := c.pg.Exec(ctx, query).ReadAll(); err != nil {
		return nil, c.failed(ctx, err)
	}
	return tx{c}, nil
}

// Begin begins a transaction.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// tx is a transaction of package sql.
type tx struct{ conn *conn }

// Commit ends it. It is an error when the server rolled back in its place.
func (t tx) Commit() error { return t.end("COMMIT", commit) }

// Rollback undoes it.
func (t tx) Rollback() error { return t.end("ROLLBACK", rollback) }

// end has no time limit but that of a lost connection: what became of a commit is known
// when it is over.
func (t tx) end(query string, k kind) error {
	ctx := context.Background()
	if err := t.conn.flush(ctx); err != nil && k == commit {
		return err
	}
	delete(t.conn.pg.CustomData(), warning)
	all, err := t.conn.pg.Exec(ctx, query).ReadAll()
	if err != nil {
		return t.conn.failed(ctx, err)
	}
	return t.conn.honest(k, all[len(all)-1].CommandTag)
}

// errUndone says that a transaction could not be committed.
var errUndone = errors.New("a statement of the transaction had failed, so that the server undid it")

// honest judges what the server did: it answers a COMMIT of a transaction that failed
// with ROLLBACK, and one that it did not wait for a standby with as it should, because it
// was told to stop waiting, with a warning; neither with an error.
func (c *conn) honest(k kind, tag pgconn.CommandTag) error {
	if k != commit {
		return nil
	}
	if tag.String() == "ROLLBACK" {
		return errUndone
	}
	if text, warned := c.pg.CustomData()[warning]; warned {
		return &lostError{fmt.Errorf("the server committed with a warning: %v", text)}
	}
	return nil
}

// Ping asks whether the server answers.
func (c *conn) Ping(ctx context.Context) error { return c.failed(ctx, c.pg.Ping(ctx)) }

// ResetSession lets a connection be used again that has nothing open.
func (c *conn) ResetSession(context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid reports whether the connection can be used again.
func (c *conn) IsValid() bool {
	return !c.pg.IsClosed() && c.pg.TxStatus() == idle && len(c.waiting) == 0
}

// closeTime bounds how long a server is told that a connection ends.
const closeTime = time.Second

// Close ends the connection.
func (c *conn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = c.pg.Close(ctx) // the server notices that it is gone
	return nil
}

// Close lets the server forget the statement, when it has other things to do.
func (s *stmt) Close() error {
	s.conn.dropped = append(s.conn.dropped, s.d.Name)
	return nil
}

// NumInput answers how many arguments the statement takes.
func (s *stmt) NumInput() int { return len(s.d.ParamOIDs) }

// Exec runs the statement.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

// Query runs the statement.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	all := make([]driver.NamedValue, len(args))
	for i, a := range args {
		all[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return all
}
