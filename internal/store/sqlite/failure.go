package sqlite

import (
	"errors"
	"io/fs"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Classify answers the class of an error of SQLite (https://www.sqlite.org/rescode.html)
// or of the file system.
func (e *Engine) Classify(err error) store.Failure {
	var own sqlite3.Error
	if !errors.As(err, &own) {
		if errors.Is(err, fs.ErrPermission) {
			return store.ReadOnly
		}
		return store.Other
	}
	switch own.Code {
	case sqlite3.ErrConstraint:
		if own.ExtendedCode == sqlite3.ErrConstraintUnique || own.ExtendedCode == sqlite3.ErrConstraintPrimaryKey {
			return store.Unique
		}
	case sqlite3.ErrAuth:
		return store.Denied
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return store.Busy
	case sqlite3.ErrFull:
		return store.Full
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen:
		return store.ReadOnly
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return store.Corrupt
	case sqlite3.ErrIoErr:
		return store.Lost
	}
	return store.Other
}
