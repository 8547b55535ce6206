package holotype_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// A service manager hears that the program serves, and that it stops; one that is gone stops nothing.
func TestTheServiceManagerIsTold(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify") //nolint:usetesting // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	heard := func() string {
		buf := make([]byte, 64)
		n, err := conn.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		return string(buf[:n])
	}
	s := holotype.New(quiet(holotype.Options{Data: t.TempDir(), Lookup: func(name string) (string, bool) {
		return path, name == "NOTIFY_SOCKET"
	}}))
	serve := func() (stop func() int) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			ended <- s.Command().Run(ctx, []string{"serve", "--listen", "127.0.0.1:0"}, strings.NewReader(""), io.Discard, io.Discard)
		}()
		return func() int {
			cancel()
			return <-ended
		}
	}
	stop := serve()
	if got := heard(); got != "READY=1" {
		t.Errorf("the manager heard %q first", got)
	}
	if code := stop(); code != 0 {
		t.Errorf("serve ended with %d", code)
	}
	if got := heard(); got != "STOPPING=1" {
		t.Errorf("the manager heard %q last", got)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if code := serve()(); code != 0 {
		t.Errorf("without a manager that listens, serve ended with %d", code)
	}
}
