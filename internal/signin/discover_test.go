package signin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

const prm, asm = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"

func (w *world) beginFails(code capabilities.Code, words string) {
	w.t.Helper()
	if link, err := w.client.Begin(w.t.Context(), files); err == nil {
		w.t.Errorf("a sign-in begins at %s", link.URL)
	} else {
		w.refused(err, code, words)
	}
}

// Where it is looked for, and in which order (MCP, Authorization Server Discovery).
func TestWhereAServerIsSignedInTo(t *testing.T) {
	for name, c := range map[string]struct {
		prepare   func(w *world)
		challenge func(w *world) string
		path      string // of the issuer
		asked     []string
		resource  func(w *world) string
	}{
		"where the challenge says": {
			func(w *world) { w.over["mcp /here"] = w.describeResource },
			func(w *world) string { return `Bearer resource_metadata="` + w.mcp.URL + `/here"` }, "",
			[]string{"mcp /here", "as " + asm},
			nil,
		},
		"at its own path, whatever another origin's challenge says": {
			func(*world) {}, func(w *world) string { return `Bearer resource_metadata="` + w.as.URL + prm + `"` }, "",
			[]string{"mcp " + prm + "/mcp", "as " + asm},
			nil,
		},
		"at the root, for all that is below": {
			func(w *world) {
				w.over["mcp "+prm+"/mcp"], w.over["mcp "+prm] = http.NotFound, w.describeResource
				w.resource["resource"] = w.mcp.URL + "/"
			}, nil, "",
			[]string{"mcp " + prm + "/mcp", "mcp " + prm, "as " + asm},
			func(w *world) string { return w.mcp.URL + "/" },
		},
		"by OpenID Connect": {
			func(w *world) {
				w.over["as "+asm], w.over["as /.well-known/openid-configuration"] = withStatus(404), w.describe
			}, nil, "",
			[]string{"mcp " + prm + "/mcp", "as " + asm, "as /.well-known/openid-configuration"},
			nil,
		},
		"at an issuer with a path": {
			func(w *world) { w.over["as "+asm+"/tenant"] = w.describe }, nil, "/tenant",
			[]string{"mcp " + prm + "/mcp", "as " + asm + "/tenant"},
			nil,
		},
		"at an issuer with a path, by OpenID Connect": {
			func(w *world) { w.over["as /tenant/.well-known/openid-configuration"] = w.describe }, nil, "/tenant",
			[]string{"mcp " + prm + "/mcp", "as " + asm + "/tenant", "as /.well-known/openid-configuration/tenant", "as /tenant/.well-known/openid-configuration"},
			nil,
		},
		"behind a server that answers every path with a page": {
			func(w *world) {
				page := func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<!doctype html>")) }
				w.over["as "+asm], w.over["as /.well-known/openid-configuration"] = page, w.describe
			}, nil, "",
			[]string{"mcp " + prm + "/mcp", "as " + asm, "as /.well-known/openid-configuration"},
			nil,
		},
		"at itself, as in 2025-03-26": {
			func(w *world) {
				w.over["mcp "+prm+"/mcp"], w.over["mcp "+asm] = http.NotFound, w.describe
				w.meta["issuer"] = w.mcp.URL
			}, nil, "",
			[]string{"mcp " + prm + "/mcp", "mcp " + prm, "mcp " + asm},
			nil,
		},
		"at the endpoints of 2025-03-26": {
			func(w *world) { w.over["mcp "+prm+"/mcp"], w.over["mcp /register"] = http.NotFound, w.register }, nil, "",
			[]string{"mcp " + prm + "/mcp", "mcp " + prm, "mcp " + asm, "mcp /.well-known/openid-configuration"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.client.Account(w.server())
			var challenges []string
			if c.challenge != nil {
				challenges = append(challenges, c.challenge(w))
			}
			c.prepare(w)
			if c.path != "" {
				w.resource["authorization_servers"], w.meta["issuer"] = []string{w.as.URL + c.path}, w.as.URL+c.path
			}
			a.Refused(t.Context(), "", http.StatusUnauthorized, challenges)
			_, asked := w.begin()
			w.mu.Lock()
			got := slices.DeleteFunc(slices.Clone(w.asked), func(s string) bool { return strings.HasSuffix(s, "/register") })
			w.mu.Unlock()
			if diff := cmp.Diff(c.asked, got); diff != "" {
				t.Error(diff)
			}
			want := w.url()
			if c.resource != nil {
				want = c.resource(w)
			}
			if asked.Get("resource") != want {
				t.Errorf("the token is asked for %q, want %q", asked.Get("resource"), want)
			}
		})
	}
}

