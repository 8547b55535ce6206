package oauth_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/oauth"
)

func TestATokenOfTheIssuerIsTaken(t *testing.T) {
	w := newWorld(t)
	k := testKeys()
	for name, token := range map[string]string{
		"RS256":                 w.token(nil),
		"ES256":                 w.sign(jose.ES256, k.ec, head{"kid": "ec"}, w.claims(nil)),
		"EdDSA":                 w.sign(jose.EdDSA, k.ed, head{"kid": "ed"}, w.claims(nil)),
		"no kid":                w.sign(jose.ES256, k.ec, nil, w.claims(nil)),
		"a plain JWT":           w.sign(jose.RS256, k.rsa, head{"kid": "rsa", "typ": "JWT"}, w.claims(nil)),
		"several audiences":     w.token(map[string]any{"aud": []string{"https://else.example", base}}),
		"the slash of a root":   w.token(map[string]any{"aud": base + "/"}),
		"scopes as a list":      w.token(map[string]any{"scope": nil, "scp": []string{"*:read", "tracker:read"}}),
		"just expired":          w.token(map[string]any{"exp": w.now().Add(-59 * time.Second).Unix()}),
		"just not good":         w.token(map[string]any{"nbf": w.now().Add(59 * time.Second).Unix()}),
		"with fractions":        w.token(map[string]any{"exp": float64(w.now().Unix()) + 10.5}),
		"a key it brings along": w.sign(jose.RS256, k.rsa, head{"kid": "rsa", "jwk": jose.JSONWebKey{Key: k.other.Public()}}, w.claims(nil)),
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.t = t
			p := w.taken("/api/v1/tools", token)
			want := &capabilities.Principal{Kind: capabilities.Operator, Scopes: []string{"*:read", "tracker:read"}}
			want.ID = oauth.CredentialID(w.issuer.URL, "u1", "c1")
			want.Credential = want.ID
			if diff := cmp.Diff(want, p); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if n := w.issuer.asked.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times, want once", n)
	}
}

// unsigned puts a token together by hand.
func unsigned(header string, claims map[string]any, signature string) string {
	body, _ := json.Marshal(claims)
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(header)) + "." + enc(body) + "." + enc([]byte(signature))
}

