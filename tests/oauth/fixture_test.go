// Package oauth_test drives OAuth against whole servers: access tokens of an authorization
// server elsewhere, and of the one that is built in.
package oauth_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/seed-89b9419b/holotype"
)

// program is a whole server with a configuration.
type program struct {
	*httptest.Server
	t      *testing.T
	server *holotype.Server
	served *atomic.Pointer[http.Handler] // of server
	data   string
	file   string
	owner  string
	shift  *atomic.Int64 // how far its clock is ahead
	still  *atomic.Int64 // at what its clock stands, in nanoseconds; 0 is that it goes on
	log    *lines
}

// lines is a log that is read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts a server at an address that its configuration may name as ADDRESS.
func start(t *testing.T, text string) *program {
	t.Helper()
	return startIn(t, holotype.InMemory, text)
}

// startIn is start with a data directory.
func startIn(t *testing.T, data, text string) *program {
	t.Helper()
	p := &program{t: t, data: data, file: filepath.Join(t.TempDir(), "holotype.yaml"), log: &lines{}, shift: &atomic.Int64{}, still: &atomic.Int64{}, served: &atomic.Pointer[http.Handler]{}}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*p.served.Load()).ServeHTTP(w, r) }))
	p.write(text)
	p.open()
	p.Start()
	t.Cleanup(func() {
		p.Close()
		if err := p.server.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// write writes the configuration.
func (p *program) write(text string) {
	p.t.Helper()
	if err := os.WriteFile(p.file, []byte(strings.ReplaceAll(text, "ADDRESS", "http://"+p.Listener.Addr().String())), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// open opens what is served.
func (p *program) open() {
	p.t.Helper()
	p.server = holotype.New(holotype.Options{
		Data: p.data, Config: p.file, Lookup: func(string) (string, bool) { return "", false },
		Log: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now: p.now,
	})
	h, err := p.server.Handler()
	if err != nil {
		p.t.Fatal(err)
	}
	p.served.Store(&h)
	if p.owner, err = p.server.OwnerToken(); err != nil {
		p.t.Fatal(err)
	}
}

// again closes what is served and opens it once more, at the same address.
func (p *program) again() {
	p.t.Helper()
	if err := p.server.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.open()
}

func (p *program) forward(d time.Duration) { p.shift.Add(int64(d)) }

func (p *program) now() time.Time {
	at := time.Now()
	if still := p.still.Load(); still != 0 {
		at = time.Unix(0, still)
	}
	return at.Add(time.Duration(p.shift.Load()))
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// challenge is what the answer says about the credential that is wanted.
func (a answer) challenge() string { return a.header.Get("Www-Authenticate") }

// code answers the code of a refusal, wherever it stands.
func (a answer) code() string {
	var problem struct{ Code string }
	_ = json.Unmarshal([]byte(a.body), &problem)
	return problem.Code
}

// send sends a request; headers are "Name: value". No redirect is followed.
func (p *program) send(method, path, body string, headers ...string) answer {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.URL+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return p.do(r)
}

func (p *program) do(r *http.Request) answer {
	p.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(all)}
}

func bearer(token string) string { return "Authorization: Bearer " + token }

// surfaces are a harmless request on each surface.
func (p *program) surfaces(token string) map[string]answer {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
	headers := []string{
		bearer(token), "Content-Type: application/json", "Accept: application/json, text/event-stream",
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: list_projects",
	}
	return map[string]answer{
		"HTTP":    p.send(http.MethodGet, "/api/v1/projects", "", bearer(token)),
		"MCP":     p.send(http.MethodPost, "/operator/mcp", call, headers...),
		"one MCP": p.send(http.MethodPost, "/operator/mcp", handshake, bearer(token), "Content-Type: application/json", "Accept: application/json, text/event-stream"),
	}
}

const handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// letsIn checks that a token is good, or that it is refused, everywhere alike.
func (p *program) letsIn(token string, in bool) {
	p.t.Helper()
	for surface, a := range p.surfaces(token) {
		switch {
		case in && a.status != http.StatusOK:
			p.t.Errorf("%s refuses a good token: %d %s", surface, a.status, a.body)
		case !in && (a.status != http.StatusUnauthorized || a.code() != "unauthenticated"):
			p.t.Errorf("%s answers %d %s", surface, a.status, a.body)
		case !in && !strings.HasPrefix(a.challenge(), `Bearer error="invalid_token", resource_metadata="`+p.URL+"/.well-known/oauth-protected-resource"):
			p.t.Errorf("%s challenges with %s", surface, a.challenge())
		}
	}
}

// issuer is an authorization server elsewhere, on the loopback.
type issuer struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey
}

var issuerKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := issuerKey()
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k"}}})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// token is an access token for an audience, with changes of its claims.
func (i *issuer) token(p *program, audience string, changes map[string]any) string {
	i.t.Helper()
	claims := map[string]any{
		"iss": i.URL, "aud": audience, "sub": "u1", "client_id": "c1", "scope": "look",
		"exp": p.now().Add(time.Hour).Unix(), "iat": p.now().Unix(),
	}
	maps.Copy(claims, changes)
	return sign(i.t, jose.RS256, i.key, claims)
}

func sign(t *testing.T, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(body)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}
