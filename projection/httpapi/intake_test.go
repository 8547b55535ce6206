package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// pipes is a listener without a network, for a clock that a test moves.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4280} }

// wire is a client's end of a connection to a server of net/http.
type wire struct {
	t *testing.T
	net.Conn
	in    *bufio.Reader
	began time.Time
}

// inTime runs f on a connection to the surface, in a time of its own.
func inTime(t *testing.T, adjust func(*httpapi.Options), f func(t *testing.T, w *wire)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: serve(t, adjust)}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(l) }()
		ours, theirs := net.Pipe()
		l.conns <- theirs
		f(t, &wire{t, ours, bufio.NewReader(ours), time.Now()})
		_ = ours.Close()
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		time.Sleep(time.Hour) // whoever still sends finds that nobody reads
	})
}

// send sends text in the background, as a client that does not wait: a pipe has no
// buffer, and the server may have stopped reading.
func (w *wire) send(text string) {
	go func() { _, _ = io.WriteString(w.Conn, text) }()
}

func head(method, path, length string, headers ...string) string {
	h := method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:4280\r\n"
	if length != "" {
		h += length + "\r\n"
	}
	for _, one := range headers {
		h += one + "\r\n"
	}
	return h + "\r\n"
}

// answer reads one answer and says when it came.
func (w *wire) answer() (status int, body string, closes bool, after time.Duration) {
	w.t.Helper()
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.t.Fatalf("no answer after %v: %v", time.Since(w.began), err)
	}
	defer func() { _ = resp.Body.Close() }()
	after = time.Since(w.began)
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("half an answer after %v: %v", time.Since(w.began), err)
	}
	return resp.StatusCode, string(b), resp.Close, after
}

// gone waits for the server to end the connection and says when it did.
func (w *wire) gone() time.Duration {
	w.t.Helper()
	if n, err := w.in.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		w.t.Fatalf("the connection goes on: %d bytes, %v", n, err)
	}
	return time.Since(w.began)
}

const (
	owner  = "Authorization: Bearer owner"
	asJSON = "Content-Type: application/json"
	asForm = "Content-Type: application/x-www-form-urlencoded"
)

func withMounts(o *httpapi.Options) {
	mount := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n, err)
	})
	o.MCP, o.Docs = mount, http.RedirectHandler("/docs/", http.StatusFound)
}

func TestABodyThatDoesNotComeIsNotWaitedFor(t *testing.T) {
	const sized, chunked = "Content-Length: 100", "Transfer-Encoding: chunked"
	for _, c := range []struct {
		name, head string
		status     int
		after      time.Duration // when the answer comes
	}{
		{"a call without a credential", head("POST", "/api/v1/search", sized, asJSON), 401, 0},
		{"a call with a bad credential", head("POST", "/api/v1/search", sized, asJSON, "Authorization: Bearer guess"), 401, 0},
		{"MCP without a credential", head("POST", "/operator/mcp", sized, asJSON), 401, 0},
		{"MCP without a credential, of unknown length", head("POST", "/operator/mcp", chunked, asJSON), 401, 0},
		{"another site", head("POST", "/login", sized, asForm, "Origin: http://evil.example"), 403, 0},
		{"no such route", head("POST", "/nothing", sized, owner), 404, 0},
		{"no such method", head("DELETE", "/livez", sized), 405, 0},
		{"health", head("GET", "/livez", sized), 200, 0},
		{"the docs", head("POST", "/docs", sized), 302, 0},
		{"signing out", head("POST", "/logout", sized, "Cookie: holotype_session=good"), 303, 0},
		{"a body of another type", head("POST", "/api/v1/search", sized, "Content-Type: text/plain", owner), 415, 0},
		{"a body over the limit", head("POST", "/api/v1/search", "Content-Length: 99999999", asJSON, owner), 413, 0},
		{"a body that is announced and takes asking", head("POST", "/api/v1/search", sized, "Expect: 100-continue"), 401, 0},
		{"a read that takes none", head("GET", "/api/v1/ping", sized, owner), 400, 0},

		{"a read that may have one", head("GET", "/api/v1/ping", chunked, owner), 408, 30 * time.Second},
		{"a call", head("POST", "/api/v1/search", sized, asJSON, owner), 408, 30 * time.Second},
		{"a call of unknown length", head("POST", "/api/v1/search", chunked, asJSON, owner), 408, 30 * time.Second},
		{"a call with the end missing", head("POST", "/api/v1/search", sized, asJSON, owner) + `{"title":`, 408, 30 * time.Second},
		{"MCP", head("POST", "/operator/mcp", sized, asJSON, owner), 408, 30 * time.Second},
		{"MCP of unknown length", head("POST", "/operator/mcp", chunked, asJSON, owner), 408, 30 * time.Second},
		{"a stream of MCP", head("GET", "/operator/mcp", sized, owner), 408, 30 * time.Second},
		{"signing in", head("POST", "/login", sized, asForm), 408, 30 * time.Second},
		{"signing in, of unknown length", head("POST", "/login", chunked, asForm), 408, 30 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTime(t, withMounts, func(t *testing.T, w *wire) {
				w.send(c.head)
				status, body, closes, after := w.answer()
				if status != c.status || after != c.after || !closes {
					t.Errorf("status %d after %v, closes %v: %s; want %d after %v", status, after, closes, body, c.status, c.after)
				}
				if status >= 400 && !strings.Contains(body, `"code":"`) {
					t.Errorf("not a problem: %s", body)
				}
				if at := w.gone(); at > c.after+5500*time.Millisecond { // and what net/http adds
					t.Errorf("the connection ends after %v", at)
				}
			})
		})
	}
}

