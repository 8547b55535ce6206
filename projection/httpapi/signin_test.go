package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/signin"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// desk stands for the sign-ins: it knows the server "files", and the instance "desk" of
// "mail".
type desk struct {
	begun    []signin.Key
	document string
}

func (d *desk) Begin(_ context.Context, key signin.Key) (signin.Link, error) {
	if _, ok := d.Standing(key); !ok {
		return signin.Link{}, capabilities.Refuse(capabilities.NotFound, "no <server> of that name is signed in to")
	}
	d.begun = append(d.begun, key)
	return signin.Link{URL: "https://as.example/authorize?state=abc", Expires: now.Add(time.Minute)}, nil
}

func (*desk) Finish(context.Context, url.Values) (signin.Finished, error) {
	return signin.Finished{}, errors.New("not asked for")
}

func (*desk) Forget(context.Context, signin.Key) (bool, error) { return false, nil }

func (*desk) Standing(key signin.Key) (signin.Standing, bool) {
	return signin.Standing{}, key == signin.Key{Server: "files"} || key == signin.Key{Server: "a/b c"} || key == signin.Key{Seat: "desk", Server: "mail"}
}

func (*desk) Callback(r *http.Request) (httpapi.SignedIn, error) {
	switch r.URL.Query().Get("state") {
	case "good":
		return httpapi.SignedIn{Server: "fi<les", Seat: "desk", Issuer: "https://as.example"}, nil
	case "broken":
		return httpapi.SignedIn{}, errors.New("the disk is full of secrets")
	}
	return httpapi.SignedIn{}, capabilities.Refuse(capabilities.NotFound, "no sign-in <waits> for this")
}

func (d *desk) ClientDocument() ([]byte, bool) { return []byte(d.document), d.document != "" }

func serveDesk(t *testing.T, d *desk) (f *fixture, refused *[]string) {
	t.Helper()
	refused = &[]string{}
	f = serve(t, func(o *httpapi.Options) {
		reg, err := capabilities.Assemble(pack.Bind(deps{}), system.Pack.Bind(system.Deps{SignIns: d}))
		if err != nil {
			t.Fatal(err)
		}
		views := capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{})
		o.Viewer, o.Builtins, o.SignIns = views, reg, d
		o.Door = capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Codes: reg.Codes(), Log: o.Log, Now: o.Now})
		o.Authenticate = func(r *http.Request) (*capabilities.Principal, error) {
			if r.Header.Get("X-Open") != "" { // as with auth: none
				return capabilities.OwnerPrincipal(), nil
			}
			return authenticate(r)
		}
		o.Refused = func(r httpapi.Refusal) { *refused = append(*refused, r.Reason+": "+r.Error.Message) }
	})
	return f, refused
}

