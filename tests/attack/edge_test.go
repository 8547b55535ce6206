package attack_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

// certificate writes a certificate for tools.example and this machine, with a serial
// number, and answers it.
func certificate(t *testing.T, dir string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "tools.example"}, DNSNames: []string{"tools.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert
}

// served is what the command serve says on its output, until the test ends.
func served(t *testing.T, o holotype.Options, words ...string) (out *drive.Output, end func() int) {
	t.Helper()
	out = drive.NewOutput()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan int, 1)
	go func() {
		exit := holotype.New(o).Command().Run(ctx, append([]string{"serve"}, words...), strings.NewReader(""), out, out)
		out.End()
		done <- exit
	}()
	stopped := false
	end = func() int {
		if stopped {
			return 0
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() { end() })
	return out, end
}

func TestServingOverTLS(t *testing.T) {
	dir := t.TempDir()
	first := certificate(t, dir, 1)
	config := filepath.Join(dir, "holotype.yaml")
	if err := os.WriteFile(config, []byte("hosts: [tools.example]\ntls: {cert_file: cert.pem, key_file: key.pem}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var ahead atomic.Int64
	log := &lockedBuffer{}
	o := holotype.Options{
		Config: config, Data: filepath.Join(dir, "data"), Log: slog.New(slog.NewTextHandler(log, nil)), Lookup: func(string) (string, bool) { return "", false },
		Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
	}
	out, end := served(t, o, "--listen", "127.0.0.1:0")
	open := regexp.MustCompile(`open +(https://tools\.example:(\d+)/login\?token=\S+)`)
	if !out.Await(open) {
		t.Fatalf("it does not say where it serves: %s\n%s", out.Text(), log)
	}
	found := open.FindStringSubmatch(out.Text())
	address := "127.0.0.1:" + found[2]
	// A client that knows a certificate, and finds the name here.
	client := func(of *x509.Certificate, most uint16) *http.Client {
		roots := x509.NewCertPool()
		roots.AddCert(of)
		return &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: most}, DisableKeepAlives: true,
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "tcp", address)
				},
			},
		}
	}
	type answer struct {
		status  int
		header  http.Header
		cookies []*http.Cookie
		tls     *tls.ConnectionState
	}
	get := func(c *http.Client, method, url, body string) (answer, error) {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Origin", "https://tools.example:"+found[2])
		}
		resp, err := c.Do(req)
		if err != nil {
			return answer{}, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		return answer{resp.StatusCode, resp.Header, resp.Cookies(), resp.TLS}, resp.Body.Close()
	}
	here := "https://tools.example:" + found[2]
	resp, err := get(client(first, 0), "GET", here+"/livez", "")
	if err != nil {
		t.Fatal(err)
	}
	if resp.status != http.StatusOK || resp.header.Get("Strict-Transport-Security") == "" || resp.tls.Version != tls.VersionTLS13 {
		t.Errorf("answered %d with %v over %x", resp.status, resp.header, resp.tls.Version)
	}
	if _, err := get(client(first, tls.VersionTLS11), "GET", here+"/livez", ""); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	resp, err = get(client(first, 0), "POST", here+"/login", found[1][strings.Index(found[1], "token="):])
	if err != nil || resp.status != http.StatusSeeOther || len(resp.cookies) != 1 || !resp.cookies[0].Secure || !resp.cookies[0].HttpOnly {
		t.Errorf("signing in is answered %d with the cookies %v, %v", resp.status, resp.cookies, err)
	}
	if plain, err := get(http.DefaultClient, "GET", "http://"+address+"/livez", ""); err == nil && plain.status != http.StatusBadRequest {
		t.Errorf("without TLS it is answered %d", plain.status)
	}
	// Another certificate is served when the files are there, and a broken one never.
	second := certificate(t, dir, 2)
	ahead.Store(int64(time.Minute))
	if resp, err := get(client(second, 0), "GET", here+"/livez", ""); err != nil || resp.tls.PeerCertificates[0].SerialNumber.Int64() != 2 {
		t.Errorf("after the change: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cert.pem"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	ahead.Store(int64(2 * time.Minute))
	if _, err := get(client(second, 0), "GET", here+"/livez", ""); err != nil {
		t.Errorf("with a broken file: %v", err)
	}
	if !strings.Contains(log.String(), "certificate_not_read") {
		t.Errorf("the log does not say that the file is broken: %s", log)
	}
	if exit := end(); exit != 0 {
		t.Errorf("it ends with %d: %s", exit, out.Text())
	}
	if out, _ := served(t, o, "--listen", "127.0.0.1:0"); !out.Await(regexp.MustCompile(`reading the certificate of tls`)) {
		t.Errorf("it starts with a broken certificate: %s", out.Text())
	}
}

// Nobody serves the network in the clear without having said so.
func TestListeningToOthers(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		flags  []string
		serves bool
	}{
		"in the clear":          {"", nil, false},
		"with the flag":         {"", []string{"--insecure-listen"}, true},
		"behind a proxy":        {"proxy: {trusted: [10.0.0.1]}\n", nil, true},
		"with no credential":    {"auth: none\n", []string{"--insecure-listen"}, false},
		"every interface, once": {"listen: \":0\"\n", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := holotype.Options{Data: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler), Lookup: func(string) (string, bool) { return "", false }}
			if c.config != "" {
				o.Config = filepath.Join(dir, "holotype.yaml")
				if err := os.WriteFile(o.Config, []byte(c.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			words := c.flags
			if !strings.Contains(c.config, "listen") {
				words = append(words, "--listen", "0.0.0.0:0")
			}
			out, end := served(t, o, words...)
			ok := out.Await(regexp.MustCompile(`open +http`))
			if ok != c.serves {
				t.Fatalf("it serves: %t, want %t: %s", ok, c.serves, out.Text())
			}
			if exit := end(); (exit == 0) != c.serves {
				t.Errorf("it ends with %d: %s", exit, out.Text())
			}
			if !c.serves && c.config != "auth: none\n" && !strings.Contains(out.Text(), "give a certificate under tls in the configuration, or name the reverse proxy in front under proxy, or listen on 127.0.0.1:4280; with --insecure-listen") {
				t.Errorf("it says %s", out.Text())
			}
		})
	}
}

// What a proxy says of its callers counts when it is the one that is trusted, and only in
// the headers that it writes.
func TestBehindAProxy(t *testing.T) {
	const proxy, other = "10.1.2.3:40000", "198.51.100.9:40000"
	for _, standard := range []bool{false, true} {
		config := "hosts: [tools.example]\nproxy: {trusted: [10.0.0.0/8]"
		if standard {
			config += ", header: forwarded"
		}
		a := open(t, config+"}\n")
		send := func(from, host string, headers ...string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/v1/projects", nil)
			r.RemoteAddr, r.Host = from, host
			r.Header.Set("Authorization", "Bearer "+a.token)
			for _, h := range headers {
				name, value, _ := strings.Cut(h, ": ")
				if value == "" {
					r.Header.Del(name)
					continue
				}
				r.Header.Add(name, value)
			}
			w := httptest.NewRecorder()
			a.Handler.ServeHTTP(w, r)
			return w
		}
		says := func(client, scheme, host string) []string {
			if standard {
				return []string{fmt.Sprintf(`Forwarded: for="%s";proto=%s;host="%s"`, client, scheme, host)}
			}
			return []string{"X-Forwarded-For: " + client, "X-Forwarded-Proto: " + scheme, "X-Forwarded-Host: " + host}
		}
		for name, c := range map[string]struct {
			from, host string
			headers    []string
			status     int
			secure     bool
		}{
			"over TLS":                    {proxy, "tools.example", says("203.0.113.5", "https", "tools.example"), 200, true},
			"in the clear":                {proxy, "tools.example", says("203.0.113.5", "http", "tools.example"), 200, false},
			"version 6":                   {proxy, "tools.example", says("[2001:db8::7]:4711", "https", "tools.example"), 200, true},
			"another name inside":         {proxy, "internal:8080", says("203.0.113.5", "https", "tools.example"), 200, true},
			"a name that is not ours":     {proxy, "tools.example", says("203.0.113.5", "https", "evil.example"), 403, true},
			"a scheme that is none":       {proxy, "tools.example", says("203.0.113.5", "javascript", "tools.example"), 400, false},
			"nothing said":                {proxy, "tools.example", nil, 200, false},
			"past the proxy":              {other, "tools.example", says("203.0.113.5", "https", "tools.example"), 403, false},
			"past the proxy, as it":       {other, "tools.example", says("10.1.2.3", "https", "tools.example"), 403, false},
			"from this machine, not it":   {"127.0.0.1:1", "tools.example", says("203.0.113.5", "https", "tools.example"), 200, false},
			"from nowhere":                {"@", "tools.example", nil, 403, false},
			"the caller's own, in front":  {proxy, "tools.example", append([]string{"X-Forwarded-For: evil", "Forwarded: for=evil;proto=gopher;host=evil.example"}, says("203.0.113.5", "https", "tools.example")...), 200, true},
			"a list of hosts, ours last":  {proxy, "tools.example", append([]string{"X-Forwarded-Host: evil.example"}, says("203.0.113.5", "https", "tools.example")...), 200, true},
			"another header than its own": {proxy, "evil.example", map[bool][]string{true: {"X-Forwarded-Host: tools.example"}, false: {"Forwarded: host=tools.example"}}[standard], 403, false},
		} {
			w := send(c.from, c.host, c.headers...)
			if w.Code != c.status || (w.Header().Get("Strict-Transport-Security") != "") != c.secure {
				t.Errorf("standard %t, %s: answered %d, HSTS %q: %s", standard, name, w.Code, w.Header().Get("Strict-Transport-Security"), w.Body)
			}
		}
		// Guesses are counted for who made them, whatever stands before the proxy's own word.
		guessed := func(client string) int {
			forged := "X-Forwarded-For: 192.0.2." + client[strings.LastIndexByte(client, '.')+1:]
			headers := append([]string{forged}, says(client, "https", "tools.example")...)
			return send(proxy, "tools.example", append(headers, "Authorization", "Authorization: Bearer "+guess())...).Code
		}
		last := 0
		for range 70 {
			last = guessed("203.0.113.66")
		}
		if last != http.StatusTooManyRequests || guessed("203.0.113.67") != http.StatusUnauthorized {
			t.Errorf("standard %t: after 70 guesses one is answered %d, and another caller's first %d", standard, last, guessed("203.0.113.67"))
		}
		if !strings.Contains(a.log.String(), "from=203.0.113.66") {
			t.Errorf("standard %t: the log does not name the caller", standard)
		}
	}
}

// With auth: none nobody gets in who is not on this machine, and no proxy on it either.
func TestNoCredentialThroughAProxy(t *testing.T) {
	a := &target{log: &lockedBuffer{}}
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, []byte("auth: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.Running = drive.Start(t, holotype.Options{Config: config})
	for name, c := range map[string]struct {
		from, header string
		status       int
	}{
		"here":                   {"127.0.0.1:1", "", 200},
		"here, version 6":        {"[::1]:1", "", 200},
		"elsewhere":              {"10.0.0.1:1", "", 401},
		"through a proxy":        {"127.0.0.1:1", "X-Forwarded-For", 401},
		"through another":        {"127.0.0.1:1", "Forwarded", 401},
		"through a third":        {"127.0.0.1:1", "Via", 401},
		"through a fourth":       {"127.0.0.1:1", "X-Real-Ip", 401},
		"from nowhere one knows": {"pipe", "", 401},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/v1/projects", nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set(c.header, "for=198.51.100.1")
		}
		w := httptest.NewRecorder()
		a.Handler.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: answered %d, want %d", name, w.Code, c.status)
		}
	}
}
