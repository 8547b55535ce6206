package datadir_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/datadir"
)

func open(t *testing.T, path string) *datadir.Dir {
	t.Helper()
	d, err := datadir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func hold(t *testing.T, d *datadir.Dir) *datadir.Holder {
	t.Helper()
	h, err := d.Hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Release(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// dirs are a directory whose path leaves room for a socket and one whose path does not.
func dirs(t *testing.T) map[string]string {
	t.Helper()
	short, err := os.MkdirTemp("", "dd") //nolint:usetesting // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	return map[string]string{"short path": short, "long path": filepath.Join(t.TempDir(), strings.Repeat("long/", 30))}
}

// answers reports what the holder says on a connection.
func answers(t *testing.T, d *datadir.Dir) string {
	t.Helper()
	conn, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(conn)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func greet(l net.Listener, words string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, words)
		_ = conn.Close()
	}
}

func TestOpen(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, "a", "b")
	if d := open(t, path); d.Path() != path {
		t.Errorf("Path() = %q, want %q", d.Path(), path)
	}
	for _, p := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v; want 0700", p, info.Mode(), err)
		}
	}
	for mode, fine := range map[fs.FileMode]bool{0o700: true, 0o755: true, 0o770: false, 0o702: false, 0o777: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := datadir.Open(path); (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "run chmod go-w "+path) {
			t.Errorf("mode %04o: got %v, want fine = %v", mode, err, fine)
		}
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Open(file); err == nil {
		t.Error("a file passes as a directory")
	}
	// A directory of somebody else: / for most, one given away for root.
	strange := "/"
	if os.Geteuid() == 0 {
		strange = filepath.Join(base, "strange")
		if err := errors.Join(os.Mkdir(strange, 0o700), os.Chown(strange, 65534, 65534)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := datadir.Open(strange); err == nil || !strings.Contains(err.Error(), "belongs to user") {
		t.Errorf("a strange directory: got %v", err)
	}
}

func TestHold(t *testing.T) {
	for name, path := range dirs(t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, path)
			if _, err := d.Dial(t.Context()); !errors.Is(err, datadir.ErrNotHeld) {
				t.Errorf("dialling nobody: got %v", err)
			}
			for range 2 { // what the first leaves does not stop the second
				h := hold(t, d)
				_, err := d.Hold()
				held, ok := errors.AsType[*datadir.HeldError](err)
				if !ok || !errors.Is(err, datadir.ErrHeld) || held.PID != os.Getpid() || held.Dir != d.Path() || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
					t.Errorf("second hold: got %v, want held by %d", err, os.Getpid())
				}
				socket := h.Listener().Addr().String()
				if info, err := os.Stat(socket); err != nil || info.Mode() != fs.ModeSocket|0o600 {
					t.Errorf("socket: %v, %v; want mode 0600", info, err)
				}
				go greet(h.Listener(), "hello")
				if got := answers(t, d); got != "hello" {
					t.Errorf("the holder says %q", got)
				}
				if err := errors.Join(h.Release(), h.Release()); err != nil {
					t.Error(err)
				}
				if _, err := d.Dial(t.Context()); !errors.Is(err, datadir.ErrNotHeld) {
					t.Errorf("dialling after the release: got %v", err)
				}
				for _, p := range []string{socket, filepath.Join(path, "socket")} {
					if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%s is left: %v", p, err)
					}
				}
			}
		})
	}
}

func TestLongPathUsesAPrivatePlace(t *testing.T) {
	h := hold(t, open(t, dirs(t)["long path"]))
	private := filepath.Dir(h.Listener().Addr().String())
	if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v; want mode 0700", private, info, err)
	}
	if err := h.Release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(private); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", private, err)
	}
}

// A server that serves on the listener closes it; the hold stays until it is released.
func TestListenerClosedFirst(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "data"))
	h := hold(t, d)
	if err := h.Listener().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Hold(); !errors.Is(err, datadir.ErrHeld) {
		t.Errorf("got %v, want it held", err)
	}
	if err := h.Release(); err != nil {
		t.Error(err)
	}
	hold(t, d)
}