func TestTheCallbackOfASignIn(t *testing.T) {
	for name, c := range map[string]struct {
		method, query string
		headers       []string
		status        int
		has, not      []string
		refused       []string
	}{
		"it went well": {"GET", "state=good&code=the-code", []string{browser}, 200, []string{"Signed in", "fi&lt;les", "desk", "https://as.example", "can be closed"}, []string{"the-code", "<script"}, nil},
		// That is how a browser comes back.
		"from another site":  {"GET", "state=good", []string{browser, "Sec-Fetch-Site: cross-site"}, 200, []string{"Signed in"}, nil, nil},
		"no browser":         {"GET", "state=good", nil, 200, []string{"Signed in"}, nil, nil},
		"nothing waits":      {"GET", "state=other&code=the-code", []string{browser}, 404, []string{"did not come about", "no sign-in &lt;waits&gt; for this"}, []string{"the-code", "Signed in"}, []string{"bad_link: no sign-in <waits> for this"}},
		"for a program":      {"GET", "state=other&code=the-code", nil, 404, []string{`"code":"not_found"`}, []string{"the-code", "<html"}, []string{"bad_link: no sign-in <waits> for this"}},
		"a fault of ours":    {"GET", "state=broken&code=the-code", []string{browser}, 500, []string{"did not come about"}, []string{"disk", "the-code"}, nil},
		"another method":     {"POST", "state=good", []string{browser}, 405, []string{"takes GET"}, []string{"Signed in"}, nil},
		"only the head":      {"HEAD", "state=good", []string{browser}, 405, nil, []string{"Signed in"}, nil},
		"a form of anybody":  {"POST", "state=good", []string{browser, "Origin: https://evil.example"}, 403, nil, []string{"Signed in"}, []string{`foreign_origin: the origin "https://evil.example" may not call this server: name it in the configuration if it is yours`}},
		"with a bad session": {"GET", "state=good", []string{browser, "Cookie: holotype_session=bad"}, 200, []string{"Signed in"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f, refused := serveDesk(t, &desk{})
			w := f.do(c.method, "/oauth/callback?"+c.query, "", append([]string{"-Authorization"}, c.headers...)...)
			body := w.Body.String()
			if w.Code != c.status {
				t.Errorf("status %d, want %d: %s", w.Code, c.status, body)
			}
			for _, text := range c.has {
				if !strings.Contains(body, text) {
					t.Errorf("%q is missing in %s", text, body)
				}
			}
			for _, text := range c.not {
				if strings.Contains(body, text) {
					t.Errorf("%q is in %s", text, body)
				}
			}
			if w.Header().Get("Referrer-Policy") != "no-referrer" || w.Header().Get("Cache-Control") != "no-store" || !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("headers %v", w.Header())
			}
			if c.status == 405 && w.Header().Get("Allow") != "GET" {
				t.Errorf("it allows %q", w.Header().Get("Allow"))
			}
			if d := cmp.Diff(c.refused, *refused, cmp.Transformer("none", func(all []string) []string { return append([]string{}, all...) })); d != "" {
				t.Errorf("refused (-want +got)\n%s", d)
			}
			for _, secret := range []string{"the-code", "state="} {
				if strings.Contains(f.log.String(), secret) {
					t.Errorf("the log has %q: %s", secret, f.log)
				}
			}
		})
	}
}

