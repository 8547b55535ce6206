// Package drive starts a server for a test and speaks to it as its callers do: over
// HTTP, over MCP of both eras on both transports, and on the command line. It
// writes every message itself, byte for byte, so that a test can send what no
// client library would.
package drive

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// Running is one server, reached every way.
type Running struct {
	URL   string
	Token string
	// Handler answers requests without a network, and SignInPath the path of a page that
	// signs a browser in as the owner, once; nil where the server is another process.
	Handler    http.Handler
	SignInPath func() (string, error)

	client *http.Client
	// run runs a command line, without the program's name.
	run func(ctx context.Context, words []string, in io.Reader, out, errw io.Writer) int
	// stdio starts a session over standard streams.
	stdio func(t *testing.T) *Session
	// stop ends the server, once.
	stop func() error
}

// Start serves o in this process. Where o names no data directory it has one of its
// own, where it has no log nothing is logged, and it never sees this process's
// environment. The end of the test stops it.
func Start(t *testing.T, o holotype.Options) *Running {
	t.Helper()
	if o.Data == "" {
		o.Data = t.TempDir()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	server := holotype.New(o)
	handler, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	r := &Running{
		URL: web.URL, Token: Token(t, o.Data), Handler: handler, SignInPath: server.SignInPath, client: web.Client(), run: server.Command().Run,
		stdio: func(t *testing.T) *Session { return pipes(t, server) },
		stop: sync.OnceValue(func() error {
			web.Close()
			return server.Close()
		}),
	}
	t.Cleanup(func() { r.Stop(t) })
	return r
}

// Stop ends the server before the end of the test, so that another one may serve its
// data directory. It is for servers of [Start] that no session on standard streams
// speaks to.
func (r *Running) Stop(t *testing.T) {
	t.Helper()
	if err := r.stop(); err != nil {
		t.Errorf("closing the server: %v", err)
	}
}

// Token reads the owner's token of a data directory.
func Token(t *testing.T, data string) string {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(data, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// Head is what an answer over HTTP says before its body.
type Head struct {
	StatusCode int
	Header     http.Header
}

// HTTP sends one request with the owner's token and reads the answer.
func (r *Running) HTTP(t *testing.T, method, target string, header map[string]string, body []byte) (Head, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL+target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Head{resp.StatusCode, resp.Header}, data
}

// Get answers the body of a path, which must be served.
func (r *Running) Get(t *testing.T, path string) []byte {
	t.Helper()
	resp, data := r.HTTP(t, http.MethodGet, path, nil, nil)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, resp.StatusCode, data)
	}
	return data
}

// CLI runs one command line and answers what it wrote and its exit status. It
// reaches the running server through the data directory, as every command does.
func (r *Running) CLI(t *testing.T, stdin string, words ...string) (out, errw []byte, exit int) {
	t.Helper()
	var o, e bytes.Buffer
	exit = r.run(context.WithoutCancel(t.Context()), words, strings.NewReader(stdin), &o, &e)
	return o.Bytes(), e.Bytes(), exit
}