func TestATokenThatIsNotInOrderIsRefused(t *testing.T) {
	w := newWorld(t)
	k := testKeys()
	public, err := x509.MarshalPKIXPublicKey(k.rsa.Public())
	if err != nil {
		t.Fatal(err)
	}
	good := w.token(nil)
	parts := strings.Split(good, ".")
	for name, c := range map[string]struct{ token, words string }{
		"alg none":                          {unsigned(`{"alg":"none","typ":"at+jwt","kid":"rsa"}`, w.claims(nil), ""), "no JWT that is signed with"},
		"alg NONE":                          {unsigned(`{"alg":"nOnE","typ":"at+jwt"}`, w.claims(nil), ""), "no JWT that is signed with"},
		"the public key as a shared secret": {w.sign(jose.HS256, public, head{"kid": "rsa"}, w.claims(nil)), "no JWT that is signed with"},
		"another algorithm of the key":      {w.sign(jose.PS256, k.rsa, head{"kid": "rsa"}, w.claims(nil)), "no JWT that is signed with"},
		"another key under the kid":         {w.sign(jose.RS256, k.other, head{"kid": "rsa"}, w.claims(nil)), "signature"},
		"the kid of a key of another kind":  {w.sign(jose.RS256, k.rsa, head{"kid": "ec"}, w.claims(nil)), "no key"},
		"a key that is for something else":  {w.sign(jose.RS256, k.other, head{"kid": "enc"}, w.claims(nil)), "no key"},
		"a short key":                       {w.sign(jose.RS256, k.short, head{"kid": "short"}, w.claims(nil)), "no key"},
		"another curve":                     {w.sign(jose.ES384, k.p384, head{"kid": "p384"}, w.claims(nil)), "no JWT that is signed with"},
		"a key of its own":                  {w.sign(jose.RS256, k.other, head{"kid": "mine", "jwk": jose.JSONWebKey{Key: k.other.Public(), KeyID: "mine"}}, w.claims(nil)), "no key"},
		"a place of keys of its own":        {w.sign(jose.RS256, k.other, head{"kid": "mine", "jku": "https://evil.example/keys", "x5u": "https://evil.example/x"}, w.claims(nil)), "no key"},
		"a header that must be understood":  {unsigned(`{"alg":"RS256","typ":"at+jwt","kid":"rsa","crit":["b64"],"b64":false}`, w.claims(nil), "x"), "crit"},
		"no type":                           {unsigned(`{"alg":"RS256","kid":"rsa"}`, w.claims(nil), "x"), "typ"},
		"another type":                      {w.sign(jose.RS256, k.rsa, head{"kid": "rsa", "typ": "logout+jwt"}, w.claims(nil)), "typ"},
		"a changed claim":                   {parts[0] + "." + strings.Split(w.token(map[string]any{"sub": "u2"}), ".")[1] + "." + parts[2], "signature"},
		"no signature":                      {parts[0] + "." + parts[1] + ".", "signature"},
		"no JWT":                            {"a.b.c", "no JWT"},
		"nothing between dots":              {"..", "no JWT"},
		"too long":                          {w.token(map[string]any{"pad": strings.Repeat("x", 20<<10)}), "over 16384 bytes"},
		"another issuer":                    {w.token(map[string]any{"iss": w.issuer.URL + "/"}), "another issuer"},
		"no issuer":                         {w.token(map[string]any{"iss": nil}), "another issuer"},
		"an issuer that is no text":         {w.token(map[string]any{"iss": []string{w.issuer.URL}}), "another issuer"},
		"a claim twice":                     {w.sign(jose.RS256, k.rsa, head{"kid": "rsa"}, fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"u1","sub":"u2","exp":4102444800}`, w.issuer.URL, base)), "each of them once"},
		"a claim of another case":           {w.sign(jose.RS256, k.rsa, head{"kid": "rsa"}, fmt.Sprintf(`{"iss":%q,"Aud":%q,"sub":"u1","exp":4102444800}`, w.issuer.URL, base)), "no audience"},
		"claims that are no object":         {w.sign(jose.RS256, k.rsa, head{"kid": "rsa"}, `null`), "JSON object"},
		"another audience":                  {w.token(map[string]any{"aud": "https://else.example"}), "another audience"},
		"the beginning of the audience":     {w.token(map[string]any{"aud": base + ".evil.example"}), "another audience"},
		"the audience of an endpoint":       {w.token(map[string]any{"aud": base + "/operator/mcp"}), "another audience"},
		"no audience":                       {w.token(map[string]any{"aud": nil}), "no audience"},
		"an empty list of audiences":        {w.token(map[string]any{"aud": []string{}}), "no audience"},
		"an audience that is a number":      {w.token(map[string]any{"aud": 7}), "no audience"},
		"expired":                           {w.token(map[string]any{"exp": w.now().Add(-time.Minute).Unix()}), "expired at"},
		"no expiry":                         {w.token(map[string]any{"exp": nil}), "when it expires"},
		"an expiry that is a text":          {w.token(map[string]any{"exp": "4102444800"}), "when it expires"},
		"an expiry of null":                 {w.sign(jose.RS256, k.rsa, head{"kid": "rsa"}, fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"u1","exp":null}`, w.issuer.URL, base)), "when it expires"},
		"an expiry without an end":          {w.sign(jose.RS256, k.rsa, head{"kid": "rsa"}, fmt.Sprintf(`{"iss":%q,"aud":%q,"sub":"u1","exp":1e300}`, w.issuer.URL, base)), "when it expires"},
		"not yet good":                      {w.token(map[string]any{"nbf": w.now().Add(2 * time.Minute).Unix()}), "is good from"},
		"issued later":                      {w.token(map[string]any{"iat": w.now().Add(2 * time.Minute).Unix()}), "is good from"},
		"a beginning that is a text":        {w.token(map[string]any{"nbf": "now"}), "nbf"},
		"no subject":                        {w.token(map[string]any{"sub": nil}), "nobody"},
		"an empty subject":                  {w.token(map[string]any{"sub": ""}), "nobody"},
		"a subject with a NUL":              {w.token(map[string]any{"sub": "u1\x00c", "client_id": "1"}), "nobody"},
		"a client with a NUL":               {w.token(map[string]any{"client_id": "c\x001"}), "client"},
		"a subject that is a number":        {w.token(map[string]any{"sub": 7}), "nobody"},
		"bound to a key":                    {w.token(map[string]any{"cnf": map[string]string{"jkt": "x"}}), "bound to a key"},
		"scopes that are a number":          {w.token(map[string]any{"scope": 7}), "scopes"},
		"a client that is a list":           {w.token(map[string]any{"client_id": []string{"c"}}), "client"},
	} {
		t.Run(name, func(t *testing.T) {
			w := *w
			w.t = t
			w.refused(c.token, capabilities.Unauthenticated, c.words)
		})
	}
}

