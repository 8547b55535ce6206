package attack_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// asServer in the environment makes this program the MCP server that it tests with.
const asServer = "ATTACK_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		if err := serveStdio(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// answerTo answers a message of the handshake era, "" for a notification. The one tool
// says what the server was given.
func answerTo(message []byte, given string) string {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(message, &m) != nil || m.ID == nil {
		return ""
	}
	answer := `"error":{"code":-32601,"message":"not served"}`
	switch m.Method {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"upstream","version":"3"}}`
	case "tools/list":
		answer = `"result":{"tools":[{"name":"given","description":"Says what it was given.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
	case "tools/call":
		text, err := json.Marshal(given + "\n" + string(message))
		if err != nil { // a text cannot fail
			return ""
		}
		answer = `"result":{"content":[{"type":"text","text":` + string(text) + `}]}`
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + answer + `}`
}

func serveStdio(in io.Reader, out io.Writer) error {
	given := strings.Join(append(os.Args, os.Environ()...), "\n")
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if answer := answerTo(lines.Bytes(), given); answer != "" {
			if _, err := fmt.Fprintln(out, answer); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// upstream is an MCP server over HTTP that keeps all that it was sent.
type upstream struct {
	*httptest.Server
	mu   sync.Mutex
	sent strings.Builder
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var heads strings.Builder
		_ = r.Header.Write(&heads)
		all := r.Method + " " + r.URL.String() + "\n" + heads.String() + "\n" + string(body) + "\n"
		u.mu.Lock()
		u.sent.WriteString(all)
		u.mu.Unlock()
		switch answer := answerTo(body, heads.String()); {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case answer == "":
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		}
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) all() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sent.String()
}

// What a caller is known by goes no further than to this server: no bridged server gets
// the token, the cookie, the session or the address of whoever calls, over HTTP or in a
// child's environment, arguments and messages.
func TestACallersCredentialGoesNoFurther(t *testing.T) {
	up := newUpstream(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, fmt.Sprintf("mcp_servers:\n- {name: far, url: %q, headers: {Authorization: Bearer its-own}}\n- {name: near, command: %q, env: {%s: \"1\"}}\n", up.URL, exe, asServer))
	a.Stdio(t).Shake(t).Settled(t, func(tools []json.RawMessage) bool {
		there := 0
		for _, tool := range tools {
			if strings.Contains(string(tool), `__given"`) {
				there++
			}
		}
		return there == 2
	})
	cookie := a.signIn(t)
	secrets := map[string]string{"the owner's token": a.Token, "the caller's token": a.token, "the cookie": cookie.Value}
	marks := map[string]string{
		"Authorization": "Bearer " + a.token, "Content-Type": "application/json", "Cookie": cookie.Name + "=" + cookie.Value, "Proxy-Authorization": "Basic cHJveHktc2VjcmV0",
		"X-Forwarded-For": "198.51.100.77", "Forwarded": "for=198.51.100.77", "X-Api-Key": "api-key-secret", "X-Anything": "anything-secret", "User-Agent": "agent-secret", "Referer": "https://referer-secret.example/",
	}
	maps.Copy(secrets, map[string]string{"a proxy's credential": "cHJveHktc2VjcmV0", "an api key": "api-key-secret", "any header": "anything-secret", "the agent": "agent-secret", "the referrer": "referer-secret", "the address": "198.51.100.77"})
	said := ""
	for _, server := range []string{"far", "near"} {
		head, data := a.HTTP(t, http.MethodPost, "/api/v1/servers/"+server+"/tools/given", marks, []byte(`{}`))
		if head.StatusCode != http.StatusOK || !strings.Contains(string(data), "given") {
			t.Fatalf("%s: %d %s", server, head.StatusCode, data)
		}
		said += string(data)
	}
	mine := *a.Running
	mine.Token = a.token
	for _, s := range mine.OverHTTP(t) {
		for _, server := range []string{"far", "near"} {
			status, data := s.Call(t, server+"__given", `{}`)
			if status != http.StatusOK || strings.Contains(string(data), "isError") {
				t.Fatalf("%s: %s: %d %s", s.Name, server, status, data)
			}
			said += string(data)
		}
	}
	if !strings.Contains(up.all(), "its-own") || !strings.Contains(said, asServer) {
		t.Fatal("neither server says what it was given: the test looks in the wrong place")
	}
	for name, secret := range secrets {
		if strings.Contains(up.all(), secret) {
			t.Errorf("%s is sent to the server over HTTP", name)
		}
		if strings.Contains(said, secret) {
			t.Errorf("%s is given to a server", name)
		}
	}
	if strings.Contains(said, "its-own") {
		t.Error("a server's own credential is told to a caller") // it is no secret of the secrets file, and still masked where it stands in headers
	}
	a.wantNothingLogged(t, cookie.Value)
}