func TestThePageThatBeginsASignIn(t *testing.T) {
	signedIn := []string{"-Authorization", browser, "Cookie: holotype_session=good"}
	for name, c := range map[string]struct {
		method, path string
		headers      []string
		status       int
		to           string
		begun        []signin.Key
		has          string
	}{
		"for everybody":                          {"GET", httpapi.SignInPath("files", ""), signedIn, 303, "https://as.example/authorize?state=abc", []signin.Key{{Server: "files"}}, ""},
		"for a seat":                             {"GET", httpapi.SignInPath("mail", "desk"), signedIn, 303, "https://as.example/authorize?state=abc", []signin.Key{{Seat: "desk", Server: "mail"}}, ""},
		"an odd name":                            {"GET", httpapi.SignInPath("a/b c", ""), signedIn, 303, "https://as.example/authorize?state=abc", []signin.Key{{Server: "a/b c"}}, ""},
		"an unknown server":                      {"GET", httpapi.SignInPath("none", ""), signedIn, 404, "", nil, "no &lt;server&gt; of that name"},
		"by a program":                           {"GET", httpapi.SignInPath("files", ""), nil, 403, "", nil, "forbidden"},
		"by nobody":                              {"GET", httpapi.SignInPath("files", ""), []string{"-Authorization"}, 401, "", nil, "unauthenticated"},
		"in another browser":                     {"GET", httpapi.SignInPath("files", ""), []string{"-Authorization", browser}, 401, "", nil, `name="next" value="/operator/servers/files/sign-in"`},
		"from another site":                      {"GET", httpapi.SignInPath("mail", "desk"), append(signedIn[:3:3], "Sec-Fetch-Site: cross-site"), 401, "", nil, `action="/operator/servers/mail/sign-in/desk" class="login"><button type="submit">Continue`},
		"from another site where all are let in": {"GET", httpapi.SignInPath("files", ""), append(signedIn[:2:2], "X-Open: yes", "Sec-Fetch-Site: cross-site"), 403, "", nil, "open the address itself"},
		"itself where all are let in":            {"GET", httpapi.SignInPath("files", ""), append(signedIn[:2:2], "X-Open: yes", "Sec-Fetch-Site: none"), 303, "https://as.example/authorize?state=abc", []signin.Key{{Server: "files"}}, ""},
		"only the head":                          {"HEAD", httpapi.SignInPath("files", ""), signedIn, 405, "", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{}
			f, _ := serveDesk(t, d)
			w := f.do(c.method, c.path, "", c.headers...)
			if w.Code != c.status || w.Header().Get("Location") != c.to || !strings.Contains(w.Body.String(), c.has) {
				t.Errorf("%d to %q, want %d to %q: %s", w.Code, w.Header().Get("Location"), c.status, c.to, w.Body)
			}
			if diff := cmp.Diff(c.begun, d.begun); diff != "" {
				t.Errorf("begun (-want +got)\n%s", diff)
			}
			if c.to != "" && w.Header().Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
}

// Whoever signs in on the way is led on to the page, and to no other that looks like it.
func TestOnwardToASignIn(t *testing.T) {
	for next, to := range map[string]string{
		"/operator/servers/files/sign-in":      "/operator/servers/files/sign-in",
		"/operator/servers/a%2Fb/sign-in/desk": "/operator/servers/a%2Fb/sign-in/desk",
		"/operator/servers//sign-in":           "/",
		"/operator/servers/../sign-in":         "/",
		"/operator/servers/a/b/sign-in":        "/",
		"/operator/servers/a/sign-in/":         "/",
		"/operator/servers/a/sign-in/b/c":      "/",
		"/operator/servers/a/sign-in?x":        "/",
		"//operator/servers/a/sign-in":         "/",
		"/operator/servers/a\\/sign-in":        "/",
		"https://evil.example/sign-in":         "/",
	} {
		f, _ := serveDesk(t, &desk{})
		form := url.Values{"token": {"once"}, "next": {next}}
		w := f.do("POST", "/login", form.Encode(), "-Authorization", "Content-Type: application/x-www-form-urlencoded", browser)
		if w.Code != 303 || w.Header().Get("Location") != to {
			t.Errorf("%s: %d to %q, want %q", next, w.Code, w.Header().Get("Location"), to)
		}
	}
}

func TestTheDocumentOfTheClient(t *testing.T) {
	f, _ := serveDesk(t, &desk{document: `{"client_id":"x"}`})
	if w := f.do("GET", "/oauth/client", "", "-Authorization"); w.Code != 200 || w.Body.String() != `{"client_id":"x"}` || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	f, _ = serveDesk(t, &desk{})
	if w := f.do("GET", "/oauth/client", "", "-Authorization"); w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	// Without sign-ins both are routes of nobody.
	for _, path := range []string{"/oauth/client", "/oauth/callback"} {
		if w := serve(t, nil).do("GET", path, "", "-Authorization"); w.Code != 401 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestTheCatalogueLeadsToASignIn(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.SignIns, o.BasePath = &desk{}, "/tools"
		o.Servers = func() []httpapi.ServerState {
			return []httpapi.ServerState{{Name: "a/b", State: "waiting_for_credentials", SignIns: []string{"", "desk"}}, {Name: "other", State: "running"}}
		}
	})
	body := f.do("GET", "/", "").Body.String()
	for _, link := range []string{`href="/tools/operator/servers/a%2Fb/sign-in"`, `href="/tools/operator/servers/a%2Fb/sign-in/desk"`, " for the seat desk"} {
		if !strings.Contains(body, link) {
			t.Errorf("%s is missing in %s", link, body)
		}
	}
	if strings.Contains(body, "servers/other/sign-in") {
		t.Error("a server that runs is to be signed in to")
	}
	if body := f.do("GET", "/", "", "Authorization: Bearer reader").Body.String(); strings.Contains(body, "sign-in") {
		t.Error("who does not run the server is led to a sign-in")
	}
}
