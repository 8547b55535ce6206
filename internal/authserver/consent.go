package authserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

// pageData is what every page of consent begins with.
type pageData struct{ Title, Base, Style string }

// connectPage is what a browser sees whose owner is not known, or whose request leads
// nowhere.
type connectPage struct {
	pageData
	Login, Problem string
	Here           bool // our own page led here already
	Action         string
	Values         []field
}

// consentPage asks the owner.
type consentPage struct {
	pageData
	Client, Place, Redirect, Problem string
	Known                            bool // by a document of its own, at Place
	Resource                         string
	Action, Mark                     string
	Values                           []field
	Scopes                           []choice
	Seats                            []choice
}

type field struct{ Name, Value string }

// choice is something that the owner may grant, in words.
type choice struct {
	Value, Words string
	On           bool
}

func (s *Server) data() pageData {
	return pageData{s.o.Title, s.o.Base, s.o.Base + "/assets/style.css"}
}

// connect answers the page of who is not known yet.
func (s *Server) connect(w http.ResponseWriter, r *http.Request, values url.Values) {
	s.page(w, r, http.StatusOK, "connect.html", connectPage{
		pageData: s.data(), Login: s.o.Login, Here: r.Header.Get("Sec-Fetch-Site") == "same-origin", Action: s.o.Base + AuthorizePath, Values: fields(values),
	}, "")
}

// ask answers the page of consent.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, a *ask, session, problem string) {
	p := consentPage{
		pageData: s.data(), Client: a.client.name, Place: a.client.host, Known: a.client.host != "", Redirect: placeOf(a.redirect), Problem: problem,
		Resource: a.resource, Action: s.o.Base + AuthorizePath, Values: fields(a.values), Mark: s.mark(session, a, s.o.Now()),
	}
	if p.Client == "" {
		p.Client = "A program without a name"
	}
	for _, scope := range a.scopes {
		p.Scopes = append(p.Scopes, choice{scope, inWords(scope), scope != capabilities.ScopeAdmin})
	}
	for _, seat := range s.o.Config().Seats {
		p.Seats = append(p.Seats, choice{Value: seat.ID, Words: seat.Name})
	}
	status := http.StatusOK
	if problem != "" {
		status = http.StatusForbidden
	}
	s.page(w, r, status, "consent.html", p, sourceOf(a.redirect))
}

// inWords says what a scope allows.
func inWords(scope string) string {
	switch scope {
	case "*", "*:write", "*:*":
		return "read and change everything, but not how the server is run"
	case "*:read":
		return "read everything, but not how the server is run"
	case capabilities.ScopeAdmin:
		return "see and change how the server is run, other tokens included"
	}
	if name, ok := strings.CutSuffix(scope, ":read"); ok {
		return "read with the tools of " + name
	}
	return "read and change with the tools of " + scope[:max(strings.LastIndexByte(scope, ':'), 0)]
}

func (a *ask) label() string { return a.client.label(a.redirect) }

// fields answers the parameters for the form of a page.
func fields(values url.Values) (all []field) {
	for _, name := range parameters() {
		if values.Has(name) {
			all = append(all, field{name, values.Get(name)})
		}
	}
	return all
}

// markHolds is how long a page of consent may stand open.
const markHolds = 10 * time.Minute

// mark binds a page of consent to the browser's session, to the request and to the time: a
// decision counts that comes from the page that the owner was shown.
func (s *Server) mark(session string, a *ask, at time.Time) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte(stamp + "\x00" + session + "\x00" + a.values.Encode())) // a hash takes everything
	return stamp + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// marked reports whether a mark is one of such a page.
func (s *Server) marked(mark, session string, a *ask) bool {
	stamp, _, _ := strings.Cut(mark, ".")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false
	}
	age := s.o.Now().Sub(time.Unix(at, 0))
	return age > -time.Minute && age < markHolds && hmac.Equal([]byte(mark), []byte(s.mark(session, a, time.Unix(at, 0))))
}

// consent serves POST of the authorization endpoint: the owner has decided.
func (s *Server) consent(w http.ResponseWriter, r *http.Request) {
	form, f := readForm(w, r)
	if f != nil {
		s.refuse(w, r, &refusal{failure: *f})
		return
	}
	session, signedIn := s.o.Browser(r)
	if !signedIn {
		s.connect(w, r, wanted(form))
		return
	}
	a, no := s.read(r, form)
	if no != nil {
		no.redirect = "" // nobody sends the browser away by a form
		s.refuse(w, r, no)
		return
	}
	if !s.marked(form.Get("mark"), session, a) {
		s.ask(w, r, a, session, "The page was open for too long, or was not yours. Look at it again, and decide.")
		return
	}
	if form.Get("decision") != "allow" {
		s.answer(w, r, a.redirect, url.Values{"error": {accessDenied}, "error_description": {"the owner of the server said no"}}, a.state)
		return
	}
	s.allow(w, r, a, form, session)
}

// allow gives the client a code for what the owner ticked.
func (s *Server) allow(w http.ResponseWriter, r *http.Request, a *ask, form url.Values, session string) {
	var scopes []string
	for _, scope := range form["grant"] {
		if slices.Contains(a.scopes, scope) && !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	if len(scopes) == 0 {
		s.ask(w, r, a, session, "Nothing is ticked: choose what the program may do, or refuse it.")
		return
	}
	draft := s.draft(scopes, form.Get("seat"))
	if err := s.o.Tokens.Check(draft); err != nil {
		s.ask(w, r, a, session, "It cannot be granted: "+err.Error())
		return
	}
	encoded, err := json.Marshal(scopes)
	if err != nil {
		s.refuse(w, r, &refusal{failure: *s.failed(r, "scopes_unwritable", err)})
		return
	}
	secret := mint(prefixCode)
	c := &code{
		Client: a.client.id, Name: a.label(), Redirect: a.redirect, Challenge: a.challenge, Resource: a.resource, Scopes: string(encoded),
		Seat: draft.Seat, ExpiresMS: s.o.Now().Add(codeHolds).UnixMilli(),
	}
	if err := s.keepCode(r.Context(), secret, c); err != nil {
		s.refuse(w, r, &refusal{failure: *s.failed(r, "code_not_kept", err)})
		return
	}
	s.o.Log.InfoContext(r.Context(), "oauth_client_allowed", "client", c.Client, "scopes", scopes, "seat", c.Seat)
	s.answer(w, r, a.redirect, url.Values{"code": {secret}}, a.state)
}

// draft is the API token that would be made, as [identity.Tokens.Check] judges it.
func (s *Server) draft(scopes []string, seat string) identity.Draft {
	return identity.Draft{Name: "client", Scopes: scopes, Expires: grantHolds, Seat: seat, By: capabilities.OwnerPrincipal()}
}

// page renders a page. leads is where its form may lead on to: browsers hold the redirect
// behind a form to the policy, too.
func (s *Server) page(w http.ResponseWriter, r *http.Request, status int, name string, data any, leads string) {
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, data); err != nil {
		s.fail(w, r, s.failed(r, "page_failed", err))
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", strings.TrimSpace("default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' "+leads))
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // as no-referrer the form's own Origin would be null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes()) // it fails when the caller has gone
	}
}
