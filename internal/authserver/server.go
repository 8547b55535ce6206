// Package authserver is the built-in OAuth 2.1 authorization server: the owner of this
// server consents in the browser to each client, which gets API tokens of its own.
//
// It serves the authorization code flow with PKCE (RFC 7636) to public clients that
// registered themselves (RFC 7591) or are known by a metadata document at their own URL.
// What it gives are texts that mean nothing by themselves: each stands for an API token of
// package identity, is kept as its digest, and ends with it.
package authserver

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/oauth"
	"github.com/seed-89b9419b/holotype/internal/ratelimit"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/web"
)

//go:embed schema/*.sql
var files embed.FS

// owner is whose tables they are.
const owner = "oauth"

// Schema answers the tables of the package.
func Schema() store.Schema {
	// The folder is embedded above: Sub fails on a malformed name alone.
	sub, _ := fs.Sub(files, "schema")
	return store.Schema{Owner: owner, Files: sub}
}

// The paths of the endpoints, below the address of the server.
const (
	AuthorizePath = "/oauth/authorize"
	TokenPath     = "/oauth/token" //nolint:gosec // an address, no credential
	RegisterPath  = "/oauth/register"
	RevokePath    = "/oauth/revoke"
	// MetadataPath is where the metadata of RFC 8414 stands.
	MetadataPath = "/.well-known/oauth-authorization-server"
)

// Draft is an API token that is to be made for a client.
type Draft struct {
	Name    string
	Scopes  []string
	Expires string
	Seat    string
}

// Options configure a [Server]. All but Documents are needed.
type Options struct {
	// Store keeps clients, codes and bearers. It was opened with [Schema] and that of
	// package identity.
	Store  *store.DB
	Tokens *identity.Tokens
	Config func() *config.Config
	Now    func() time.Time
	Log    *slog.Logger
	// Resource answers where this server is and which addresses are its resources.
	Resource *oauth.Resource
	// Make makes an API token as the owner and answers its id, Revoke revokes one.
	Make   func(ctx context.Context, d Draft) (id string, err error)
	Revoke func(ctx context.Context, id string) error
	// Refused is told of the requests to the token and the revocation endpoint that are
	// refused before they become a call. It answers how long the address that sent one is to
	// wait, which has sent too many wrong ones; 0 is not at all.
	Refused func(r *http.Request, why Refused) time.Duration
	// Browser answers what the session of the owner's browser is known by, when a request
	// comes from a page of this server in a browser that is signed in.
	Browser func(r *http.Request) (session string, ok bool)
	// Key is what the marks of consent pages are made with: 32 bytes that nobody guesses, and
	// the same in every process that the browser's session counts at.
	Key []byte
	// Title is what the server is called, Base what stands before its paths in links, and
	// Login the command that prints a link to sign in with, "" for none.
	Title, Base, Login string
	// Documents fetches the metadata documents of clients; nil reaches public addresses
	// alone.
	Documents http.RoundTripper
}

// Server is the authorization server. It is safe for concurrent use.
type Server struct {
	o         Options
	pages     *template.Template
	documents *documents
	key       []byte // of the marks of consent pages
	enrolled  *ratelimit.Buckets[netip.Addr]

	mu   sync.Mutex
	seen map[string]*bearer // access tokens by their hash
}

// New answers an authorization server. The error is one of the pages.
func New(o Options) (*Server, error) {
	pages, err := template.ParseFS(web.Templates, "templates/consent.html", "templates/connect.html")
	if err != nil {
		return nil, fmt.Errorf("reading the pages of consent: %w", err)
	}
	const addresses = 4096
	return &Server{
		o: o, pages: pages, documents: newDocuments(o.Documents, o.Now, func() []string { return o.Config().OAuth.Schemes() }), key: o.Key, seen: map[string]*bearer{},
		enrolled: ratelimit.NewBuckets[netip.Addr](addresses),
	}, nil
}

// On reports whether the configuration in force wants it.
func (s *Server) On() bool { return s.o.Config().OAuth.Server }

// ServeHTTP serves the endpoints and the metadata.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.On() {
		s.fail(w, r, &failure{status: http.StatusNotFound, code: "not_found", words: "this server is no authorization server"})
		return
	}
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch path := r.URL.Path; {
	case path == MetadataPath && get:
		s.metadata(w, r)
	case path == AuthorizePath && get:
		s.authorize(w, r)
	case path == AuthorizePath && r.Method == http.MethodPost:
		s.consent(w, r)
	case path == TokenPath && r.Method == http.MethodPost:
		s.token(w, r)
	case path == RegisterPath && r.Method == http.MethodPost:
		s.register(w, r)
	case path == RevokePath && r.Method == http.MethodPost:
		s.revoke(w, r)
	case path == TokenPath, path == RegisterPath, path == RevokePath, path == AuthorizePath, path == MetadataPath:
		w.Header().Set("Allow", map[string]string{AuthorizePath: "GET, HEAD, POST", MetadataPath: "GET, HEAD"}[path])
		if path != AuthorizePath && path != MetadataPath {
			w.Header().Set("Allow", "POST")
		}
		s.fail(w, r, &failure{status: http.StatusMethodNotAllowed, code: invalidRequest, words: "the endpoint has no such method"})
	default:
		s.fail(w, r, &failure{status: http.StatusNotFound, code: "not_found", words: "the authorization server has no such endpoint"})
	}
}

