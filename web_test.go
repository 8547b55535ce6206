package holotype_test

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-89b9419b/holotype"
)

// oneConn is a listener that accepts one connection.
type oneConn struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error   { close(l.done); return nil }
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// onPipe serves a handler on one connection in a time of its own and lets f be its
// client.
func onPipe(t *testing.T, h http.Handler, f func(t *testing.T, conn net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &oneConn{make(chan net.Conn), make(chan struct{})}
		web := holotype.WebServer(t.Context(), h, slog.New(slog.DiscardHandler))
		ended := make(chan error, 1)
		go func() { ended <- web.Serve(holotype.Paced(l)) }()
		ours, theirs := net.Pipe()
		l.conns <- theirs
		f(t, ours)
		_ = ours.Close()
		_ = web.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		time.Sleep(time.Hour) // whoever still sends finds that nobody reads
	})
}

// Who opens a connection and says nothing, or not all of it, does not keep it.
func TestWebServerBoundsWhatNoHandlerSees(t *testing.T) {
	const line = "GET / HTTP/1.1\r\nHost: x\r\n"
	for name, c := range map[string]struct {
		send    string
		every   time.Duration // more of the head comes so often
		answers string
		ends    time.Duration
	}{
		"nothing":               {"", 0, "", 10 * time.Second},
		"half a head":           {line, 0, "", 10 * time.Second},
		"a head that drips":     {line, time.Second, "", 10 * time.Second},
		"an idle connection":    {line + "\r\n", 0, "HTTP/1.1 204 ", 2 * time.Minute},
		"a head that is large":  {line + "X: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", 0, "HTTP/1.1 431 ", time.Second},
		"many headers":          {line + strings.Repeat("X: x\r\n", 20<<10) + "\r\n", 0, "HTTP/1.1 431 ", time.Second},
		"a line that is large":  {"GET /" + strings.Repeat("x", 80<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", 0, "HTTP/1.1 431 ", time.Second},
		"a body nobody expects": {"POST / HTTP/1.1\r\nHost: x\r\nExpect: banana\r\nContent-Length: 100\r\n\r\n", 0, "HTTP/1.1 417 ", 10 * time.Second},
		"OPTIONS of the server": {"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 0, "HTTP/1.1 204 ", 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			nothing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
			onPipe(t, nothing, func(t *testing.T, conn net.Conn) {
				began := time.Now()
				go func() {
					_, err := io.WriteString(conn, c.send)
					for c.every > 0 && err == nil {
						time.Sleep(c.every)
						_, err = io.WriteString(conn, "X: x\r\n")
					}
				}()
				answer, err := io.ReadAll(conn)
				if took := time.Since(began); err != nil || took > c.ends || took < c.ends/2 && c.ends > time.Second || !strings.HasPrefix(string(answer), c.answers) || c.answers == "" && len(answer) > 0 {
					t.Errorf("after %v it ends with %v and %.100q", took, err, answer)
				}
			})
		})
	}
}

// What is answered before any handler sees the request, and so without the headers of all
// other answers, is plain text that repeats nothing of it, and the last of its connection.
func TestWhatNoHandlerAnswersRepeatsNothing(t *testing.T) {
	const canary = "<script>canary</script>"
	for name, c := range map[string]struct{ send, answers string }{
		"no HTTP":                    {canary + "\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		"a path that is none":        {"GET " + canary + " HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		"a header that is none":      {"GET / HTTP/1.1\r\nHost: x\r\n" + canary + "\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
		"a host that is none":        {"GET / HTTP/1.1\r\nHost: " + canary + "\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		"another version":            {"GET /" + canary + " HTTP/7.7\r\nHost: x\r\n\r\n", "HTTP/1.1 505 "},
		"an unknown transfer coding": {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + canary + "\r\n\r\n", "HTTP/1.1 501 Not Implemented\r\n"},
		"an unknown expectation":     {"GET / HTTP/1.1\r\nHost: x\r\nExpect: " + canary + "\r\n\r\n", "HTTP/1.1 417 Expectation Failed\r\n"},
		"a head that is large":       {"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat(canary, 4<<10) + "\r\n\r\n", "HTTP/1.1 431 "},
	} {
		t.Run(name, func(t *testing.T) {
			nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a handler sees it") })
			onPipe(t, nothing, func(t *testing.T, conn net.Conn) {
				go func() { _, _ = io.WriteString(conn, c.send) }() // it ends where nobody reads on
				answer, err := io.ReadAll(conn)
				head, body, _ := strings.Cut(string(answer), "\r\n\r\n")
				if err != nil || !strings.HasPrefix(string(answer), c.answers) || strings.Contains(string(answer), "canary") || !strings.Contains(head, "\r\nConnection: close") ||
					body != "" && !strings.Contains(head, "\r\nContent-Type: text/plain; charset=utf-8") {
					t.Errorf("it is answered %v %q", err, answer)
				}
			})
		})
	}
}

// Who asks and does not read is not waited for; who reads slowly gets all of it, and a
// stream may be as long as it likes.
func TestWebServerBoundsWhoDoesNotRead(t *testing.T) {
	const pieces, piece = 8, 128 << 10
	for name, c := range map[string]struct {
		every time.Duration // a piece is read so often; 0 is never
		whole bool
	}{
		"never":  {0, false},
		"slowly": {10 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan time.Duration, 1)
			began := time.Now()
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write(make([]byte, pieces*piece))
				ended <- time.Since(began)
			})
			onPipe(t, h, func(t *testing.T, conn net.Conn) {
				ended, began = make(chan time.Duration, 1), time.Now()
				if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				got := 0
				for buf := make([]byte, piece); c.every > 0; {
					n, err := io.ReadFull(conn, buf)
					if got += n; err != nil {
						break
					}
					time.Sleep(c.every)
				}
				if took := <-ended; c.whole != (got > pieces*piece) || !c.whole && took != 30*time.Second {
					t.Errorf("%d bytes came, and it ended after %v", got, took)
				}
			})
		})
	}
	t.Run("a stream", func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 60 {
				_, _ = io.WriteString(w, "data: x\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Minute)
			}
		})
		onPipe(t, h, func(t *testing.T, conn net.Conn) {
			go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }()
			answer, err := io.ReadAll(conn)
			if n := strings.Count(string(answer), "data: x"); err != nil || n != 60 {
				t.Errorf("%d events, %v", n, err)
			}
		})
	})
}

func TestReachable(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:4280": "127.0.0.1:4280", "[::1]:4280": "[::1]:4280", "192.0.2.7:1": "192.0.2.7:1", "desk.example:1": "desk.example:1",
		"0.0.0.0:4280": "127.0.0.1:4280", "[::]:4280": "127.0.0.1:4280", ":4280": "127.0.0.1:4280",
	} {
		if got := holotype.Reachable(listen); got != want {
			t.Errorf("%s is reached at %s, want %s", listen, got, want)
		}
	}
}
