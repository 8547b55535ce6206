package oauth_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// elsewhere is a server that takes the tokens of an issuer elsewhere.
func elsewhere(t *testing.T) (*program, *issuer) {
	t.Helper()
	i := newIssuer(t)
	return start(t, `people: [{id: ada}]
oauth:
  address: ADDRESS
  issuer: `+i.URL+`
  scopes: {look: ["*:read"], work: ["tracker:write"], run: ["*", admin]}
  people: {u2: ada}
`), i
}

func TestAccessTokensOnEverySurface(t *testing.T) {
	p, i := elsewhere(t)
	p.letsIn(i.token(p, p.URL, nil), true)
	public, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	good := i.token(p, p.URL, nil)
	claims := strings.Split(good, ".")[1]
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + claims + "."
	bad := map[string]string{
		"alg none":                     none,
		"HS256 with the public key":    sign(t, jose.HS256, public, map[string]any{"iss": i.URL, "aud": p.URL, "sub": "u1", "exp": p.now().Add(time.Hour).Unix()}),
		"another audience":             i.token(p, "https://else.example", nil),
		"another issuer":               i.token(p, p.URL, map[string]any{"iss": "https://else.example"}),
		"expired":                      i.token(p, p.URL, map[string]any{"exp": p.now().Add(-2 * time.Minute).Unix()}),
		"not yet good":                 i.token(p, p.URL, map[string]any{"nbf": p.now().Add(time.Hour).Unix()}),
		"a signature of another token": good[:strings.LastIndexByte(good, '.')] + "." + strings.Split(i.token(p, p.URL, map[string]any{"sub": "u9"}), ".")[2],
		"half a token":                 good[:strings.LastIndexByte(good, '.')+1],
	}
	for name, token := range bad {
		t.Run(name, func(t *testing.T) {
			q := *p
			q.t = t
			q.letsIn(token, false)
		})
		if part := strings.Split(token, ".")[1]; strings.Contains(p.log.String(), part) {
			t.Errorf("%s: the log holds the token", name)
		}
	}
}

