package attack_test

import (
	"strconv"
	"strings"
	"testing"
)

// Whatever is written in a path leads to no route but the one that it plainly names:
// nobody gets past the question for a credential by it, and no file is found.
func TestPathTricks(t *testing.T) {
	a := open(t, "")
	tricks := []string{
		"/livez/../api/v1/projects", "/livez/..%2fapi/v1/projects", "/docs/../api/v1/projects", "/docs/..;/api/v1/projects", "/docs/%2e%2e/api/v1/projects",
		"/docs/%2e%2e%2fapi%2fv1%2fprojects", "/docs/..%5c..%5cowner.token", "/docs/../../owner.token", "/docs/%2e%2e/%2e%2e/owner.token", "/docs/....//....//owner.token",
		"/assets/../../owner.token", "/assets/..%2fowner.token", "/assets/%2e%2e%2f%2e%2e%2fowner.token", "/assets/style.css/../../owner.token", "/assets/..\\owner.token",
		"//api/v1/projects", "/api//v1/projects", "/api/v1//projects", "/api/v1/projects/", "/./api/v1/projects", "/api/./v1/projects", "/api/v1/./projects", "/api/v1/../v1/projects",
		"/API/v1/projects", "/api/v1/projects%2f", "/api%2fv1%2fprojects", "/%61pi/v1/projects", "/api/v1/projects;x=y", "/api/v1/projects%3b", "/api/v1/projects%00", "/api/v1/projects%0a", "/api/v1/projects%20",
		"/api/v1/projects%23", "/api/v1/projects%3f", "/\\api\\v1\\projects", "/api\\v1\\projects", "/login/../api/v1/projects", "/login/%2e%2e/api/v1/projects", "/login%2f..%2fapi/v1/projects", "/.well-known/../api/v1/projects",
		"/.well-known/%2e%2e/api/v1/projects", "/.well-known/..%2fapi/v1/projects", "/docs%2f..%2fapi/v1/projects", "/docs.md/../api/v1/projects", "/livez%00/api/v1/projects", "/livez#/api/v1/projects", "/livez?/../api/v1/projects",
		"/operator/mcp/../../api/v1/projects", "/operator/mcp/x/..%2f..", "/operator/mcp/x/%2e%2e/readonly", "/seats/../operator/mcp", "/seats/%2e%2e/mcp", "/api/v1/servers/../projects", "/api/v1/servers/%2e%2e/tools/x",
		"/api/v1/servers/..%2f../tools/x", "/api/v1/projects/../tokens", "/\u00e4pi/v1/projects", "/api/v1/%c0%ae%c0%ae/projects", "/docs/%ff%fe", "/docs/%252e%252e/owner.token", "/~root", "/etc/passwd", "/../../../../etc/passwd", "/.env", "/.git/config",
	}
	for _, credential := range []string{"", "Bearer " + a.Token} {
		for _, path := range tricks {
			for _, target := range []string{path, "http://" + a.address + path} {
				headers := []string{}
				if credential != "" {
					headers = append(headers, "Authorization: "+credential)
				}
				answer := a.raw(t, a.request("GET", target, a.address, "", headers...))
				got := status(t, answer)
				if credential == "" {
					if strings.Contains(answer, planted) || strings.Contains(answer, a.Token) || strings.Contains(answer, "root:") {
						t.Errorf("%s: what is kept is shown to nobody in particular:\n%.500s", target, answer)
					}
					// An open route says that it is there, or that there is no such page; nothing else is let in.
					if got < 400 && !strings.HasPrefix(path, "/livez?") && !strings.HasPrefix(path, "/livez#") {
						t.Errorf("%s: answered %d:\n%.300s", target, got, answer)
					}
				}
				// With a credential a path that is odd is still no other path: the planted text is at
				// /api/v1/projects alone, which some of them spell out once decoded.
				plain := path == "/%61pi/v1/projects"
				if credential != "" && strings.Contains(answer, planted) && !plain {
					t.Errorf("%s leads to the list of projects:\n%.300s", target, answer)
				}
				if got >= 500 {
					t.Errorf("%s: answered %d", target, got)
				}
			}
		}
	}
	for name, request := range map[string]string{
		"NUL in the target":         "GET /api/v1/pro\x00jects HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\n\r\n",
		"a space in the target":     "GET /api/v1/pro jects HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\n\r\n",
		"another scheme":            "GET file:///etc/passwd HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\n\r\n",
		"a tunnel":                  "CONNECT " + a.address + " HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\n\r\n",
		"two lengths":               "POST /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"a length and chunks":       "POST /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"an unknown coding":         "POST /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"a method in lower letters": "get /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nConnection: close\r\n\r\n",
		"a header that is split":    "GET /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nX: a\r\n b\r\nConnection: close\r\n\r\n",
	} {
		a.wantRefused(t, name, a.raw(t, request), 400, 401, 403, 404, 405, 501)
	}
	a.wantNothingLogged(t)
}

// A second request that is hidden in the body of a first one is no request.
func TestNoRequestIsSmuggled(t *testing.T) {
	a := open(t, "")
	hidden := "GET /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nAuthorization: Bearer " + a.Token + "\r\nConnection: close\r\n\r\n"
	for name, head := range map[string]string{
		"a body of a GET that reads none": "GET /livez HTTP/1.1\r\nHost: " + a.address + "\r\nContent-Length: %d\r\n\r\n",
		"a body that nobody reads":        "POST /nowhere HTTP/1.1\r\nHost: " + a.address + "\r\nContent-Length: %d\r\n\r\n",
		"a refused one":                   "POST /api/v1/projects HTTP/1.1\r\nHost: " + a.address + "\r\nOrigin: https://evil.example\r\nContent-Length: %d\r\n\r\n",
	} {
		answer := a.raw(t, strings.ReplaceAll(head, "%d", strconv.Itoa(len(hidden)))+hidden)
		if n := strings.Count(answer, "HTTP/1.1 "); n != 1 || strings.Contains(answer, planted) {
			t.Errorf("%s: %d answers:\n%.500s", name, n, answer)
		}
	}
}
