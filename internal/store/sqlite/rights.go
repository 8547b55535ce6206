package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Grant limits what is prepared on the connection from now on.
func (e *Engine) Grant(_ context.Context, c *sql.Conn, r store.Rights) error {
	return c.Raw(func(dc any) error {
		own, ok := dc.(*conn)
		if !ok {
			return fmt.Errorf("a connection of SQLite is a %T", dc)
		}
		own.rights.Store(uint32(r))
		return nil
	})
}

// The actions of a statement that SQLite asks about
// (https://www.sqlite.org/c3ref/c_alter_table.html) and that the driver has no name for.
const (
	actionSelect    = 21
	actionRead      = 20
	actionFunction  = 31
	actionRecursive = 33
)

// authorize answers whether a statement that is being prepared may do one thing.
func (c *conn) authorize(action int, first, second, _ string) int {
	r := store.Rights(c.rights.Load()) //nolint:gosec // it was one
	if r == store.Keeping {
		return sqlite3.SQLITE_OK
	}
	switch action {
	case actionSelect, actionRecursive:
		return sqlite3.SQLITE_OK
	case actionFunction:
		if strings.EqualFold(second, "load_extension") {
			return sqlite3.SQLITE_DENY
		}
		return sqlite3.SQLITE_OK
	case actionRead:
		return allowed(!store.OwnTable(first) || store.Readable(first))
	case sqlite3.SQLITE_INSERT:
		return allowed(r >= store.Appending && !store.OwnTable(first))
	case sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE:
		return allowed(r >= store.Changing && !store.OwnTable(first))
	}
	return sqlite3.SQLITE_DENY
}

// PrepareContext refuses what SQLite does not ask about. A REPLACE deletes rows and is
// judged as an INSERT; and of several statements the driver prepares the first and
// forgets the others.
func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	r := store.Rights(c.rights.Load()) //nolint:gosec // it was one
	if r < store.Keeping && strings.Contains(query, ";") || r < store.Changing && strings.Contains(strings.ToUpper(query), "REPLACE") {
		return nil, sqlite3.Error{Code: sqlite3.ErrAuth, ExtendedCode: sqlite3.ErrNoExtended(sqlite3.ErrAuth)}
	}
	return steady(c.SQLiteConn.PrepareContext(ctx, query))
}

func allowed(yes bool) int {
	if yes {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}
