package holotype_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A provider is an MCP server with an authorization server of its own, which lets in whoever
// it is told is at the browser. Every token and code of it begins with "planted-".
type provider struct {
	*httptest.Server

	mu       sync.Mutex
	who      string            // at the browser
	access   map[string]string // the tokens that are good, and whose each is
	renewals map[string]string // the same of refresh tokens
	codes    map[string]code
	count    int
	renewed  int // how often
	clients  int
	revoked  int
	seen     []string // what came as Authorization to the MCP server
}

type code struct{ who, challenge, client, redirect, resource string }

func openProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{who: "ada", access: map[string]string{}, renewals: map[string]string{}, codes: map[string]code{}}
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	tool := func(name string, says func(token string) string) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: says(strings.TrimPrefix(r.Extra.Header.Get("Authorization"), "Bearer "))}}}, nil
		})
	}
	tool("whoami", func(token string) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.access[token]
	})
	tool("leak", func(token string) string { return "the token is " + token })
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Get("Authorization")
		p.mu.Lock()
		p.seen = append(p.seen, given)
		_, good := p.access[strings.TrimPrefix(given, "Bearer ")]
		p.mu.Unlock()
		if !good {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+p.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, map[string]any{"resource": p.URL + "/mcp", "authorization_servers": []string{p.URL}, "scopes_supported": []string{"files"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, 200, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "registration_endpoint": p.URL + "/register",
			"revocation_endpoint": p.URL + "/revoke", "code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"},
			"grant_types_supported": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_methods_supported": []string{"none"},
			"authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("POST /register", p.register)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("POST /revoke", p.revoke)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func answerJSON(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (p *provider) fresh(kind string) string {
	p.count++
	return fmt.Sprintf("planted-%s-%d-0123456789", kind, p.count)
}

func (p *provider) register(w http.ResponseWriter, r *http.Request) {
	var asked map[string]any
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		answerJSON(w, 400, map[string]any{"error": "invalid_client_metadata"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients++
	asked["client_id"] = fmt.Sprint("client-", p.clients)
	answerJSON(w, 201, asked)
}

func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("code_challenge_method") != "S256" || q.Get("resource") != p.URL+"/mcp" {
		http.Error(w, "not in order", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {q.Get("state")}, "iss": {p.URL}}
	if p.who == "" {
		answer.Set("error", "access_denied")
	} else {
		c := p.fresh("code")
		p.codes[c] = code{p.who, q.Get("code_challenge"), q.Get("client_id"), q.Get("redirect_uri"), q.Get("resource")}
		answer.Set("code", c)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	who := ""
	switch r.FormValue("grant_type") {
	case "authorization_code":
		c, ok := p.codes[r.FormValue("code")]
		delete(p.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if ok && c.challenge == base64.RawURLEncoding.EncodeToString(sum[:]) && c.redirect == r.FormValue("redirect_uri") && c.client == r.FormValue("client_id") && c.resource == r.FormValue("resource") {
			who = c.who
		}
	case "refresh_token":
		who = p.renewals[r.FormValue("refresh_token")]
		delete(p.renewals, r.FormValue("refresh_token"))
		p.renewed++
	}
	if who == "" {
		answerJSON(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	access, renewal := p.fresh("access"), p.fresh("renewal")
	p.access[access], p.renewals[renewal] = who, who
	answerJSON(w, 200, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": renewal, "scope": "files"})
}

func (p *provider) revoke(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked++
	delete(p.access, r.FormValue("token"))
	delete(p.renewals, r.FormValue("token"))
	w.WriteHeader(http.StatusOK)
}

// expire ends every access token; with the renewals nothing brings one back.
func (p *provider) expire(renewals bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.access)
	if renewals {
		clear(p.renewals)
	}
}

func (p *provider) atBrowser(who string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who = who
}

func (p *provider) counts() (renewed, clients, revoked int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.renewed, p.clients, p.revoked
}

// foreign answers what came to the MCP server and was no token of this one.
func (p *provider) foreign() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.seen), func(value string) bool { return value == "" || strings.HasPrefix(value, "Bearer planted-access-") })
}