func TestTakeoverAfterACrash(t *testing.T) {
	for name, path := range dirs(t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, path)
			var sockets []string
			for range 2 {
				c := start(t, "hold", path)
				if got := c.says(t); got != "holds" {
					t.Fatalf("the child %s", got)
				}
				_, err := d.Hold()
				if held, ok := errors.AsType[*datadir.HeldError](err); !ok || held.PID != c.cmd.Process.Pid {
					t.Errorf("got %v, want held by %d", err, c.cmd.Process.Pid)
				}
				if got := answers(t, d); got != fmt.Sprint(c.cmd.Process.Pid) {
					t.Errorf("process %s answers, want %d", got, c.cmd.Process.Pid)
				}
				if b, err := os.ReadFile(filepath.Join(path, "socket")); err == nil {
					sockets = append(sockets, strings.TrimSpace(string(b)))
				}
				c.kill()
				if _, err := d.Dial(t.Context()); !errors.Is(err, datadir.ErrNotHeld) {
					t.Errorf("dialling the dead: got %v", err)
				}
			}
			h := hold(t, d)
			if !h.TookOver() {
				t.Error("the holder after a crash does not know of it")
			}
			go greet(h.Listener(), "hello")
			if got := answers(t, d); got != "hello" {
				t.Errorf("the new holder says %q", got)
			}
			if err := h.Release(); err != nil {
				t.Error(err)
			}
			if hold(t, d).TookOver() {
				t.Error("the holder after one that let go believes in a crash")
			}
			for _, s := range sockets {
				if _, err := os.Stat(filepath.Dir(s)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s of a crashed holder is left: %v", s, err)
				}
			}
		})
	}
}

func TestSomethingInTheWay(t *testing.T) {
	path := dirs(t)["short path"]
	d := open(t, path)
	thing := filepath.Join(path, "holotype.sock")
	if err := os.WriteFile(thing, []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the failure does not keep the lock
		if _, err := d.Hold(); err == nil || errors.Is(err, datadir.ErrHeld) || !strings.Contains(err.Error(), "is in the way") {
			t.Errorf("got %v, want what is in the way", err)
		}
	}
	if b, err := os.ReadFile(thing); err != nil || string(b) != "dear" {
		t.Errorf("the file is %q, %v; want it untouched", b, err)
	}
}

// A record that names what is not of our making does not get it removed.
func TestARecordOfSomethingElse(t *testing.T) {
	path, dear := dirs(t)["short path"], filepath.Join(t.TempDir(), "dear")
	d := open(t, path)
	if err := errors.Join(os.WriteFile(dear, nil, 0o600), os.WriteFile(filepath.Join(path, "socket"), []byte(dear), 0o600)); err != nil {
		t.Fatal(err)
	}
	h := hold(t, d)
	go greet(h.Listener(), "hello")
	if got := answers(t, d); got != "hello" {
		t.Errorf("the holder says %q", got)
	}
	if _, err := os.Stat(dear); err != nil {
		t.Errorf("removed what is not ours: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	for name, path := range dirs(t) {
		t.Run(name, func(t *testing.T) {
			d := open(t, path)
			var wg sync.WaitGroup
			holders := make(chan *datadir.Holder, 64)
			for range cap(holders) {
				wg.Go(func() {
					h, err := d.Hold()
					if err != nil && !errors.Is(err, datadir.ErrHeld) {
						t.Error(err)
					}
					if h != nil {
						holders <- h
					}
				})
			}
			wg.Wait()
			if len(holders) != 1 {
				t.Fatalf("%d hold it, want 1", len(holders))
			}
			if err := (<-holders).Release(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestManyProcessesAtOnce(t *testing.T) {
	path := dirs(t)["short path"]
	var children []*child
	for range 6 {
		children = append(children, start(t, "hold-or-dial", path))
	}
	got := map[string]int{}
	for _, c := range children {
		got[c.says(t)]++
	}
	if got["true <nil>"] != 1 || got["false <nil>"] != 5 {
		t.Errorf("got %v, want one holder and five connected to it", got)
	}
}

func TestHoldOrDial(t *testing.T) {
	d := open(t, dirs(t)["short path"])
	h, conn, err := d.HoldOrDial(t.Context())
	if h == nil || conn != nil || err != nil {
		t.Fatalf("nobody holds: got %v, %v, %v; want a hold", h, conn, err)
	}
	again, conn, err := d.HoldOrDial(t.Context())
	if again != nil || conn == nil || err != nil {
		t.Fatalf("held: got %v, %v, %v; want a connection", again, conn, err)
	}
	if err := errors.Join(conn.Close(), h.Listener().Close()); err != nil {
		t.Fatal(err)
	}
	// A holder that does not listen, as while it starts or stops.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := d.HoldOrDial(ctx); !errors.Is(err, datadir.ErrHeld) || !errors.Is(err, context.Canceled) {
		t.Errorf("nobody listens: got %v", err)
	}
	done := make(chan error)
	go func() {
		next, _, err := d.HoldOrDial(t.Context())
		if next != nil {
			err = errors.Join(err, next.Release())
		}
		done <- err
	}()
	if err := h.Release(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("waiting for the end of a holder: %v", err)
	}
}