func TestATokenForOneEndpointIsNoneForAnother(t *testing.T) {
	p, i := elsewhere(t)
	token := i.token(p, p.URL+"/operator/mcp/readonly", nil)
	send := func(path string) answer {
		return p.send(http.MethodPost, path, handshake, bearer(token), "Content-Type: application/json", "Accept: application/json, text/event-stream")
	}
	if a := send("/operator/mcp/readonly"); a.status != http.StatusOK {
		t.Errorf("at its own address: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/operator/mcp", "/operator/mcp/x/tracker"} {
		if a := send(path); a.status != http.StatusUnauthorized || !strings.Contains(a.challenge(), p.URL+"/.well-known/oauth-protected-resource"+path+`"`) {
			t.Errorf("at %s: %d %s", path, a.status, a.challenge())
		}
	}
	if a := p.send(http.MethodGet, "/api/v1/projects", "", bearer(token)); a.status != http.StatusUnauthorized {
		t.Errorf("over HTTP: %d", a.status)
	}
}

func TestWhoAnAccessTokenStandsFor(t *testing.T) {
	p, i := elsewhere(t)
	create := func(token string) answer {
		return p.send(http.MethodPost, "/api/v1/projects", `{"key":"WEB","title":"Web"}`, bearer(token), "Content-Type: application/json")
	}
	a := create(i.token(p, p.URL, nil))
	if want := `Bearer error="insufficient_scope", scope="run", resource_metadata="` + p.URL + `/.well-known/oauth-protected-resource"`; a.status != http.StatusForbidden || a.challenge() != want {
		t.Errorf("a token that only looks: %d %s\nwant %s", a.status, a.challenge(), want)
	}
	if a := create(i.token(p, p.URL, map[string]any{"scope": "look work", "sub": "u2"})); a.status != http.StatusOK {
		t.Fatalf("a person's token: %d %s", a.status, a.body)
	}
	if a := p.send(http.MethodGet, "/api/v1/tokens", "", bearer(i.token(p, p.URL, map[string]any{"scope": "look work"}))); a.status != http.StatusForbidden {
		t.Errorf("what needs admin: %d", a.status)
	}
	if a := p.send(http.MethodGet, "/api/v1/tokens", "", bearer(i.token(p, p.URL, map[string]any{"scope": "run"}))); a.status != http.StatusOK {
		t.Errorf("admin that is in the table: %d %s", a.status, a.body)
	}
	// It expires soon, and makes nothing that does not.
	forEver := p.send(http.MethodPost, "/api/v1/tokens", `{"name":"x","scopes":["*:read"]}`, bearer(i.token(p, p.URL, map[string]any{"scope": "run"})), "Content-Type: application/json")
	if forEver.status != http.StatusForbidden || !strings.Contains(forEver.body, "would outlive it") || forEver.challenge() != "" {
		t.Errorf("a token from an access token: %d %s", forEver.status, forEver.body)
	}
	var page struct {
		Items []struct{ By, Kind, Credential string }
	}
	if a := p.send(http.MethodGet, "/api/v1/activity", "", bearer(p.owner)); json.Unmarshal([]byte(a.body), &page) != nil || len(page.Items) != 1 {
		t.Fatalf("%s", a.body)
	}
	if by := page.Items[0].By; by != "ada" {
		t.Errorf("written by %s", by)
	}
	calls := p.send(http.MethodGet, "/api/v1/calls?capability=create_project", "", bearer(p.owner)).body
	if !strings.Contains(calls, `"oauth_`) || strings.Contains(calls, "u2") {
		t.Errorf("the audit has no id of the credential, or the subject: %s", calls)
	}
}

// A session of MCP is judged by the token of each request, and goes on with a renewed one.
func TestATokenThatExpiresInASession(t *testing.T) {
	p, i := elsewhere(t)
	headers := func(token, session string) []string {
		h := []string{bearer(token), "Content-Type: application/json", "Accept: application/json, text/event-stream"}
		if session != "" {
			h = append(h, "Mcp-Session-Id: "+session, "Mcp-Protocol-Version: 2025-11-25")
		}
		return h
	}
	first := i.token(p, p.URL, nil)
	a := p.send(http.MethodPost, "/operator/mcp", handshake, headers(first, "")...)
	session := a.header.Get("Mcp-Session-Id")
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if a := p.send(http.MethodPost, "/operator/mcp", list, headers(first, session)...); a.status != http.StatusOK || session == "" {
		t.Fatalf("in the session: %d %s", a.status, a.body)
	}
	if a := p.send(http.MethodPost, "/operator/mcp", list, headers(i.token(p, p.URL, map[string]any{"sub": "u3"}), session)...); a.status != http.StatusNotFound {
		t.Errorf("with the token of somebody else: %d", a.status)
	}
	p.forward(62 * time.Minute)
	if a := p.send(http.MethodPost, "/operator/mcp", list, headers(first, session)...); a.status != http.StatusUnauthorized {
		t.Errorf("with an expired token: %d", a.status)
	}
	if a := p.send(http.MethodPost, "/operator/mcp", list, headers(i.token(p, p.URL, nil), session)...); a.status != http.StatusOK && a.status != http.StatusNotFound {
		t.Errorf("with a renewed token: %d %s", a.status, a.body)
	}
}

func TestMetadataNeedsNoCredential(t *testing.T) {
	p, i := elsewhere(t)
	for path, resource := range map[string]string{
		"": p.URL, "/operator/mcp": p.URL + "/operator/mcp", "/seats/nobody/mcp": p.URL + "/seats/nobody/mcp",
	} {
		got, err := oauthex.GetProtectedResourceMetadata(t.Context(), p.URL+"/.well-known/oauth-protected-resource"+path, resource, p.Client())
		if err != nil {
			t.Fatal(err)
		}
		if len(got.AuthorizationServers) != 1 || got.AuthorizationServers[0] != i.URL {
			t.Errorf("%+v", got)
		}
	}
	if a := p.send(http.MethodGet, "/.well-known/oauth-protected-resource/api/v1", ""); a.status != http.StatusNotFound {
		t.Errorf("of no resource: %d", a.status)
	}
	if a := p.send(http.MethodGet, "/operator/mcp", ""); a.status != http.StatusUnauthorized || a.challenge() != `Bearer resource_metadata="`+p.URL+`/.well-known/oauth-protected-resource/operator/mcp"` {
		t.Errorf("without a credential: %d %s", a.status, a.challenge())
	}
}

func TestAServerWithoutOAuthSaysNothingOfIt(t *testing.T) {
	p := start(t, "")
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/oauth/authorize", "/oauth/token"} {
		if a := p.send(http.MethodGet, path, "", bearer(p.owner)); a.status != http.StatusNotFound {
			t.Errorf("%s answers %d %s", path, a.status, a.body)
		}
	}
	a := p.send(http.MethodGet, "/api/v1/projects", "", bearer("a.b.c"))
	if a.status != http.StatusUnauthorized || a.challenge() != `Bearer error="invalid_token"` {
		t.Errorf("a JWT is answered %d %s", a.status, a.challenge())
	}
}

// A stream ends when the configuration takes access tokens no more, as it does with its
// token.
func TestAStreamEndsWithTheEntry(t *testing.T) {
	for name, open := range map[string]func(*testing.T) (*program, string){
		"of an issuer": func(t *testing.T) (*program, string) {
			p, i := elsewhere(t)
			return p, i.token(p, p.URL, nil)
		},
		"of its own": func(t *testing.T) (*program, string) {
			p := built(t)
			_, got := p.connected()
			return p, got.Access
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, token := open(t)
			accept := "Accept: application/json, text/event-stream"
			a := p.send(http.MethodPost, "/operator/mcp", handshake, bearer(token), "Content-Type: application/json", accept)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/operator/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{
				"Authorization": {"Bearer " + token}, "Accept": {"text/event-stream"}, "Mcp-Session-Id": {a.header.Get("Mcp-Session-Id")}, "Mcp-Protocol-Version": {"2025-11-25"},
			}
			stream, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = stream.Body.Close() }()
			if err := os.WriteFile(p.file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if a := p.send(http.MethodPost, "/api/v1/config/reload", "{}", bearer(p.owner), "Content-Type: application/json"); stream.StatusCode != http.StatusOK || a.status != http.StatusOK {
				t.Fatalf("the stream: %d, the reload: %d %s", stream.StatusCode, a.status, a.body)
			}
			if _, err := io.Copy(io.Discard, stream.Body); err != nil {
				t.Errorf("the stream goes on: %v", err)
			}
		})
	}
}
