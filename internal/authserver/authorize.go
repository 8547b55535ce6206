package authserver

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/oauth"
)

// ask is an authorization request that is in order.
type ask struct {
	client   *client
	redirect string // where the answer goes
	state    string
	resource string
	scopes   []string
	// challenge is of the method S256.
	challenge string
	// values are the parameters that were sent, to be sent once more with the decision.
	values url.Values
}

// refusal is why there is no [ask]. With an address it is answered there, else it is told to
// the person: an address that was not checked gets nothing.
type refusal struct {
	failure
	redirect, state string
}

// parameters are those that an authorization request may have here.
func parameters() []string {
	return []string{"response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "resource"}
}

const (
	maxState = 2000
	maxScope = 2000
)

// wanted answers the parameters of an authorization request, and nothing else that was
// sent.
func wanted(sent url.Values) url.Values {
	values := url.Values{}
	for _, name := range parameters() {
		if sent.Has(name) {
			values.Set(name, sent.Get(name))
		}
	}
	return values
}

// read judges an authorization request.
func (s *Server) read(r *http.Request, sent url.Values) (*ask, *refusal) {
	values := wanted(sent)
	tell := func(code, words string) *refusal { return &refusal{failure: failure{code: code, words: words}} }
	if name := twice(sent); name == "client_id" || name == "redirect_uri" {
		return nil, tell(invalidRequest, name+" is there twice")
	}
	c, err := s.clientOf(r.Context(), values.Get("client_id"))
	if no, ok := errors.AsType[errNoClient](err); ok {
		return nil, tell(invalidClient, no.Error())
	}
	if err != nil {
		return nil, &refusal{failure: *s.failed(r, "client_unreadable", err)}
	}
	a := &ask{client: c, redirect: values.Get("redirect_uri"), state: values.Get("state"), challenge: values.Get("code_challenge"), values: values}
	if a.redirect == "" || !c.redirectsTo(a.redirect) {
		return nil, tell(invalidRequest, "redirect_uri is none of the addresses that the client has named before, letter by letter")
	}
	if fault := redirectFault(a.redirect, s.o.Config().OAuth.Schemes()); fault != "" { // it was in order when the client named it
		return nil, tell(invalidRequest, "redirect_uri "+fault)
	}
	f := s.complete(r, a, sent)
	switch {
	case f == nil:
		return a, nil
	case !s.letIn(r.Context(), c.id):
		// Anybody can register an address and send the owner's browser there by a request that
		// is wrong, without a page between (RFC 9700 section 4.11.2).
		return nil, &refusal{failure: *f}
	}
	return nil, &refusal{*f, a.redirect, a.state}
}

// complete judges what is told to the client when it is wrong.
func (s *Server) complete(r *http.Request, a *ask, sent url.Values) *failure {
	fail := func(code, words string) *failure { return &failure{code: code, words: words} }
	if name := twice(sent); name == "resource" {
		return fail(invalidTarget, "resource names more than one: tokens are for one resource each")
	} else if name != "" {
		return fail(invalidRequest, name+" is there twice")
	}
	switch method, kind := a.values.Get("code_challenge_method"), a.values.Get("response_type"); {
	case kind != "code":
		return fail(unsupportedResponse, "response_type has to be code")
	case sent.Has("response_mode") && sent.Get("response_mode") != "query":
		return fail(invalidRequest, "response_mode has to be query")
	case len(a.state) > maxState || len(a.values.Get("scope")) > maxScope:
		return fail(invalidRequest, "state or scope is too long")
	case a.challenge == "" || method != "S256":
		return fail(invalidRequest, "PKCE is needed: send code_challenge, and code_challenge_method S256")
	case !challenges(a.challenge):
		return fail(invalidRequest, "code_challenge is no SHA-256 in base64url")
	}
	a.resource = a.values.Get("resource")
	if a.resource == "" {
		a.resource = s.o.Resource.Address(r)
	}
	if !s.o.Resource.Owns(r, a.resource) {
		return fail(invalidTarget, "resource is none of this server: it is "+s.o.Resource.Address(r)+", or one of its MCP endpoints")
	}
	var ok bool
	if a.scopes, ok = s.scopes(a.values.Get("scope")); !ok {
		return fail(invalidScope, "scope names nothing that can be granted here")
	}
	return nil
}

// challenges reports whether a text may be a challenge of S256: 32 bytes in base64url.
func challenges(s string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(raw) == 32
}

// scopes answers the scopes that a client asks for, as far as they are ones here: clients
// ask for those of other servers as well. It is not ok when nothing is left of some.
func (s *Server) scopes(asked string) ([]string, bool) {
	words := strings.Fields(asked)
	if len(words) == 0 {
		return oauth.OfferedScopes(), true
	}
	var all []string
	for _, scope := range words {
		draft := s.draft([]string{scope}, "")
		if !slices.Contains(all, scope) && known(scope) && s.o.Tokens.Check(draft) == nil {
			all = append(all, scope)
		}
	}
	return all, len(all) > 0 && len(all) <= 64
}

// known reports whether a word has the form of a scope of this server.
func known(scope string) bool {
	if scope == "*" || scope == capabilities.ScopeAdmin {
		return true
	}
	i := strings.LastIndexByte(scope, ':')
	return i > 0 && slices.Contains([]string{"read", "write", "*"}, scope[i+1:])
}

// authorize serves GET of the authorization endpoint: the owner is asked.
//
// A browser that another site sends here does not send the cookie along, as it is for
// requests of our own pages alone (SameSite=Strict). So that who is not known yet gets a
// page that leads here once more. Nothing is looked up for such a request, least of all a
// document at an address that it names.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	session, signedIn := s.o.Browser(r)
	if !signedIn {
		s.connect(w, r, wanted(r.URL.Query()))
		return
	}
	a, no := s.read(r, r.URL.Query())
	if no != nil {
		s.refuse(w, r, no)
		return
	}
	s.ask(w, r, a, session, "")
}

// refuse tells a refusal to whom it may be told.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, no *refusal) {
	if no.redirect != "" {
		s.answer(w, r, no.redirect, url.Values{"error": {no.code}, "error_description": {no.words}}, no.state)
		return
	}
	status := no.status
	if status == 0 {
		status = http.StatusBadRequest
	}
	s.page(w, r, status, "connect.html", connectPage{pageData: s.data(), Problem: no.words}, "")
}

// answer sends the browser back to the client. The issuer is among what it is told, so that
// no answer is taken for that of another server (RFC 9207).
func (s *Server) answer(w http.ResponseWriter, r *http.Request, redirect string, values url.Values, state string) {
	if state != "" {
		values.Set("state", state)
	}
	values.Set("iss", s.o.Resource.Address(r))
	u, err := url.Parse(redirect)
	if err != nil { // not reached: it was parsed before
		s.refuse(w, r, &refusal{failure: failure{code: invalidRequest, words: "redirect_uri cannot be read"}})
		return
	}
	query := values.Encode()
	if u.RawQuery != "" {
		query = u.RawQuery + "&" + query
	}
	u.RawQuery = query
	h := w.Header()
	h.Set("Location", u.String())
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusSeeOther)
}
