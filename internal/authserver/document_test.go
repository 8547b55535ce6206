package authserver

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/publicnet"
)

const clientURL = "https://assistant.example/client.json"

// upstream answers every request with one document.
type upstream struct {
	status int
	kind   string
	body   string
	asked  atomic.Int32
}

func (u *upstream) RoundTrip(r *http.Request) (*http.Response, error) {
	u.asked.Add(1)
	h := http.Header{"Content-Type": {u.kind}}
	if u.status == http.StatusFound {
		h.Set("Location", "https://else.example/")
	}
	return &http.Response{StatusCode: u.status, Header: h, Body: io.NopCloser(strings.NewReader(u.body)), Request: r}, nil
}

// none are the schemes that an operator named who named none.
func none() []string { return nil }

func documentOf(changes map[string]any) string {
	all := map[string]any{"client_id": clientURL, "client_name": "Assistant", "redirect_uris": []string{"https://assistant.example/cb"}, "token_endpoint_auth_method": "none"}
	maps.Copy(all, changes)
	body, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(body)
}

func TestAClientIsReadAtItsURL(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	up := &upstream{status: http.StatusOK, kind: "application/json; charset=utf-8", body: documentOf(nil)}
	d := newDocuments(up, func() time.Time { return now }, none)
	for range 3 {
		c, err := d.client(t.Context(), clientURL)
		if err != nil {
			t.Fatal(err)
		}
		want := client{id: clientURL, name: "Assistant", redirects: []string{"https://assistant.example/cb"}, host: "assistant.example"}
		if diff := cmp.Diff(want, *c, cmp.AllowUnexported(client{})); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if n := up.asked.Load(); n != 1 {
		t.Errorf("the document was fetched %d times", n)
	}
	now = now.Add(6 * time.Minute)
	up.body = documentOf(map[string]any{"client_id": "https://else.example/client.json"})
	if _, err := d.client(t.Context(), clientURL); err == nil {
		t.Error("an old document holds on")
	}
}

func TestDocumentsThatAreNotInOrder(t *testing.T) {
	good := documentOf(nil)
	for name, up := range map[string]*upstream{
		"of another client":  {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"client_id": clientURL + "/"})},
		"a redirect":         {status: http.StatusFound, kind: "application/json", body: good},
		"not there":          {status: http.StatusNotFound, kind: "application/json", body: good},
		"a page":             {status: http.StatusOK, kind: "text/html", body: good},
		"of no kind":         {status: http.StatusOK, body: good},
		"large":              {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"pad": strings.Repeat("x", 16<<10)})},
		"no JSON":            {status: http.StatusOK, kind: "application/json", body: "{"},
		"a secret":           {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"token_endpoint_auth_method": "client_secret_basic"})},
		"a key of its own":   {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"token_endpoint_auth_method": "private_key_jwt"})},
		"no addresses":       {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"redirect_uris": []string{}})},
		"a script to run":    {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"redirect_uris": []string{"javascript:alert(1)"}})},
		"addresses of null":  {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"redirect_uris": nil})},
		"http to elsewhere":  {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"redirect_uris": []string{"http://assistant.example/cb"}})},
		"another flow alone": {status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"grant_types": []string{"client_credentials"}})},
	} {
		c, err := newDocuments(up, time.Now, none).client(t.Context(), clientURL)
		if _, ok := errors.AsType[errNoClient](err); !ok {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if up.asked.Load() != 1 {
			t.Errorf("%s: asked %d times", name, up.asked.Load())
		}
	}
}

func TestURLsThatAreNoClient(t *testing.T) {
	for _, id := range []string{
		"https://assistant.example", "https://assistant.example/", "https://u:p@assistant.example/c", "https://assistant.example/c#x", "https://assistant.example/c?x",
		"https://assistant.example:8443/c", "https://assistant.example/a/../c", "https://assistant.example/./c", "https:///c",
		"https://\u0430ssistant.example/c", "https://assistant.example\u202e.else.example/c", "https://assistant.example%E2%80%8B.else.example/c", "https://Assistant.example/c", "https://assistant\uff0eexample/c", "https://assistant.example/" + strings.Repeat("x", 500),
	} {
		up := &upstream{status: http.StatusOK, kind: "application/json", body: documentOf(map[string]any{"client_id": id})}
		if c, err := newDocuments(up, time.Now, none).client(t.Context(), id); err == nil || up.asked.Load() > 0 {
			t.Errorf("%s is read as %+v", id, c)
		}
	}
}

