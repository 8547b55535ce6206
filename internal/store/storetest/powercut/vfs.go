//go:build cgo

package powercut

// #cgo linux LDFLAGS: -Wl,--unresolved-symbols=ignore-in-object-files
// #cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
// #include "vfs.h"
import "C"

import (
	"errors"
	"sync/atomic"
	"unsafe"

	_ "github.com/seed-89b9419b/holotype/internal/store/sqlite" // has the SQLite that the C code here calls
)

// current is the recording that SQLite tells.
var current atomic.Pointer[Recording]

var errVFS = errors.New("SQLite does not take another file system")

// Begin answers a recording of what becomes of the files in folder from now on. Nothing
// there may be open. The error is one where another recording runs.
func Begin(folder string) (*Recording, error) {
	r, err := newRecording(folder)
	if err != nil {
		return nil, err
	}
	if !current.CompareAndSwap(nil, r) {
		return nil, errors.New("another recording runs")
	}
	if C.recordingBegin() != 0 {
		current.Store(nil)
		return nil, errVFS
	}
	return r, nil
}

// End ends the recording. What was open is closed by then.
func (r *Recording) End() error {
	if C.recordingEnd() != 0 {
		return errVFS
	}
	if !current.CompareAndSwap(r, nil) {
		return errors.New("the recording does not run")
	}
	return nil
}

//export powercutOpened
func powercutOpened(name *C.char) C.sqlite3_int64 {
	return C.sqlite3_int64(current.Load().opened(C.GoString(name)))
}

//export powercutWrote
func powercutWrote(file C.sqlite3_int64, data unsafe.Pointer, n C.int, at C.sqlite3_int64) {
	current.Load().happened(event{what: wrote, file: int(file), data: C.GoBytes(data, n), at: int64(at)})
}

//export powercutTruncated
func powercutTruncated(file, size C.sqlite3_int64) {
	current.Load().happened(event{what: truncated, file: int(file), at: int64(size)})
}

//export powercutNow
func powercutNow() C.sqlite3_int64 { return C.sqlite3_int64(current.Load().Now()) }

//export powercutSynced
func powercutSynced(file, begun C.sqlite3_int64) {
	current.Load().happened(event{what: synced, file: int(file), at: int64(begun)})
}

//export powercutDeleted
func powercutDeleted(name *C.char) {
	current.Load().deleted(C.GoString(name))
}

//export powercutSyncedFolder
func powercutSyncedFolder() {
	current.Load().happened(event{what: syncedFolder})
}