// Nothing that a server names is trusted for what it says of itself.
func TestWhereAServerIsNotSignedInTo(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(w *world)
		code    capabilities.Code
		words   string
	}{
		"a resource of another origin":         {func(w *world) { w.resource["resource"] = "https://evil.example/mcp" }, capabilities.Conflict, "which it is not"},
		"a resource beside it":                 {func(w *world) { w.resource["resource"] = w.mcp.URL + "/mc" }, capabilities.Conflict, "which it is not"},
		"a resource below it":                  {func(w *world) { w.resource["resource"] = w.mcp.URL + "/mcp/x" }, capabilities.Conflict, "which it is not"},
		"a resource with a fragment":           {func(w *world) { w.resource["resource"] = w.url() + "#x" }, capabilities.Conflict, "which it is not"},
		"no authorization server":              {func(w *world) { w.resource["authorization_servers"] = []string{} }, capabilities.Conflict, "oauth.issuer"},
		"an authorization server by http":      {func(w *world) { w.resource["authorization_servers"] = []string{"http://evil.example"} }, capabilities.Conflict, "is not https"},
		"an authorization server of a file":    {func(w *world) { w.resource["authorization_servers"] = []string{"file:///etc/passwd"} }, capabilities.Conflict, "is no"},
		"an authorization server with a query": {func(w *world) { w.resource["authorization_servers"] = []string{w.as.URL + "/?x=y"} }, capabilities.Conflict, "is no issuer"},
		"an authorization server with a name": {func(w *world) {
			w.resource["authorization_servers"] = []string{strings.Replace(w.as.URL, "//", "//u:p@", 1)}
		}, capabilities.Conflict, "a credential"},
		"an issuer that says it is another":      {func(w *world) { w.meta["issuer"] = "https://evil.example" }, capabilities.Conflict, "says that it is"},
		"an issuer that says it is below":        {func(w *world) { w.meta["issuer"] = w.as.URL + "/x" }, capabilities.Conflict, "says that it is"},
		"no metadata":                            {func(w *world) { w.over["as "+asm] = withStatus(404) }, capabilities.Conflict, "has no metadata"},
		"metadata that is elsewhere":             {func(w *world) { w.over["as "+asm] = redirectTo(w.mcp.URL + asm) }, capabilities.Conflict, "has no metadata"},
		"a resource that is described elsewhere": {func(w *world) { w.over["mcp "+prm+"/mcp"] = redirectTo("https://evil.example") }, capabilities.Conflict, "answers a registration 404"},
		"metadata that cannot be had now":        {func(w *world) { w.over["as "+asm] = withStatus(503) }, capabilities.Unavailable, "answers 503"},
		"a description that cannot be had now":   {func(w *world) { w.over["mcp "+prm+"/mcp"] = withStatus(502) }, capabilities.Unavailable, "answers 502"},
		"metadata without an end": {func(w *world) {
			w.over["as "+asm] = func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(strings.Repeat("{", 1<<20))) }
		}, capabilities.Unavailable, "more than"},
		"no PKCE":                         {func(w *world) { w.meta["code_challenge_methods_supported"] = nil }, capabilities.Conflict, "PKCE"},
		"PKCE without a hash":             {func(w *world) { w.meta["code_challenge_methods_supported"] = []string{"plain"} }, capabilities.Conflict, "PKCE"},
		"no code":                         {func(w *world) { w.meta["response_types_supported"] = []string{"token"} }, capabilities.Conflict, "by a code"},
		"a sign-in page that is a script": {func(w *world) { w.meta["authorization_endpoint"] = "javascript:alert(1)//x" }, capabilities.Conflict, "is no"},
		"a sign-in page by http":          {func(w *world) { w.meta["authorization_endpoint"] = "http://evil.example/authorize" }, capabilities.Conflict, "is not https"},
		"a token endpoint by http":        {func(w *world) { w.meta["token_endpoint"] = "http://evil.example/token" }, capabilities.Conflict, "is not https"},
		"no token endpoint":               {func(w *world) { w.meta["token_endpoint"] = nil }, capabilities.Conflict, "is no"},
		"a registration that is refused": {func(w *world) {
			w.over["as /register"] = withJSON(400, map[string]any{"error": "invalid_redirect_uri", "error_description": "no \u202e loopback" + strings.Repeat("x", 9999)})
		}, capabilities.Conflict, `invalid_redirect_uri, saying "no \u202e loopback`},
		"a registration for somebody else": {func(w *world) {
			w.over["as /register"] = withJSON(201, map[string]any{"client_id": "a", "redirect_uris": []string{"https://evil.example"}})
		}, capabilities.Conflict, "another redirect URL"},
		"a registration without a client": {func(w *world) { w.over["as /register"] = withJSON(201, map[string]any{}) }, capabilities.Conflict, "no client"},
		"a client with a line break":      {func(w *world) { w.over["as /register"] = withJSON(201, map[string]any{"client_id": "a\nb"}) }, capabilities.Conflict, "characters"},
		"a client that has to sign": {func(w *world) {
			w.over["as /register"] = withJSON(201, map[string]any{"client_id": "a", "client_secret": mark, "token_endpoint_auth_method": "private_key_jwt"})
		}, capabilities.Conflict, "does not know"},
		"no registration": {func(w *world) { w.meta["registration_endpoint"] = nil }, capabilities.Conflict, "oauth.client_id"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.client.Account(w.server())
			w.call(a)
			c.prepare(w)
			w.beginFails(c.code, c.words)
			w.wantState(signin.Needed, "asks for one")
		})
	}
}

