package httpapi_test

import (
	"crypto/tls"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// Behind a proxy a request comes from the proxy, from this machine or over TLS; the proxy says
// whether its caller came over TLS, and says nothing else.
func TestWhatAProxySaysOfTLS(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.Proxy = &httpapi.Proxy{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	})
	for name, c := range map[string]struct {
		from   string
		tls    bool
		scheme string
		status int
		secure bool
	}{
		"the proxy, over TLS before it":        {"10.1.2.3:1", false, "https", 200, true},
		"in capitals":                          {"10.1.2.3:1", false, "HTTPS", 200, true},
		"the proxy, in the clear before it":    {"10.1.2.3:1", true, "http", 200, false},
		"the proxy, which says nothing":        {"10.1.2.3:1", false, "", 200, false},
		"the proxy over TLS, which says none":  {"10.1.2.3:1", true, "", 200, true},
		"the proxy, which says something else": {"10.1.2.3:1", false, "wss", 400, false},
		"this machine":                         {"127.0.0.1:1", false, "https", 200, false},
		"somebody over TLS":                    {"192.0.2.1:1", true, "http", 200, true},
		"somebody else":                        {"192.0.2.1:1", false, "https", 403, false},
		"nobody":                               {"@", false, "", 403, false},
	} {
		r := request("GET", "/livez", "")
		r.RemoteAddr = c.from
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		if c.scheme != "" {
			r.Header["X-Forwarded-Proto"] = []string{c.scheme}
		}
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if secure := w.Header().Get("Strict-Transport-Security") != ""; w.Code != c.status || secure != c.secure {
			t.Errorf("%s: %d, secure %v, want %d, %v: %s", name, w.Code, secure, c.status, c.secure, w.Body)
		}
	}
}

// What stands within quotes parts no elements of the header Forwarded.
func TestWhatAStandardProxySaysOfTLS(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.Proxy = &httpapi.Proxy{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Standard: true}
	})
	for header, want := range map[string]bool{
		`for=192.0.2.7;proto=https`:                             true,
		`for=192.0.2.7;proto=http`:                              false,
		`for=192.0.2.7;proto=https;by="a,b;c\",d"`:              true,
		`for=192.0.2.7;by="x, for=192.0.2.9;proto=https"`:       false,
		`for="192.0.2.7:1234";proto="https"`:                    true,
		`for=192.0.2.9;proto=http, for=192.0.2.7;proto="https"`: true,
	} {
		r := request("GET", "/livez", "")
		r.RemoteAddr = "10.1.2.3:1"
		r.Header["Forwarded"] = []string{header}
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		if secure := w.Header().Get("Strict-Transport-Security") != ""; w.Code != 200 || secure != want {
			t.Errorf("%s: %d, secure %v, want %v: %s", header, w.Code, secure, want, w.Body)
		}
	}
}