func TestEachEndpointIsAResourceOfItsOwn(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		aud, path string
		taken     bool
	}{
		{base, "/operator/mcp", true},
		{base, "/seats/desk/mcp", true},
		{base + "/operator/mcp", "/operator/mcp", true},
		{base + "/operator/mcp", "/operator/mcp/", true},
		{base + "/operator/mcp", "/operator/mcp/readonly", false},
		{base + "/operator/mcp/readonly", "/operator/mcp", false},
		{base + "/operator/mcp/x/tracker", "/operator/mcp/x/tracker", true},
		{base + "/operator/mcp/x/tracker", "/operator/mcp/x/system", false},
		{base + "/seats/desk/mcp", "/seats/desk/mcp", true},
		{base + "/seats/desk/mcp", "/seats/other/mcp", false},
		{base + "/api/v1/tools", "/api/v1/tools", false},
	} {
		_, err := w.at(c.path, w.token(map[string]any{"aud": c.aud}))
		if (err == nil) != c.taken {
			t.Errorf("a token for %s at %s: %v, want it taken: %t", c.aud, c.path, err, c.taken)
		}
	}
	w.reload(func(o *config.OAuth) { o.Audience = "api://tools" })
	w.refused(w.token(nil), capabilities.Unauthenticated, "another audience")
	w.taken("/operator/mcp", w.token(map[string]any{"aud": "api://tools"}))
}

func TestScopesAndSubjectsAreMapped(t *testing.T) {
	w := newWorld(t)
	token := w.token(map[string]any{"scope": "admin tools.run *:read", "email": "ada@x.example"})
	if got := w.taken("/", token).Scopes; !cmp.Equal(got, []string{"*:read", "tools.run"}) {
		t.Errorf("without a table: %v", got)
	}
	w.reload(func(o *config.OAuth) {
		o.Scopes = map[string][]string{"tools.run": {"tracker:*", "*:read"}, "admin": {"admin"}, "unused": {"*"}}
		o.SubjectClaim, o.People = "email", map[string]string{"ada@x.example": "ada"}
	})
	w.refused(w.token(map[string]any{"email": "ada@x.example", "email_verified": false}), capabilities.Unauthenticated, "verified its email")
	p := w.taken("/", token)
	want := &capabilities.Principal{ID: "ada", Kind: capabilities.Person, Scopes: []string{"*:read", "admin", "tracker:*"}, Credential: oauth.CredentialID(w.issuer.URL, "ada@x.example", "c1")}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if p := w.taken("/", w.token(map[string]any{"scope": "unknown", "email": "u1"})); p.Kind != capabilities.Operator || len(p.Scopes) > 0 {
		t.Errorf("a stranger with a scope that stands for nothing: %+v", p)
	}
	w.reload(func(o *config.OAuth) { o.People, o.PeopleOnly = map[string]string{"u9": "ada"}, true })
	w.refused(w.token(nil), capabilities.Unauthenticated, "nobody who is known here")
	w.taken("/", w.token(map[string]any{"sub": "u9"}))
}

func TestKeysAreRotated(t *testing.T) {
	w := newWorld(t)
	first := w.token(nil)
	w.taken("/", first)
	w.issuer.put(func() { w.issuer.keys = []jose.JSONWebKey{{Key: testKeys().other.Public(), KeyID: "new"}} })
	fresh := w.sign(jose.RS256, testKeys().other, head{"kid": "new"}, w.claims(nil))
	w.refused(fresh, capabilities.Unauthenticated, "no key") // asked a moment ago
	w.forward(31 * time.Second)
	w.taken("/", fresh)
	w.refused(w.token(map[string]any{"jti": "another"}), capabilities.Unauthenticated, "no key")
	w.taken("/", first) // it was in order less than a minute ago
	w.forward(31 * time.Second)
	w.refused(first, capabilities.Unauthenticated, "no key")
}

