package httpapi

import (
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// sessionLength is how long a browser stays signed in.
const sessionLength = 30 * 24 * time.Hour

// maxForm bounds the body of the sign-in form.
const maxForm = 4 << 10

type loginData struct {
	Title, Base, Style string
	Command            string // prints a fresh link; "" where there is none
	Token              string // from the link; the page sends it on when its button is pressed
	Problem            string
	Next               string // where to go on, below BasePath; "" is the catalogue
	Continue           bool   // the browser may be signed in: a link of another site left its cookie out
}

// showLogin answers GET /login?token=... with a page whose button sends the token
// on. Redeeming at once would be shorter and wrong: a link is also followed by
// mail scanners, chat previews and browsers that guess, and each would spend the
// token before its owner does. A link that leads nowhere says so here already.
func (s *Server) showLogin(x *exchange, r *http.Request) {
	token := r.URL.Query().Get("token")
	if token == "" {
		s.loginPage(x, r, http.StatusOK, loginData{})
		return
	}
	waits, used := s.o.Sessions.Look(token)
	switch {
	case waits:
		s.loginPage(x, r, http.StatusOK, loginData{Token: token})
	case s.signedIn(x, r): // who opens the link once more wants to be inside
		s.leave(x, "/")
	default:
		s.loginPage(x, r, http.StatusUnauthorized, loginData{Problem: s.notGood(used)})
	}
}

// notGood says of a one-time token what is wrong with it and how to get another.
func (s *Server) notGood(used bool) string {
	what := "this one-time token is of no link of this server, is over ten minutes old or was made before the server started"
	if used {
		what = "this link was used already, and each works once"
	}
	if s.o.LoginCommand == "" {
		return what + ": take a fresh link from the server"
	}
	return what + ": run " + s.o.LoginCommand + " for a fresh link"
}

func (s *Server) loginPage(x *exchange, r *http.Request, status int, d loginData) {
	d.Title, d.Base, d.Style, d.Command = s.o.Title, s.o.BasePath, s.o.BasePath+stylePath, s.o.LoginCommand
	if status == http.StatusUnauthorized {
		x.challenge(r, "")
	}
	s.page(x, r, status, "login.html", d)
}

// login answers POST /login: it spends the token and starts a session, in place of
// the one that the browser may have.
func (s *Server) login(x *exchange, r *http.Request) {
	if f := readForm(x, r, "send token=...", maxForm); f != nil {
		x.problem(r, f.Error, f.status)
		return
	}
	token := r.PostForm.Get("token")
	if token == "" || !s.o.Sessions.Redeem(token) {
		s.stranger(x, r, routePath(r))
		_, used := s.o.Sessions.Look(token)
		e := capabilities.Refuse(capabilities.Unauthenticated, "%s", s.notGood(used))
		x.note(r, BadLink, e)
		if wantsHTML(r) {
			s.loginPage(x, r, http.StatusUnauthorized, loginData{Problem: e.Message})
			return
		}
		x.refuse(r, e)
		return
	}
	if e := s.endSessions(x, r); e != nil {
		x.refuse(r, e)
		return
	}
	expiry := s.o.Now().Add(sessionLength)
	value, err := s.o.Sessions.Start(expiry)
	if err != nil {
		x.refuse(r, x.refusal(r, "session_failed", err))
		return
	}
	s.setCookie(x, value, expiry)
	s.leave(x, nextOf(r.PostForm.Get("next")))
}

// nextOf answers where a browser goes on that has signed in: a page on which something is
// decided or begun, and nothing that anybody else may have written.
func nextOf(path string) string {
	id, one := strings.CutPrefix(path, approvalsPath+"/")
	foreign := strings.ContainsFunc(id, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	if path == approvalsPath || one && id != "" && !foreign || beginsSignIn(path) {
		return path
	}
	return "/"
}

// logout answers POST /logout: it ends the session and takes the cookie away.
func (s *Server) logout(x *exchange, r *http.Request) {
	s.setCookie(x, "", time.Unix(1, 0))
	if e := s.endSessions(x, r); e != nil {
		x.refuse(r, e)
		return
	}
	s.leave(x, "/login")
}

// endSessions ends whatever sessions the request has cookies of.
func (s *Server) endSessions(x *exchange, r *http.Request) *capabilities.Error {
	for _, c := range r.CookiesNamed(s.o.CookieName) {
		if err := s.o.Sessions.End(c.Value); err != nil {
			return x.refusal(r, "session_failed", err)
		}
	}
	return nil
}

func (s *Server) setCookie(x *exchange, value string, expiry time.Time) {
	http.SetCookie(x, &http.Cookie{
		Name: s.o.CookieName, Value: value, Path: s.o.BasePath + "/", Expires: expiry.UTC(),
		HttpOnly: true, Secure: x.secure, SameSite: http.SameSiteStrictMode,
	})
}

// leave sends the browser on to a page of ours, given by its path below BasePath.
func (s *Server) leave(x *exchange, to string) {
	h := x.Header()
	s.pageHeaders(h)
	h.Set("Location", s.o.BasePath+to)
	x.WriteHeader(http.StatusSeeOther)
}

// readForm reads the body of a form of at most so many bytes; needs says what it is of.
func readForm(w http.ResponseWriter, r *http.Request, needs string, most int64) *fault {
	const form = "application/x-www-form-urlencoded"
	if kind, _, err := mime.ParseMediaType(r.Header.Get(keyContentType)); r.ContentLength != 0 && (err != nil || kind != form) {
		return &fault{capabilities.Refuse(capabilities.Invalid, "the form is announced as %q: %s as %s",
			clip(r.Header.Get(keyContentType)), needs, form), http.StatusUnsupportedMediaType}
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	err := r.ParseForm()
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case err == nil:
		return nil
	case large:
		return faultOf(capabilities.Refuse(capabilities.TooLarge, "the form has more than %d bytes: %s and what else its page has, alone", most, needs))
	case errors.Is(err, errTooSlow):
		return tooSlow(err)
	}
	return faultOf(capabilities.Refuse(capabilities.Invalid, "the form cannot be read: %s as %s", needs, form).Because(err))
}
