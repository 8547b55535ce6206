package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// lostError is an error after which the connection is gone.
type lostError struct{ error }

// Unwrap answers the cause.
func (e *lostError) Unwrap() error { return e.error }

// deniedError is a statement that asks for more than its rights.
type deniedError struct{ query, fault string }

// Error says what the statement would do.
func (e *deniedError) Error() string { return fmt.Sprintf("the statement %q %s", e.query, e.fault) }

// failed says what an error of the connection means.
func (c *conn) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if over := ctx.Err(); over != nil && !errors.Is(err, over) {
		// The server was asked to cancel the statement, and says so.
		err = fmt.Errorf("%w: %w", over, err)
	}
	if c.pg.IsClosed() {
		return &lostError{err}
	}
	return err
}

// Classify answers the class of an error of the server
// (https://www.postgresql.org/docs/current/errcodes-appendix.html) or of the connection
// to it.
func (e *Engine) Classify(err error) store.Failure {
	var denied *deniedError
	var said *pgconn.PgError
	var lost *lostError
	switch {
	case errors.As(err, &denied):
		return store.Denied
	case errors.Is(err, errStandby):
		return store.ReadOnly
	case errors.As(err, &said):
		if f := classifyState(said.Code); f != store.Other || !errors.As(err, &lost) {
			return f
		}
		return store.Lost
	case errors.As(err, &lost), errors.Is(err, pgconn.ErrConnClosed):
		return store.Lost
	}
	return store.Other
}

// classifyState answers the class of a SQLSTATE.
func classifyState(code string) store.Failure {
	switch code {
	case "23505": // unique_violation
		return store.Unique
	case "42501": // insufficient_privilege
		return store.Denied
	case "53100": // disk_full
		return store.Full
	case "25006": // read_only_sql_transaction
		return store.ReadOnly
	case "40001", "40P01", // serialization_failure, deadlock_detected
		"55P03", "57014", // lock_not_available, query_canceled
		"53200", "53300", "53400": // out of memory, too many connections, a configured limit
		return store.Busy
	case "40003", "25P03", "25P04": // statement_completion_unknown, and the limits of transactions
		return store.Lost
	case "XX001", "XX002": // data_corrupted, index_corrupted
		return store.Corrupt
	}
	if len(code) == 5 {
		switch code[:2] {
		case "08", "57", "58": // connections, the operator, the system
			return store.Lost
		}
	}
	return store.Other
}