func TestAStormOfUnknownKeysAsksSeldom(t *testing.T) {
	w := newWorld(t)
	w.taken("/", w.token(nil))
	w.forward(31 * time.Second)
	var all sync.WaitGroup
	for i := range 200 {
		token := w.sign(jose.EdDSA, testKeys().ed, head{"kid": fmt.Sprint("k", i)}, w.claims(nil))
		all.Go(func() {
			if _, err := w.at("/", token); err == nil {
				t.Error("a token of no key was let in")
			}
		})
	}
	all.Wait()
	if n := w.issuer.asked.Load(); n != 2 {
		t.Errorf("the keys were asked for %d times, want once and once more", n)
	}
	for range 20 { // and over ten minutes
		w.forward(30 * time.Second)
		for i := range 10 {
			_, _ = w.at("/", w.sign(jose.EdDSA, testKeys().ed, head{"kid": fmt.Sprint("l", i)}, w.claims(nil)))
		}
	}
	if n := w.issuer.asked.Load(); n > 22 {
		t.Errorf("the keys were asked for %d times in ten minutes", n)
	}
}

func TestTokensOfOthersAskForNoKey(t *testing.T) {
	w := newWorld(t)
	w.refused(w.token(map[string]any{"iss": "https://else.example"}), capabilities.Unauthenticated, "another issuer")
	w.refused(unsigned(`{"alg":"none"}`, w.claims(nil), ""), capabilities.Unauthenticated, "signed with")
	if n := w.issuer.asked.Load(); n != 0 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

func TestAnIssuerThatIsDownMakesNobodyUnauthenticated(t *testing.T) {
	w := newWorld(t)
	down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	w.issuer.put(func() { w.issuer.set = down })
	for range 20 {
		w.refused(w.token(nil), capabilities.Unavailable, w.issuer.URL)
	}
	if n := w.issuer.asked.Load(); n != 1 {
		t.Errorf("the issuer that is down was asked %d times", n)
	}
	_, err := w.at("/", w.token(nil))
	if e, _ := capabilities.AsError(err); e == nil || e.RetryAfter < time.Second || e.RetryAfter > 5*time.Second {
		t.Errorf("%+v says no time to wait", e)
	}
	w.issuer.put(func() { w.issuer.set = nil })
	w.forward(6 * time.Second)
	w.taken("/", w.token(nil))

	// Keys that are known hold for an hour.
	w.issuer.put(func() { w.issuer.set = down })
	w.forward(50 * time.Minute)
	w.taken("/", w.token(nil))
	w.forward(11 * time.Minute)
	w.refused(w.token(nil), capabilities.Unavailable, w.issuer.URL)
}

func TestWhatAnIssuerAnswersIsBounded(t *testing.T) {
	k := testKeys()
	one := jose.JSONWebKey{Key: k.rsa.Public(), KeyID: "rsa"}
	good, err := one.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	for name, set := range map[string]http.HandlerFunc{
		"a set without an end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"keys":[`)
			pad := `{"kty":"RSA","pad":"` + strings.Repeat("x", 100) + `"},`
			for range 1 << 20 {
				if _, err := fmt.Fprint(w, pad); err != nil {
					return
				}
				sent.Add(int64(len(pad)))
			}
		},
		"a bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = fmt.Fprintf(z, `{"keys":[%s]}`, good)
			_, _ = z.Write(bytes.Repeat([]byte(" "), 4<<20))
			_ = z.Close()
		},
		"very many keys": func(w http.ResponseWriter, _ *http.Request) {
			keys := make([]jose.JSONWebKey, 201)
			for i := range keys {
				keys[i] = one
			}
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: keys})
		},
		"no keys":    func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"keys":[]}`) },
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `<html>`) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/moved", http.StatusFound) },
		"shared secrets": func(w http.ResponseWriter, _ *http.Request) {
			secret := make([]byte, 32)
			_, _ = rand.Read(secret)
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: secret, KeyID: "rsa"}}})
		},
		"a private key": func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: k.rsa, KeyID: "rsa"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.issuer.put(func() { w.issuer.set = set })
			w.refused(w.token(nil), capabilities.Unavailable, "does not say its keys")
		})
	}
	if n := sent.Load(); n > 32<<20 { // what stands in the buffers on the way
		t.Errorf("%d bytes of a set were read", n)
	}
	t.Run("one bad key costs itself", func(t *testing.T) {
		w := newWorld(t)
		w.issuer.put(func() {
			w.issuer.set = func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"keys":[{"kty":"new"},7,{"kty":"RSA","kid":"rsa","n":"!"},%s]}`, good)
			}
		})
		w.taken("/", w.token(nil))
	})
}

