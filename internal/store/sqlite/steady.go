package sqlite

import (
	"context"
	"database/sql/driver"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// steadyStmt runs statements that end soon without being watched. The driver watches any
// other from a goroutine of its own, to end it when its context does, and that costs more
// than many a statement.
type steadyStmt struct{ *sqlite3.SQLiteStmt }

func steady(s driver.Stmt, err error) (driver.Stmt, error) {
	if own, ok := s.(*sqlite3.SQLiteStmt); ok && err == nil {
		return steadyStmt{own}, nil
	}
	return s, err
}

// ExecContext runs the statement.
func (s steadyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.SQLiteStmt.ExecContext(unwatched(ctx), args)
}

// QueryContext runs the statement.
func (s steadyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.SQLiteStmt.QueryContext(unwatched(ctx), args)
}

// unwatched answers the context to run with, which never ends where the statement does.
// One that is over already runs nothing.
func unwatched(ctx context.Context) context.Context {
	if store.Brief(ctx) && ctx.Err() == nil {
		return context.WithoutCancel(ctx)
	}
	return ctx
}
