package datadir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const lockName = "holotype.lock"

// ErrHeld is what a [HeldError] is.
var ErrHeld = errors.New("the data directory is held by another process")

// ErrNotHeld says that no process answers on the socket of a data directory.
var ErrNotHeld = errors.New("no process holds the data directory")

// HeldError says that a data directory is held, and by whom. It is [ErrHeld] to errors.Is.
type HeldError struct {
	Dir string
	// PID is the holder, 0 when it has not said yet.
	PID int
}

// Error names the directory and the process.
func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("data directory %s is held by another process", e.Dir)
	}
	return fmt.Sprintf("data directory %s is held by process %d: end that first (kill %d), or use another directory (--data DIR)", e.Dir, e.PID, e.PID)
}

// Is makes every HeldError an ErrHeld.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }

// Holder is the hold of this process on a data directory. It ends with [Holder.Release] or with the process.
type Holder struct {
	lock     *os.File
	listener *ownListener
	socket   *socket
	tookOver bool
	release  sync.Once
	released error
}

// Hold takes the directory for this process and listens on its socket, taking over what a crashed holder left. It does not wait: the error
// is a [*HeldError] when another hold exists, in this process or another.
func (d *Dir) Hold() (*Holder, error) {
	lock, left, err := d.lock()
	if err != nil {
		return nil, err
	}
	s, listener, err := d.listen()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listening in data directory %s: %w", d.path, err), lock.Close())
	}
	return &Holder{lock: lock, listener: listener, socket: s, tookOver: left}, nil
}

// TookOver reports whether the holder before this one ended without [Holder.Release], as a crash does: what it had started may run on.
func (h *Holder) TookOver() bool { return h.tookOver }

// lock returns the locked file, with the process id in it, and whether the id of one that did not let go stood there. The file stays when the lock goes: whoever removed it could lock its successor
// while another process locks the one that was removed.
func (d *Dir) lock() (f *os.File, left bool, err error) {
	// Go opens files close-on-exec, so that no child keeps the lock when this process ends.
	f, err = os.OpenFile(d.file(lockName), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("locking the data directory: %w", err)
	}
	err = flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, false, errors.Join(&HeldError{Dir: d.path, PID: readPID(f)}, f.Close())
	}
	if err == nil {
		err = d.stillThere(f)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = f.Stat(); err == nil {
			left = info.Size() > 0
			err = f.Truncate(0)
		}
	}
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, false, errors.Join(fmt.Errorf("locking the data directory with %s: %w", d.file(lockName), err), f.Close())
	}
	return f, left, nil
}

// stillThere reports a lock file that somebody removed or replaced between the opening and the locking.
func (d *Dir) stillThere(f *os.File) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(d.file(lockName))
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) {
		return errors.New("the file was replaced meanwhile; try again")
	}
	return nil
}

// readPID returns who wrote the lock file, 0 when it is being written, or when what stands there is left from a process that is gone.
func readPID(f *os.File) int {
	buf := make([]byte, 32)
	n, _ := f.ReadAt(buf, 0) // the end of the file is no error here, and without content there is no id
	pid, err := strconv.Atoi(string(bytes.TrimSpace(buf[:n])))
	if err != nil || pid <= 0 || errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return 0
	}
	return pid
}

// Listener returns the listener on the socket. It accepts connections of this user only. Closing it does not end the hold.
func (h *Holder) Listener() net.Listener { return h.listener }

// Release closes the listener, removes the socket and lets the directory go, in this order. Further calls return what the first did.
func (h *Holder) Release() error {
	h.release.Do(func() {
		err := h.listener.Close()
		if errors.Is(err, net.ErrClosed) {
			err = nil // whoever served on it closed it
		}
		err = errors.Join(err, h.socket.remove(), h.lock.Truncate(0))
		// Unlocked before it is closed: a child that is being started just now may still share the file.
		h.released = errors.Join(err, flock(h.lock, unix.LOCK_UN), h.lock.Close())
	})
	return h.released
}

// Dial connects to the holder. The error is [ErrNotHeld] when nobody answers, which is also so while a holder is starting.
func (d *Dir) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := d.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to the holder of data directory %s: %w", d.path, err)
	}
	return conn, nil
}

// HoldOrDial takes the directory, or connects to the process that holds it: one of the two results is not nil. It repeats both while a
// holder is between taking the directory and listening, or between a crash and the end, until ctx ends.
func (d *Dir) HoldOrDial(ctx context.Context) (*Holder, net.Conn, error) {
	const pause = 10 * time.Millisecond
	for {
		holder, held := d.Hold()
		if !errors.Is(held, ErrHeld) {
			return holder, nil, held
		}
		conn, err := d.Dial(ctx)
		if err == nil || ctx.Err() == nil && !errors.Is(err, ErrNotHeld) {
			return nil, conn, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("%w, and does not answer: %w", held, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}