// Who sends tokens to whom is for the server to say, but a secret of the configuration is not to go wherever it says.
func TestASecretGoesWhereTheOperatorSays(t *testing.T) {
	w := newWorld(t)
	s := w.server()
	s.ClientID, s.ClientSecret = "mine", mark+"configured"
	w.client.Account(s)
	w.beginFails(capabilities.Conflict, `set oauth.issuer, to "`+w.as.URL+`"`)
	s.Issuer = w.as.URL
	w.resource["authorization_servers"] = []string{w.mcp.URL}
	w.client.Account(s)
	if link, _ := w.begin(); !strings.HasPrefix(link.URL, w.as.URL+"/") || w.count("mcp "+asm) != 0 {
		t.Errorf("the server leads to %s, and not the operator", link.URL)
	}
}

func TestAServerThatSaysNothingOfASignIn(t *testing.T) {
	w := newWorld(t)
	w.client.Account(w.server())
	w.over["mcp "+prm+"/mcp"] = http.NotFound
	w.beginFails(capabilities.Conflict, "asks for no sign-in")
}

// A slash at the end of an issuer without a path is the same URL, and what answers an answer is held to is what the server calls itself.
func TestAnIssuerWithASlash(t *testing.T) {
	w := newWorld(t)
	w.resource["authorization_servers"] = []string{w.as.URL + "/"}
	if a := w.signIn(w.server()); w.call(a) != http.StatusOK {
		t.Error("a call is refused")
	}
}

func TestWhoSignsIn(t *testing.T) {
	type wants struct{ id, basic, post string }
	for name, c := range map[string]struct {
		configured [2]string
		document   string
		methods    []string
		documents  bool
		registered map[string]any
		want       wants
	}{
		"a client that is registered, without a secret":  {want: wants{id: "client-1"}},
		"one that was given a secret":                    {registered: map[string]any{"client_id": "c", "client_secret": mark + "&", "token_endpoint_auth_method": "client_secret_basic"}, want: wants{basic: "c:" + mark + "%26"}},
		"one that sends it with the form":                {registered: map[string]any{"client_id": "c", "client_secret": mark, "token_endpoint_auth_method": "client_secret_post"}, want: wants{id: "c", post: mark}},
		"one that was given a secret and no word of how": {registered: map[string]any{"client_id": "c", "client_secret": mark}, methods: []string{"client_secret_post"}, want: wants{id: "c", post: mark}},
		"one that was given a secret for nothing":        {registered: map[string]any{"client_id": "c", "client_secret": mark}, methods: []string{"none"}, want: wants{id: "c"}},
		"the one that is configured":                     {configured: [2]string{"mine", ""}, want: wants{id: "mine"}},
		"the one that is configured, with its secret":    {configured: [2]string{"mine", mark + "s"}, want: wants{basic: "mine:" + mark + "s"}},
		"the same, where only a form is taken":           {configured: [2]string{"mine", mark + "s"}, methods: []string{"client_secret_post"}, want: wants{id: "mine", post: mark + "s"}},
		"the document, where it is taken":                {document: "https://h.example/oauth/client", documents: true, want: wants{id: "https://h.example/oauth/client"}},
		"none, where documents are not taken":            {document: "https://h.example/oauth/client", want: wants{id: "client-1"}},
		"the one that is configured before a document":   {configured: [2]string{"mine", ""}, document: "https://h.example/oauth/client", documents: true, want: wants{id: "mine"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.options.Document = func() string { return c.document }
			w.client.Close(t.Context())
			w.client = signin.New(w.options)
			if c.methods != nil {
				w.meta["token_endpoint_auth_methods_supported"] = c.methods
			}
			w.meta["client_id_metadata_document_supported"] = c.documents
			if c.registered != nil {
				w.over["as /register"] = withJSON(http.StatusCreated, c.registered)
			}
			var basic []string
			w.over["as /token"] = func(rw http.ResponseWriter, r *http.Request) {
				user, pass, _ := r.BasicAuth()
				w.set(func() {
					basic = append(basic, user+":"+pass)
					w.clients[user], w.clients[r.PostForm.Get("client_id")] = true, true
				})
				w.token(rw, r)
			}
			s := w.server()
			if s.ClientID, s.ClientSecret = c.configured[0], c.configured[1]; s.ClientSecret != "" {
				s.Issuer = w.as.URL
			}
			a := w.signIn(s)
			w.set(func() { clear(w.access) })
			if status := w.call(a); status != http.StatusOK {
				t.Errorf("a call is answered %d", status)
			}
			if c.want.basic == "" {
				c.want.basic = ":"
			}
			for i := range 2 { // the code, and the renewal
				if got := (wants{w.form(i).Get("client_id"), basic[i], w.form(i).Get("client_secret")}); got != c.want {
					t.Errorf("request %d is by %+v, want %+v", i, got, c.want)
				}
			}
			w.tell(s)
		})
	}
}