// Whoever names a URL must not reach what only this machine does.
func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for _, ip := range []string{
		"127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255",
		"192.0.2.1", "198.18.0.1", "203.0.113.7", "240.0.0.1", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
		"::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001::1", "fec0::1",
	} {
		if publicnet.Contains(netip.MustParseAddr(ip)) {
			t.Errorf("%s counts as public", ip)
		}
	}
	for _, ip := range []string{"1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "172.32.0.1", "100.128.0.1"} {
		if !publicnet.Contains(netip.MustParseAddr(ip)) {
			t.Errorf("%s counts as none of the public network", ip)
		}
	}
	// And the transport asks that question, of names too.
	for _, id := range []string{"https://127.0.0.1/client.json", "https://localhost/client.json", "https://[::1]/client.json", "https://169.254.169.254/client.json", "https://0x7f000001/client.json"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, id, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := publicTransport().RoundTrip(r)
		if err == nil {
			_ = res.Body.Close()
			t.Errorf("%s was reached", id)
			continue
		}
		if !strings.Contains(id, "0x") && !errors.Is(err, errNotPublic) {
			t.Errorf("%s is not reached because of %v", id, err)
		}
	}
}

// What a code may be sent to: what opens more than a program of its own does not count.
func TestWhereACodeMayBeSent(t *testing.T) {
	named := []string{"cursor"}
	for address, want := range map[string]bool{
		"https://a.example/cb": true, "https://a.example:8443/cb?x=1": true, "http://127.0.0.1/cb": true, "http://127.0.0.1:9/cb": true, "http://[::1]:9/cb": true, "http://localhost/cb": true,
		"com.example.app:/cb": true, "com.example.app://cb": true, "org.x-y.z:/cb": true, "cursor://any.place/cb": true, "CURSOR://any.place/cb": true,
		"http://a.example/cb": false, "http://localhost.example/cb": false, "https:///cb": false, "https:a.example": false, "/cb": false, "": false,
		"steam://run/1": false, "search-ms:query=x": false, "ms-msdt:/id": false, "ssh://a.example": false, "vscode://x/cb": false, "cursorx://cb": false,
		"javascript:alert(1)": false, "data:text/html,x": false, "file:///etc/passwd": false, "view-source:https://a.example": false, "about:blank": false, "blob:https://a.example/x": false,
		"x.:/cb": false, "com.example.app:/cb#f": false, "com.example.app://u:p@cb": false, "com.example.app:/c b": false, "https://a.example;x/": false,
	} {
		if fault := redirectFault(address, named); (fault == "") != want {
			t.Errorf("%q: %q", address, fault)
		}
	}
	if redirectFault("cursor://any.place/cb", nil) == "" {
		t.Error("a scheme without a dot is taken that nobody named")
	}
}

func TestNamesOfClients(t *testing.T) {
	for in, want := range map[string]string{
		"Assistant": "Assistant", " a\u202eb\n ": "ab", "\u200b": "", "x\x00y\xff": "xy", strings.Repeat("ä", 80): strings.Repeat("ä", 61) + "...", "日本語": "日本語",
	} {
		if got := nameOf(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	long := &client{name: strings.Repeat("n", 60), host: "assistant.example"}
	if got := long.label(""); len(got) > maxName || !strings.HasSuffix(got, " (assistant.example)") {
		t.Errorf("a long name is called %q", got)
	}
	for _, c := range []*client{{}, {name: "Assistant"}, {host: "assistant.example." + strings.Repeat("h", 100) + ".else.example"}} {
		// Whose a host is stands at its end.
		if got := c.label("https://assistant.example." + strings.Repeat("h", 100) + ".else.example/"); len([]rune(got)) > maxName || !strings.HasSuffix(got, ".else.example") {
			t.Errorf("a long place is called %q", got)
		}
	}
	if got := (&client{name: "x"}).label("cursor://cb"); got != "x (cursor: (a program on your machine))" {
		t.Errorf("%q", got)
	}
}
