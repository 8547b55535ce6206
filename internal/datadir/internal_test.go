package datadir

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Only connections of one user get through: here the one user is somebody else.
func TestStrangersAreTurnedAway(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := d.Hold()
	if err != nil {
		t.Fatal(err)
	}
	h.listener.uid++
	accepted := make(chan error)
	go func() {
		_, err := h.Listener().Accept()
		accepted <- err
	}()
	conn, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d, %v; want the connection closed", n, err)
	}
	unixConn, _ := conn.(*net.UnixConn)
	if err := sameUser(unixConn, os.Geteuid()+1); err == nil {
		t.Error("a holder of another user is trusted")
	}
	if err := errors.Join(conn.Close(), h.Release()); err != nil {
		t.Error(err)
	}
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept gave %v, want it to wait until the end", err)
	}
}

func TestLockFileReplaced(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := d.lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.stillThere(f); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(f.Name()), os.WriteFile(f.Name(), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := d.stillThere(f); err == nil {
		t.Error("a replaced lock file passes")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A child that is being started shares every open file until it runs its program.
func TestReleaseWhileAChildIsStarted(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := d.Hold()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := unix.Dup(int(first.lock.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := d.Hold()
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := errors.Join(second.Release(), unix.Close(shared)); err != nil {
		t.Error(err)
	}
}

func TestPIDOfNobody(t *testing.T) {
	for content, want := range map[string]int{"": 0, "x": 0, "-1": 0, "0\n": 0, "2147483646\n": 0} {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if got := readPID(f); got != want {
			t.Errorf("%q: got %d, want %d", content, got, want)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A holder that has the lock and does not listen yet: the wait ends with ctx, and says both.
func TestHolderThatDoesNotAnswer(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := d.lock()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	_, _, err = d.HoldOrDial(ctx)
	if !errors.Is(err, ErrHeld) || !errors.Is(err, why) {
		t.Errorf("got %v, want both that it is held and why the wait ended", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{"/a/b-c.d": "/a/b-c.d", "/a b": "'/a b'", "it's": `'it'\''s'`, "": "''", "$(x)": "'$(x)'"} {
		if got := ShellWord(in); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", in, got, want)
		}
	}
}