// metadata answers that of RFC 8414.
func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	at := s.o.Resource.Address(r)
	w.Header().Set("Access-Control-Allow-Origin", "*") // clients in a browser look for it before anybody trusts them
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	s.json(w, r, http.StatusOK, struct {
		Issuer        string   `json:"issuer"`
		Authorize     string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		Register      string   `json:"registration_endpoint"`
		Revoke        string   `json:"revocation_endpoint"`
		Scopes        []string `json:"scopes_supported"`
		Responses     []string `json:"response_types_supported"`
		Modes         []string `json:"response_modes_supported"`
		Grants        []string `json:"grant_types_supported"`
		Methods       []string `json:"token_endpoint_auth_methods_supported"`
		RevokeMethods []string `json:"revocation_endpoint_auth_methods_supported"`
		Challenges    []string `json:"code_challenge_methods_supported"`
		Documents     bool     `json:"client_id_metadata_document_supported"`
		Iss           bool     `json:"authorization_response_iss_parameter_supported"`
		Documentation string   `json:"service_documentation"`
	}{
		Issuer: at, Authorize: at + AuthorizePath, Token: at + TokenPath, Register: at + RegisterPath, Revoke: at + RevokePath,
		Scopes: oauth.OfferedScopes(), Responses: []string{"code"}, Modes: []string{"query"}, Grants: []string{grantCode, grantRefresh},
		Methods: []string{"none"}, RevokeMethods: []string{"none"}, Challenges: []string{"S256"}, Documents: true, Iss: true,
		Documentation: at + "/docs/oauth",
	})
}

// The codes of RFC 6749 section 5.2 and 4.1.2.1, RFC 7591 section 3.2.2 and RFC 8707
// section 2 that are answered.
const (
	invalidRequest      = "invalid_request"
	invalidClient       = "invalid_client"
	invalidGrant        = "invalid_grant"
	invalidScope        = "invalid_scope"
	invalidTarget       = "invalid_target"
	invalidRedirect     = "invalid_redirect_uri"
	invalidMetadata     = "invalid_client_metadata"
	unsupportedGrant    = "unsupported_grant_type"
	unsupportedResponse = "unsupported_response_type"
	accessDenied        = "access_denied"
	serverError         = "server_error"
	unavailable         = "temporarily_unavailable"
)

// failure is what a client, or a person, is told that something is wrong.
type failure struct {
	status int
	code   string
	words  string
	retry  time.Duration
	token  string // the API token that is over by it, "" for none
}

// fail answers a failure as JSON (RFC 6749 section 5.2).
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f *failure) {
	status := f.status
	if status == 0 {
		status = http.StatusBadRequest
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", challenge(r))
	}
	if f.retry > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(int64((f.retry+time.Second-1)/time.Second)))
	}
	s.json(w, r, status, map[string]string{"error": f.code, "error_description": f.words})
}

// failed answers the failure of what is none of the client's doing. Only a refusal's own
// words are shown.
func (s *Server) failed(r *http.Request, event string, err error) *failure {
	if e, ok := capabilities.AsError(err); ok {
		if e.Code == capabilities.Unavailable {
			return &failure{status: http.StatusServiceUnavailable, code: unavailable, words: e.Message, retry: max(e.RetryAfter, time.Second)}
		}
		if e.Code == capabilities.RateLimited {
			return &failure{status: http.StatusTooManyRequests, code: unavailable, words: e.Message, retry: max(e.RetryAfter, time.Second)}
		}
		return &failure{status: http.StatusForbidden, code: accessDenied, words: e.Message}
	}
	//nolint:sloglint // every caller passes a constant
	s.o.Log.LogAttrs(r.Context(), slog.LevelError, event, slog.String("error", err.Error()))
	return &failure{status: http.StatusInternalServerError, code: serverError, words: "this server failed; its operator finds the cause in the log"}
}

func (s *Server) json(w http.ResponseWriter, r *http.Request, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil { // not reached: what is answered holds texts and numbers
		body, status = []byte(`{"error":"server_error"}`), http.StatusInternalServerError
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // it fails when the caller has gone
	}
}
