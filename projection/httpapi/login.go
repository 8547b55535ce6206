package httpapi

import (
	"net/http"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// sessionLength is how long a browser stays signed in.
const sessionLength = 30 * 24 * time.Hour

// maxForm bounds the body of the sign-in form.
const maxForm = 4 << 10

type loginData struct {
	Title, Base, Style string
	Token              string // from the link; the page sends it on when its button is pressed
	Problem            string
}

// showLogin answers GET /login?token=... with a page whose button sends the token
// on. Redeeming at once would be shorter and wrong: a link is also followed by
// mail scanners, chat previews and browsers that guess, and each would spend the
// token before its owner does.
func (s *Server) showLogin(x *exchange, r *http.Request) {
	s.loginPage(x, r, http.StatusOK, loginData{Token: r.URL.Query().Get("token")})
}

func (s *Server) loginPage(x *exchange, r *http.Request, status int, d loginData) {
	d.Title, d.Base, d.Style = s.o.Title, s.o.BasePath, s.o.BasePath+stylePath
	if status == http.StatusUnauthorized {
		x.Header()[keyAuthenticate] = []string{"Bearer"}
	}
	s.page(x, r, status, "login.html", d)
}

// login answers POST /login: it spends the token and starts a session.
func (s *Server) login(x *exchange, r *http.Request) {
	r.Body = http.MaxBytesReader(x, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		x.refuse(r, capabilities.Refuse(capabilities.Invalid, "the form cannot be read: send token=... as application/x-www-form-urlencoded"))
		return
	}
	token := r.PostForm.Get("token")
	if token == "" || !s.o.Sessions.Redeem(token) {
		const sentence = "this one-time token is not good, was used already or is too old: take a fresh link from the server"
		if wantsHTML(r) {
			s.loginPage(x, r, http.StatusUnauthorized, loginData{Problem: sentence})
			return
		}
		x.refuse(r, capabilities.Refuse(capabilities.Unauthenticated, sentence))
		return
	}
	expiry := s.o.Now().Add(sessionLength)
	s.setCookie(x, r, s.o.Sessions.Sign(expiry), expiry)
	s.leave(x, "/")
}

// logout answers POST /logout: it takes the cookie away.
func (s *Server) logout(x *exchange, r *http.Request) {
	s.setCookie(x, r, "", time.Unix(1, 0))
	s.leave(x, "/login")
}

func (s *Server) setCookie(x *exchange, r *http.Request, value string, expiry time.Time) {
	http.SetCookie(x, &http.Cookie{
		Name: s.o.CookieName, Value: value, Path: s.o.BasePath + "/", Expires: expiry.UTC(),
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}

// leave sends the browser on to a page of ours, given by its path below BasePath.
func (s *Server) leave(x *exchange, to string) {
	h := x.Header()
	s.pageHeaders(h)
	h[keyCacheControl] = s.values.noStore
	h.Set("Location", s.o.BasePath+to)
	x.WriteHeader(http.StatusSeeOther)
}
