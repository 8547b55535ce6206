package attack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// request is a request as bytes. The connection ends with it.
func (a *target) request(method, path, host, body string, headers ...string) string {
	all := append([]string{"Host: " + host, "Connection: close"}, headers...)
	if body != "" {
		all = append(all, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return method + " " + path + " HTTP/1.1\r\n" + strings.Join(all, "\r\n") + "\r\n\r\n" + body
}

// routes are some of every kind.
func routes() []struct{ method, path, kind, body string } {
	return []struct{ method, path, kind, body string }{
		{"POST", "/api/v1/projects", "application/json", `{"key":"EVIL","title":"x"}`},
		{"POST", "/api/v1/projects", "text/plain", `{"key":"EVIL","title":"x"}`},
		{"POST", "/api/v1/projects", "application/x-www-form-urlencoded", "key=EVIL&title=x"},
		{"POST", "/operator/mcp", "text/plain", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_project","arguments":{"key":"EVIL","title":"x"}}}`},
		{"POST", "/operator/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`},
		{"POST", "/login", "application/x-www-form-urlencoded", "token=x"},
		{"POST", "/logout", "", ""},
		{"POST", "/nowhere", "", ""},
		{"DELETE", "/api/v1/tokens/tok_x", "", ""},
	}
}

// A page on another site gets nowhere with the browser of somebody who is signed in: not
// by a form, not by a simple request, not by asking first, and it may read nothing.
func TestAPageOnAnotherSite(t *testing.T) {
	a := open(t, "")
	cookie := a.signIn(t)
	signed := "Cookie: " + cookie.Name + "=" + cookie.Value
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(cookie.Value, a.Token) {
		t.Errorf("the cookie is %v", cookie)
	}
	for _, origin := range []string{"https://evil.example", "http://evil.example", "null", "http://localhost.evil.example", "https://" + a.address + ".evil.example", "http://127.0.0.1:1", "file://", ""} {
		for _, r := range routes() {
			name := r.method + " " + r.path + " as " + r.kind + " from " + origin
			headers := []string{"Origin: " + origin, signed}
			if r.kind != "" {
				headers = append(headers, "Content-Type: "+r.kind)
			}
			a.wantRefused(t, name, a.raw(t, a.request(r.method, r.path, a.address, r.body, headers...)), 403)
		}
		answer := a.raw(t, a.request("OPTIONS", "/api/v1/projects", a.address, "", "Origin: "+origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type", signed))
		a.wantRefused(t, "asking first from "+origin, answer, 403)
		for _, allow := range []string{"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods"} {
			if strings.Contains(answer, allow) {
				t.Errorf("asking first from %q is answered %s:\n%s", origin, allow, answer)
			}
		}
	}
	for _, site := range []string{"cross-site", "same-site"} { // the latter is another port of this machine
		for _, r := range routes() {
			if r.kind == "application/json" { // no page can send one without asking first
				continue
			}
			headers := []string{"Sec-Fetch-Site: " + site, signed, "Content-Type: " + r.kind}
			a.wantRefused(t, r.method+" "+r.path+" by a page of "+site, a.raw(t, a.request(r.method, r.path, a.address, r.body, headers...)), 403)
		}
		for _, path := range []string{"/api/v1/projects", "/", "/openapi.json", "/api/v1/tokens"} {
			for _, more := range []string{"Origin: https://evil.example", "Sec-Fetch-Mode: no-cors"} {
				a.wantRefused(t, "reading "+path+" from "+site, a.raw(t, a.request("GET", path, a.address, "", "Sec-Fetch-Site: "+site, more, signed)), 401)
			}
		}
	}
	if n := a.projects(t); n != 1 {
		t.Errorf("there are %d projects, want the planted one", n)
	}
	a.wantNothingLogged(t, cookie.Value)
}

// A name that was made to lead here, and any other that is not ours, is refused on every
// route, those without a credential included, and with a good one as well.
func TestANameThatWasReboundToHere(t *testing.T) {
	a := open(t, "")
	port := a.address[strings.LastIndexByte(a.address, ':')+1:]
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "127.0.0.1.evil.example", "localhost.evil.example:" + port, "evil.example@127.0.0.1", "127.0.0.1@evil.example",
		"localhost.", "127.0.0.1.", "127.0.0.1:" + port + ":80", "127.0.0.1:", "127.0.0.1:x", "[::1", "[::1]evil.example", "0.0.0.0", "[::]", "10.0.0.1", "169.254.169.254",
		"0x7f000001", "127.1", "2130706433", "%31%32%37.0.0.1", "localhost%00.evil.example", "*", ",", "127.0.0.1,evil.example", "",
	} {
		for _, path := range []string{"/api/v1/projects", "/livez", "/docs", "/login", "/assets/style.css", "/operator/mcp", "/.well-known/x", "/nowhere", "/"} {
			answer := a.raw(t, a.request("GET", path, host, "", "Authorization: Bearer "+a.Token))
			a.wantRefused(t, path+" of "+host, answer, 400, 403)
			if strings.Contains(answer, "<html") && !strings.Contains(answer, "400 Bad Request") {
				t.Errorf("%s of %q is answered a page:\n%.300s", path, host, answer)
			}
		}
	}
	for name, heads := range map[string]string{
		"two hosts": "Host: " + a.address + "\r\nHost: evil.example", "no host": "X: y", "a host behind a space": "Host : evil.example",
	} {
		a.wantRefused(t, name, a.raw(t, "GET /api/v1/projects HTTP/1.1\r\n"+heads+"\r\nConnection: close\r\nAuthorization: Bearer "+a.Token+"\r\n\r\n"), 400, 403)
	}
	// The name in the target counts, whatever the header says (RFC 9112 section 3.2.2).
	a.wantRefused(t, "another name in the target", a.raw(t, a.request("GET", "http://evil.example/api/v1/projects", a.address, "", "Authorization: Bearer "+a.Token)), 403)
	// What a proxy would say of a request is nothing where none is trusted.
	answer := a.raw(t, a.request("GET", "/api/v1/projects", "evil.example", "", "X-Forwarded-Host: "+a.address, "Forwarded: host=\""+a.address+"\"", "Authorization: Bearer "+a.Token))
	a.wantRefused(t, "a host as a proxy would forward it", answer, 403)
}
