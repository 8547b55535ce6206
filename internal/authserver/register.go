package authserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/internal/ratelimit"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	methodNone   = "none"
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"

	maxRegistration = 16 << 10

	// A client that nobody consented to is forgotten after a day, or earlier when there are
	// more than mostClients; one that was let in, when it was not used for half a year.
	clientWaits = 24 * time.Hour
	clientHolds = 180 * 24 * time.Hour
	mostClients = 1000
)

// metadata is what a client says of itself (RFC 7591 section 2). What is not looked at, as
// its logo, is left out.
type metadata struct {
	Name      string   `json:"client_name,omitempty"`
	Redirects []string `json:"redirect_uris"`
	Method    string   `json:"token_endpoint_auth_method"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
}

// check judges what a client says of itself. The schemes are those of [redirectFault].
func (m *metadata) check(schemes []string) *failure {
	if len(m.Redirects) == 0 || len(m.Redirects) > maxRedirects {
		return &failure{code: invalidRedirect, words: fmt.Sprintf("redirect_uris has to hold 1 to %d addresses", maxRedirects)}
	}
	for i, address := range m.Redirects {
		if fault := redirectFault(address, schemes); fault != "" {
			return &failure{code: invalidRedirect, words: fmt.Sprintf("redirect_uris[%d] %s", i, fault)}
		}
	}
	if len(m.Grants) > 0 && !slices.Contains(m.Grants, grantCode) {
		return &failure{code: invalidMetadata, words: "grant_types does not hold authorization_code, and there is no other way to begin"}
	}
	if len(m.Responses) > 0 && !slices.Contains(m.Responses, "code") {
		return &failure{code: invalidMetadata, words: "response_types does not hold code, and there is no other"}
	}
	return nil
}

// registerRate is how many clients may register from one address.
func registerRate() ratelimit.Rate { return ratelimit.Rate{PerMinute: 20, Burst: 20} }

// register serves the registration of a client by itself (RFC 7591). It grants nothing: the
// owner is asked before a client gets a token.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	if wait := s.enrolled.Take(ratelimit.AddressOf(r), registerRate(), s.o.Now()); wait > 0 {
		s.fail(w, r, &failure{status: http.StatusTooManyRequests, code: unavailable, words: "too many clients register from your address: try again later", retry: wait})
		return
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.fail(w, r, &failure{code: invalidMetadata, words: "the metadata of a client is JSON: send it as application/json"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
	if err != nil {
		s.fail(w, r, &failure{code: invalidMetadata, words: fmt.Sprintf("the metadata cannot be read to its end, or has more than %d bytes", maxRegistration)})
		return
	}
	var m metadata
	if err := json.Unmarshal(body, &m); err != nil {
		s.fail(w, r, &failure{code: invalidMetadata, words: "the metadata is no JSON object with the members of RFC 7591"})
		return
	}
	if f := m.check(s.o.Config().OAuth.Schemes()); f != nil {
		s.fail(w, r, f)
		return
	}
	c := &client{id: store.NewID(prefixClient, s.o.Now()), name: nameOf(m.Name), redirects: m.Redirects}
	if err := s.enrol(r.Context(), c); err != nil {
		s.fail(w, r, s.failed(r, "client_not_registered", err))
		return
	}
	// What was asked for and is not had is answered as it is (RFC 7591 section 3.2.1).
	s.json(w, r, http.StatusCreated, struct {
		ID     string `json:"client_id"`
		Issued int64  `json:"client_id_issued_at"`
		metadata
	}{c.id, s.o.Now().Unix(), metadata{c.name, c.redirects, methodNone, []string{grantCode, grantRefresh}, []string{"code"}}})
}

// errNoClient marks why there is no such client, in words for a person.
type errNoClient struct{ error }

func noClient(words string) error { return errNoClient{errors.New(words)} }

var errUnregistered = noClient("no client with this client_id is registered here any more: remove the connection where you added it, and add it again")

// registered answers a client that registered itself.
func (s *Server) registered(ctx context.Context, id string) (*client, error) {
	if id == "" || len(id) > maxName {
		return nil, errUnregistered
	}
	return s.clientRow(ctx, id)
}