func TestMetadataOfTheIssuerIsChecked(t *testing.T) {
	for name, m := range map[string]func(i *issuer) map[string]any{
		"of another issuer": func(i *issuer) map[string]any {
			return map[string]any{"issuer": "https://else.example", "jwks_uri": i.URL + "/keys"}
		},
		"keys in the clear": func(i *issuer) map[string]any {
			return map[string]any{"issuer": i.URL, "jwks_uri": "http://192.0.2.1/keys"}
		},
		"keys in a file": func(i *issuer) map[string]any {
			return map[string]any{"issuer": i.URL, "jwks_uri": "file:///etc/passwd"}
		},
		"no place of the keys": func(i *issuer) map[string]any { return map[string]any{"issuer": i.URL} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.issuer.put(func() {
				w.issuer.meta = func(res http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(res).Encode(m(w.issuer)) }
			})
			w.refused(w.token(nil), capabilities.Unavailable, "does not say its keys")
			if n := w.issuer.asked.Load(); n != 0 {
				t.Errorf("keys were asked for %d times", n)
			}
			if n := w.away.Load(); n != 0 {
				t.Errorf("somebody else was asked %d times", n)
			}
			w.reload(func(o *config.OAuth) { o.JWKSURL = w.issuer.URL + "/keys" }) // says it instead
			w.taken("/", w.token(nil))
		})
	}
}

func TestMetadataOfTheResource(t *testing.T) {
	w := newWorld(t, func(o *config.OAuth) { o.Scopes = map[string][]string{"run": {"*"}, "look": {"*:read"}} })
	r := request(t, base+"/operator/mcp")
	body, ok := w.Metadata(r, "/operator/mcp")
	want := map[string]any{
		"resource": base + "/operator/mcp", "authorization_servers": []any{w.issuer.URL}, "bearer_methods_supported": []any{"header"},
		"scopes_supported": []any{"look", "run"}, "resource_name": "Tools", "resource_documentation": base + "/docs/oauth",
	}
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil || !ok {
		t.Fatalf("%s: %v", body, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for path, known := range map[string]bool{
		"": true, "/": true, "/operator/mcp/readonly": true, "/operator/mcp/x/tracker": true, "/seats/desk/mcp": true, "/operator/mcp/find": true, "/seats/desk/mcp/find": true, "/seats/find": false, "/seats/desk/find": false,
		"/api/v1": false, "/operator": false, `/seats/a"b/mcp`: false, "/seats/a/b/mcp": false, "/seats/é/mcp": false, "/operator/mcp/x/": false,
	} {
		if _, ok := w.Metadata(r, path); ok != known {
			t.Errorf("%q has metadata: %t, want %t", path, ok, known)
		}
	}
	for path, want := range map[string]string{
		"/operator/mcp": base + "/.well-known/oauth-protected-resource/operator/mcp", "/api/v1/tools": base + "/.well-known/oauth-protected-resource",
		"/seats/a%22b/mcp": base + "/.well-known/oauth-protected-resource",
	} {
		if got := w.Challenge(request(t, base+path)); got != `resource_metadata="`+want+`"` {
			t.Errorf("%s is challenged with %s", path, got)
		}
	}
	if got := w.Scopes("tracker:read"); got != "look" {
		t.Errorf("who needs tracker:read asks for %q", got)
	}
	if got := w.Scopes("admin"); got != "" {
		t.Errorf("who needs admin asks for %q", got)
	}
	w.config.Store(&config.Config{})
	if _, ok := w.Metadata(r, ""); ok || w.Challenge(r) != "" || w.Takes("a.b.c") {
		t.Error("a server without the entry says that it takes access tokens")
	}
}

// Whoever takes a token for itself must not make it one for us by the Host it sends.
func TestTheAddressIsNotWhatTheRequestSays(t *testing.T) {
	w := newWorld(t, func(o *config.OAuth) { o.Address = "" })
	for host, want := range map[string]string{
		"127.0.0.1:4280": "http://127.0.0.1:4280", "localhost:4280": "http://localhost:4280", "[::1]:4280": "http://[::1]:4280",
		"localhost:9999": "http://127.0.0.1:4280", "tools.example": "http://127.0.0.1:4280", "tools.example:4280": "http://127.0.0.1:4280", "localhost": "http://127.0.0.1:4280",
	} {
		r := request(t, "http://x/operator/mcp")
		r.Host = host
		if got := w.Address(r); got != want {
			t.Errorf("by the host %s it is %s, want %s", host, got, want)
		}
		_, err := w.Principal(r, w.token(map[string]any{"aud": "http://localhost:9999"}))
		if err == nil {
			t.Errorf("a token for another port is taken by the host %s", host)
		}
	}
}
