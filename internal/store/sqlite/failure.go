package sqlite

import (
	"errors"
	"io/fs"
	"syscall"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Classify answers the class of an error of SQLite (https://www.sqlite.org/rescode.html)
// or of the file system.
func (e *Engine) Classify(err error) store.Failure {
	var own sqlite3.Error
	if errors.Is(err, errGone) {
		return store.Gone
	}
	if !errors.As(err, &own) {
		if errors.Is(err, fs.ErrPermission) {
			return store.ReadOnly
		}
		if no, ok := errors.AsType[syscall.Errno](err); ok {
			return classifyErrno(no)
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
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return store.Busy
	case sqlite3.ErrFull:
		return store.Full
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return store.ReadOnly
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return store.Corrupt
	case sqlite3.ErrIoErr, sqlite3.ErrCantOpen:
		// The shared memory of a database cannot grow on a full disk, and so on.
		if f := classifyErrno(own.SystemErrno); f != store.Other {
			return f
		}
		if own.Code == sqlite3.ErrCantOpen {
			return store.ReadOnly
		}
		return store.Lost
	}
	return store.Other
}

// classifyErrno answers the class of an error of the system.
func classifyErrno(no syscall.Errno) store.Failure {
	switch no {
	case syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG:
		return store.Full
	case syscall.EROFS, syscall.EACCES, syscall.EPERM:
		return store.ReadOnly
	case syscall.EIO, syscall.ENODEV, syscall.ESTALE:
		return store.Lost
	}
	return store.Other
}
