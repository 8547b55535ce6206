package oauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/oauth"
)

// keys are made once: those of RSA take a while.
type keys struct {
	rsa, other, short *rsa.PrivateKey
	ec, p384          *ecdsa.PrivateKey
	ed                ed25519.PrivateKey
}

var testKeys = sync.OnceValue(func() (k keys) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	var err error
	k.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	k.other, err = rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	k.short, err = rsa.GenerateKey(rand.Reader, 1024)
	must(err)
	k.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	k.p384, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	must(err)
	_, k.ed, err = ed25519.GenerateKey(rand.Reader)
	must(err)
	return k
})

// issuer is an authorization server on the loopback.
type issuer struct {
	*httptest.Server
	asked atomic.Int32 // how often its keys were

	mu   sync.Mutex
	keys []jose.JSONWebKey
	// The documents instead of what they would be; nil is none.
	set, meta http.HandlerFunc
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{}
	k := testKeys()
	i.keys = []jose.JSONWebKey{
		{Key: k.rsa.Public(), KeyID: "rsa", Algorithm: "RS256", Use: "sig"},
		{Key: k.ec.Public(), KeyID: "ec"},
		{Key: k.ed.Public(), KeyID: "ed", Algorithm: "EdDSA"},
		{Key: k.short.Public(), KeyID: "short"},
		{Key: k.p384.Public(), KeyID: "p384"},
		{Key: k.other.Public(), KeyID: "enc", Use: "enc"},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		if h := i.instead(func() http.HandlerFunc { return i.meta }); h != nil {
			h(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		i.asked.Add(1)
		if h := i.instead(func() http.HandlerFunc { return i.set }); h != nil {
			h(w, r)
			return
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: i.keys})
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: i.keys})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) instead(of func() http.HandlerFunc) http.HandlerFunc {
	i.mu.Lock()
	defer i.mu.Unlock()
	return of()
}

func (i *issuer) put(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f()
}

// base is where the resource server under test is.
const base = "https://tools.example"

// clock is when it is, for the resource server and for the tokens.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) forward(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// world is a resource server with its issuer.
type world struct {
	*oauth.Resource
	*clock
	t      *testing.T
	issuer *issuer
	config *atomic.Pointer[config.Config]
	away   *atomic.Int32 // requests to anybody but the issuer
}

// RoundTrip lets requests to the issuer pass, and counts all others.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if "http://"+r.URL.Host != w.issuer.URL || r.URL.Scheme != "http" {
		w.away.Add(1)
		return nil, errors.New("nobody is there")
	}
	return http.DefaultTransport.RoundTrip(r)
}

func newWorld(t *testing.T, change ...func(*config.OAuth)) *world {
	t.Helper()
	w := &world{t: t, clock: newClock(), issuer: newIssuer(t), config: &atomic.Pointer[config.Config]{}, away: &atomic.Int32{}}
	w.reload(change...)
	w.Resource = oauth.New(oauth.Options{Config: w.config.Load, Address: "http://127.0.0.1:4280", Now: w.now, Title: "Tools", Transport: w})
	return w
}

func (w *world) reload(change ...func(*config.OAuth)) {
	o := config.OAuth{
		Line: 1, Issuer: w.issuer.URL, Address: base, SubjectClaim: "sub", Algorithms: []string{config.AlgorithmRS256, config.AlgorithmES256, config.AlgorithmEdDSA},
	}
	for _, f := range change {
		f(&o)
	}
	w.config.Store(&config.Config{OAuth: o})
}

// claims answers those of a token in order, with changes; nil takes one away.
func (w *world) claims(changes map[string]any) map[string]any {
	all := map[string]any{
		"iss": w.issuer.URL, "aud": base, "sub": "u1", "client_id": "c1", "scope": "tracker:read *:read",
		"exp": w.now().Add(time.Hour).Unix(), "iat": w.now().Unix(),
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

// head is what the header of a token says beside its algorithm.
type head map[string]any

func (w *world) sign(algorithm jose.SignatureAlgorithm, key any, h head, payload any) string {
	w.t.Helper()
	o := (&jose.SignerOptions{}).WithType("at+jwt")
	for k, v := range h {
		o.WithHeader(jose.HeaderKey(k), v)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, o)
	if err != nil {
		w.t.Fatal(err)
	}
	body, raw := payload.(string)
	if !raw {
		b, err := json.Marshal(payload)
		if err != nil {
			w.t.Fatal(err)
		}
		body = string(b)
	}
	signed, err := signer.Sign([]byte(body))
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := signed.CompactSerialize()
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// token is one in order, with changes of its claims.
func (w *world) token(changes map[string]any) string {
	return w.sign(jose.RS256, testKeys().rsa, head{"kid": "rsa"}, w.claims(changes))
}

func (w *world) at(path, token string) (*capabilities.Principal, error) {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, base+path, nil)
	return w.Principal(r, token)
}

// refused checks that a token is refused with a code, in a sentence that has words.
func (w *world) refused(token string, code capabilities.Code, words string) {
	w.t.Helper()
	p, err := w.at("/api/v1/tools", token)
	e, ok := capabilities.AsError(err)
	switch {
	case !ok:
		w.t.Fatalf("let in as %+v (%v), want it refused because of %q", p, err, words)
	case e.Code != code || !strings.Contains(e.Message, words):
		w.t.Errorf("refused %s: %s; want %s with %q", e.Code, e.Message, code, words)
	}
	for part := range strings.SplitSeq(token, ".") {
		if len(part) > 20 && strings.Contains(e.Message, part) {
			w.t.Errorf("the refusal holds a part of the token: %s", e.Message)
		}
	}
}

func (w *world) taken(path, token string) *capabilities.Principal {
	w.t.Helper()
	p, err := w.at(path, token)
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(p.Scopes)
	return p
}

func request(t *testing.T, url string) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
}
