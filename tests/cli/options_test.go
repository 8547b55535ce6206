package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
)

// TestOptionsOfTheWholeServer asks about no path in particular, which the standard
// library would answer itself, whoever asks and under whatever name.
func TestOptionsOfTheWholeServer(t *testing.T) {
	p := newProcess(exec.CommandContext(context.WithoutCancel(t.Context()), "holotype", "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()))
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	serves := regexp.MustCompile(`serves http://(\S+)`)
	if !p.out.Await(serves) {
		t.Fatalf("it does not serve: %s", p.err.Text())
	}
	address := serves.FindStringSubmatch(p.out.Text())[1]
	for host, want := range map[string]int{"evil.example": http.StatusForbidden, address: http.StatusUnauthorized} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "OPTIONS * HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want {
			t.Errorf("for the host %s: %s, want %d", host, resp.Status, want)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // its connection is closed
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil || !p.wait() {
		t.Errorf("it does not end: %v", err)
	}
}