// A byte now and then keeps no connection, before the answer or after.
func TestADrippingBodyIsNotWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name, head string
		status     int
		gone       time.Duration
	}{
		{"of a call", head("POST", "/api/v1/search", "Content-Length: 4000", asJSON, owner), 408, 31 * time.Second},
		{"of a call that was refused before", head("POST", "/api/v1/search", "Content-Length: 4000", asJSON), 401, 6 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTime(t, withMounts, func(t *testing.T, w *wire) {
				go func() {
					for _, err := io.WriteString(w.Conn, c.head); err == nil; _, err = io.WriteString(w.Conn, " ") {
						time.Sleep(time.Second)
					}
				}()
				if status, body, _, _ := w.answer(); status != c.status {
					t.Errorf("status %d: %s", status, body)
				}
				if at := w.gone(); at > c.gone {
					t.Errorf("the connection ends after %v", at)
				}
			})
		})
	}
}

func TestASlowBodyThatKeepsComingIsTaken(t *testing.T) {
	for _, path := range []string{"/api/v1/search", "/operator/mcp"} {
		inTime(t, withMounts, func(t *testing.T, w *wire) {
			body := `{"title":"` + strings.Repeat("x", 4_000_000) + `"}`
			go func() {
				_, _ = io.WriteString(w.Conn, head("POST", path, fmt.Sprintf("Content-Length: %d", len(body)), asJSON, owner))
				for rest := body; rest != ""; {
					n := min(len(rest), 150_000)
					if _, err := io.WriteString(w.Conn, rest[:n]); err != nil {
						return
					}
					rest = rest[n:]
					time.Sleep(10 * time.Second)
				}
			}()
			status, text, closes, after := w.answer()
			if status != 200 || closes || after < 4*time.Minute {
				t.Errorf("%s: status %d after %v, closes %v: %.200s", path, status, after, closes, text)
			}
		})
	}
}

// slow is a door behind which every call takes a while, and ends when its caller
// leaves.
type slow struct {
	capabilities.Invoker
	took chan error
}

func (s slow) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	select {
	case <-ctx.Done():
		s.took <- ctx.Err()
		return nil, capabilities.Refuse(capabilities.Unavailable, "the caller left")
	case <-time.After(10 * time.Minute):
		return s.Invoker.Invoke(ctx, call)
	}
}

// The bound on a body ends with the body: a call that takes longer is not cut, nor is
// what comes after it on the connection.
func TestALongCallOutlivesTheBoundOfItsBody(t *testing.T) {
	adjust := func(o *httpapi.Options) {
		o.Door = slow{o.Door, make(chan error, 1)}
		o.MCP = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
				w.WriteHeader(http.StatusGone)
			case <-time.After(10 * time.Minute):
			}
		})
	}
	for _, path := range []string{"/api/v1/search", "/operator/mcp"} {
		for name, parts := range map[string][]string{
			"at once":                 {"Content-Length: 2", "{}"},
			"across most of the time": {"Content-Length: 2", "{", "}"},
			"of unknown length":       {"Transfer-Encoding: chunked", "2\r\n{}\r\n", "0\r\n\r\n"},
			"asked for":               {"Content-Length: 2\r\nExpect: 100-continue", "{}"},
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				inTime(t, adjust, func(t *testing.T, w *wire) {
					for range 2 {
						began := time.Now()
						go func() {
							_, _ = io.WriteString(w.Conn, head("POST", path, parts[0], asJSON, owner))
							for i, part := range parts[1:] {
								time.Sleep(time.Duration(i) * 29 * time.Second)
								_, _ = io.WriteString(w.Conn, part)
							}
						}()
						status, body, closes, _ := w.answer()
						if status == http.StatusContinue {
							status, body, closes, _ = w.answer()
						}
						if took := time.Since(began); status != 200 || closes || took < 10*time.Minute {
							t.Fatalf("status %d after %v, closes %v: %s", status, took, closes, body)
						}
						time.Sleep(time.Minute)
					}
				})
			})
		}
	}
}

// A caller that leaves is seen, body or not, as long as its body came in.
func TestACallerThatLeavesEndsItsCall(t *testing.T) {
	took := make(chan error, 1)
	for _, request := range []string{
		head("POST", "/api/v1/search", "Content-Length: 2", asJSON, owner) + "{}",
		head("GET", "/api/v1/ping", "", owner),
	} {
		inTime(t, func(o *httpapi.Options) {
			took = make(chan error, 1)
			o.Door = slow{o.Door, took}
		}, func(t *testing.T, w *wire) {
			w.send(request)
			time.Sleep(time.Minute)
			_ = w.Conn.Close()
			if err := <-took; !errors.Is(err, context.Canceled) || time.Since(w.began) != time.Minute {
				t.Errorf("%v after %v", err, time.Since(w.began))
			}
		})
	}
}

// What was not read of a body is no request.
func TestTheRestOfABodyIsNoRequest(t *testing.T) {
	inside := head("GET", "/livez", "")
	for name, h := range map[string]string{
		"refused before it is read": head("POST", "/api/v1/search", fmt.Sprintf("Content-Length: %d", len(inside)), asJSON),
		"refused for its type":      head("POST", "/api/v1/search", fmt.Sprintf("Content-Length: %d", len(inside)), owner, "Content-Type: text/plain"),
		"too slow":                  head("POST", "/api/v1/search", "Content-Length: 9999", owner, asJSON),
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, nil, func(t *testing.T, w *wire) {
				w.send(h + inside + inside)
				if status, _, closes, _ := w.answer(); status < 400 || !closes {
					t.Errorf("status %d, closes %v", status, closes)
				}
				w.gone()
			})
		})
	}
}
