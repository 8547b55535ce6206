package sqlite

import (
	"context"
	"database/sql/driver"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// steadyStmt runs statements whose result nobody looks at as queries: the driver hands
// all arguments of a query to SQLite in one call of C, and those of others one by one.
type steadyStmt struct{ *sqlite3.SQLiteStmt }

func steady(s driver.Stmt, err error) (driver.Stmt, error) {
	if own, ok := s.(*sqlite3.SQLiteStmt); ok && err == nil {
		return steadyStmt{own}, nil
	}
	return s, err
}

// ExecContext runs the statement. The first step of one without rows is all of it, and
// closing it answers its error.
func (s steadyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 || !store.Unheeded(ctx) {
		return s.SQLiteStmt.ExecContext(ctx, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(0), rows.Close()
}
