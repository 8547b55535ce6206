package sqlite

import (
	"context"
	"database/sql"
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

// ownTables are the first parts of the names of the store's tables: packs read what a
// Reader answers from them, and do not reach for them.
var ownTables = []string{"store_", "log_head", "operations", "changes", "leases", "search_", "blobs", "schema_", "sqlite_"}

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
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_INSERT:
		return allowed(r >= store.Appending && !ofStore(first))
	case sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE:
		return allowed(r >= store.Changing && !ofStore(first))
	}
	return sqlite3.SQLITE_DENY
}

func allowed(yes bool) int {
	if yes {
		return sqlite3.SQLITE_OK
	}
	return sqlite3.SQLITE_DENY
}

func ofStore(table string) bool {
	for _, t := range ownTables {
		if strings.HasPrefix(strings.ToLower(table), t) {
			return true
		}
	}
	return false
}
