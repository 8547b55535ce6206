package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// SignIns are the sign-ins to bridged servers, as far as browsers have a part in them. Its
// methods are safe for concurrent use.
type SignIns interface {
	// Callback takes what an authorization server sent a browser back with. The error is a
	// [capabilities.Error] whose words are for the person in front of it, and hold nothing of
	// the query.
	Callback(r *http.Request) (SignedIn, error)
	// ClientDocument answers the document that describes this server as a client of
	// authorization servers, as JSON; false where it has none.
	ClientDocument() (body []byte, ok bool)
}

// SignedIn is a sign-in that a browser came back with.
type SignedIn struct {
	Server string
	Seat   string // whose own server it is; "" for one that everybody shares
	Issuer string // the authorization server
}

// The paths of what authorization servers know of this server as their client.
const (
	// CallbackPath is where they send browsers back to.
	CallbackPath = authorizePath + "callback"
	// ClientPath is where the document stands that describes it.
	ClientPath = authorizePath + "client"
	// AssetsPath is where what the pages load is below.
	AssetsPath = assetsPath
)

// The pages that begin a sign-in are /operator/servers/{server}/sign-in, and below that those
// of the seats.
const (
	signInRoot = "/operator/servers/"
	signInTail = "/sign-in"
)

// SignInPath answers the path, below BasePath, of the page that begins a sign-in to a server,
// or to the instance of it that a seat has.
func SignInPath(server, seat string) string {
	path := signInRoot + url.PathEscape(server) + signInTail
	if seat != "" {
		path += "/" + url.PathEscape(seat)
	}
	return path
}

// signInRoutes serves what browsers need for a sign-in.
func (s *Server) signInRoutes() {
	if s.o.SignIns == nil {
		return
	}
	s.mount(CallbackPath, s.callback)
	s.read(ClientPath, s.clientDocument)
	s.served = append(s.served, "GET "+CallbackPath)
	if _, there := s.o.Builtins.Find(system.BeginMCPServerSignIn.Name()); !there {
		return
	}
	for _, pattern := range []string{signInRoot + "{server}" + signInTail, signInRoot + "{server}" + signInTail + "/{seat}"} {
		s.handle(http.MethodGet, pattern, s.inBrowser(s.beginSignIn)) // a HEAD would begin one as well
		s.served = append(s.served, "GET "+pattern)
	}
}

// signsIn reports whether a path is one that authorization servers lead to, which have no
// credential of ours: what is in the query of the one that matters is one.
func (s *Server) signsIn(path string) bool {
	return s.o.SignIns != nil && (path == CallbackPath || path == ClientPath)
}

// beginsSignIn reports whether a path is of a page that begins a sign-in.
func beginsSignIn(path string) bool {
	rest, ok := strings.CutPrefix(path, signInRoot)
	if !ok {
		return false
	}
	server, tail, _ := strings.Cut(rest, "/")
	seat, one := strings.CutPrefix("/"+tail, signInTail+"/")
	return plainSegment(server) && ("/"+tail == signInTail || one && plainSegment(seat))
}

// plainSegment reports whether a text is one segment of a path as [url.PathEscape] writes it,
// and leads nowhere else.
func plainSegment(text string) bool {
	if text == "" || text == "." || text == ".." {
		return false
	}
	return !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-._~%$&+=:@", c)
	})
}

// beginSignIn begins a sign-in and leads the browser to the authorization server. Each ends
// the one before, so that no page of another site begins one: where nobody has to sign in
// here, its requests are let in as well.
func (s *Server) beginSignIn(x *exchange, r *http.Request) {
	const none = "There is no sign-in to go on with"
	if fromAnotherSite(r) {
		e := capabilities.Refuse(capabilities.Forbidden, "another site led here: open the address itself to begin a sign-in")
		s.signInPage(x, r, signInData{Heading: none, Problem: e.Message}, e)
		return
	}
	in := system.MCPServerSignInInput{Name: x.param(r, "server"), Seat: x.param(r, "seat")}
	link, e := ask(x, r, system.BeginMCPServerSignIn, in)
	if e != nil {
		s.signInPage(x, r, signInData{Heading: none, Problem: shown(e.Message)}, e)
		return
	}
	h := x.Header()
	s.pageHeaders(h)
	h.Set(keyReferrerPolicy, "no-referrer")
	h.Set("Location", link.Link)
	x.WriteHeader(http.StatusSeeOther)
}

// signInData is what the page says on which a sign-in ends.
type signInData struct {
	Title, Base, Style     string
	Heading                string
	Problem                string // "" where it went well
	Server, Seat, Provider string
}

// callback takes a browser back from an authorization server. It is asked for by a browser
// alone, once, and changes what is kept: anything but GET is refused.
func (s *Server) callback(x *exchange, r *http.Request) {
	if r.Method != http.MethodGet {
		x.Header()[keyAllow] = []string{http.MethodGet}
		x.problem(r, capabilities.Refuse(capabilities.Invalid, "%s takes GET, not %s", CallbackPath, clip(r.Method)), http.StatusMethodNotAllowed)
		return
	}
	done, err := s.o.SignIns.Callback(r)
	if err != nil {
		e := x.refusal(r, "callback_failed", err)
		if e.Code != capabilities.Unavailable && e.Code != capabilities.InternalError {
			x.note(r, BadLink, e)
		}
		s.signInPage(x, r, signInData{Heading: "The sign-in did not come about", Problem: shown(e.Message)}, e)
		return
	}
	s.signInPage(x, r, signInData{Heading: "Signed in", Server: shown(done.Server), Seat: shown(done.Seat), Provider: shown(done.Issuer)}, nil)
}

// signInPage says how a sign-in ended, as a page or, where no page is wanted, as any refusal.
// Where it came from is told to nobody: the address holds what it was begun with.
func (s *Server) signInPage(x *exchange, r *http.Request, d signInData, e *capabilities.Error) {
	if e != nil && !wantsHTML(r) {
		x.refuse(r, e)
		return
	}
	status := http.StatusOK
	if e != nil {
		status = e.Info().Status
	}
	d.Title, d.Base, d.Style = s.o.Title, s.o.BasePath, s.o.BasePath+stylePath
	s.pageReferring(x, r, status, "signin.html", d, "no-referrer")
}

// clientDocument answers what describes this server as a client.
func (s *Server) clientDocument(x *exchange, r *http.Request) {
	body, ok := s.o.SignIns.ClientDocument()
	if !ok {
		x.refuse(r, capabilities.Refuse(capabilities.NotFound, "this server has no https address that an authorization server could know it by"))
		return
	}
	openDocument(x.Header())
	x.json(r, body)
}
