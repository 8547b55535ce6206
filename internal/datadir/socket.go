package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	socketName = "holotype.sock"
	// recordName is the file that says where the socket is when it cannot be in the directory.
	recordName = "socket"
	// maxSocketPath is what fits into sun_path of macOS, the shorter one, with the NUL.
	maxSocketPath = 103
	tempPrefix    = "holotype-"
	tempSocket    = "s"
)

// socket is where a holder listens, and what to remove afterwards.
type socket struct {
	dir  *Dir
	path string
	// temp is the private directory that holds nothing but the socket; empty when the socket is in the data directory.
	temp string
}

// listen binds the socket. The directory is locked, so whatever is in the place of the socket is stale.
func (d *Dir) listen() (*socket, *ownListener, error) {
	if err := d.sweep(); err != nil {
		return nil, nil, err
	}
	s := &socket{dir: d, path: d.file(socketName)}
	if len(s.path) > maxSocketPath {
		var err error
		if s.temp, err = shortTemp(); err != nil {
			return nil, nil, err
		}
		s.path = filepath.Join(s.temp, tempSocket)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		return nil, nil, errors.Join(err, s.remove())
	}
	// Until the mode is set another user may get as far as the queue; Accept turns them away.
	err = os.Chmod(s.path, 0o600)
	if err == nil && s.temp != "" {
		err = d.replace(recordName, []byte(s.path+"\n"))
	}
	if err != nil {
		return nil, nil, errors.Join(err, listener.Close(), s.remove())
	}
	return s, &ownListener{UnixListener: listener, uid: os.Geteuid()}, nil
}

// shortTemp makes a directory with mode 0700 whose path leaves room for the socket.
func shortTemp() (string, error) {
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil || len(filepath.Join(dir, tempSocket)) <= maxSocketPath {
		return dir, err
	}
	if err := os.Remove(dir); err != nil {
		return "", err
	}
	return os.MkdirTemp("/tmp", tempPrefix)
}

// sweep removes what a crashed holder left.
func (d *Dir) sweep() error {
	info, err := os.Lstat(d.file(socketName))
	if err == nil && info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is in the way and is no socket; remove it", d.file(socketName))
	}
	if err == nil {
		err = os.Remove(d.file(socketName))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := d.record()
	if err != nil || old == "" {
		return err
	}
	left := &socket{dir: d, path: old, temp: filepath.Dir(old)}
	if !strings.HasPrefix(filepath.Base(left.temp), tempPrefix) || filepath.Base(old) != tempSocket {
		return os.Remove(d.file(recordName)) // not of our making: only the record is ours
	}
	// The place of the old directory may be somebody else's by now. Then it cannot be removed, and need not be.
	_ = os.Remove(left.path)
	_ = os.Remove(left.temp)
	return os.Remove(d.file(recordName))
}

// record returns where the socket is when it is not in the directory; "" when there is no record.
func (d *Dir) record() (string, error) {
	b, err := os.ReadFile(d.file(recordName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// remove removes the socket and what was made for it. It is in order that some of it is gone.
func (s *socket) remove() error {
	places := []string{s.path}
	if s.temp != "" {
		places = append(places, s.temp, s.dir.file(recordName))
	}
	var errs []error
	for _, p := range places {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (d *Dir) dial(ctx context.Context) (net.Conn, error) {
	path, err := d.record()
	if err != nil {
		return nil, err
	}
	if path == "" {
		path = d.file(socketName)
	}
	if len(path) > maxSocketPath {
		return nil, ErrNotHeld // a holder would have left a record
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	for _, nobody := range []error{unix.ENOENT, unix.ECONNREFUSED, unix.ENOTDIR} {
		if errors.Is(err, nobody) {
			return nil, fmt.Errorf("%w: %w", ErrNotHeld, err)
		}
	}
	if err != nil {
		return nil, err
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("the connection is no Unix socket"), conn.Close())
	}
	// A record can outlive its private directory, and the name of that is free then for anybody to use.
	if err := sameUser(unixConn, os.Geteuid()); err != nil {
		return nil, errors.Join(fmt.Errorf("not trusting who listens on %s: %w", path, err), conn.Close())
	}
	return unixConn, nil
}

// ownListener accepts connections of one user.
type ownListener struct {
	*net.UnixListener
	uid int
}

// Accept returns the next connection of this user, and closes all others.
func (l *ownListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if sameUser(conn, l.uid) == nil {
			return conn, nil
		}
		_ = conn.Close() // a stranger, or one that is gone already
	}
}

// sameUser returns nil when the other end is a process of the user.
func sameUser(conn *net.UnixConn, want int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var uid uint32
	var peerErr error
	if err := raw.Control(func(fd uintptr) { uid, peerErr = peerUID(int(fd)) }); err != nil {
		return err
	}
	if peerErr != nil {
		return fmt.Errorf("asking who is at the other end: %w", peerErr)
	}
	if int(uid) != want {
		return fmt.Errorf("the other end is user %d, not %d", uid, want)
	}
	return nil
}
