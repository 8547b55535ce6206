package faults_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// An upstream is the script that serves a fault at every address.
type upstream struct{ URL, TLS string }

// serveHTTP starts it. It ends with the test.
func serveHTTP(t *testing.T) (u upstream) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", scriptPath("http-faults.mjs"))
	cmd.Env = append(os.Environ(), "FAULT_TLS="+certificate(t))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it ends with its input,
		_ = cmd.Wait() // and is killed with the test's context
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &u); err != nil {
		t.Fatal(err)
	}
	return u
}

// certificate answers a directory with a certificate nobody trusts.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"fault.invalid"}}
	cert, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An arrival is one request as the script saw it.
type arrival struct {
	Method, Path, Host, RPC string
	Auth                    bool
	APIKey                  bool
}

// get reads a page of the script.
func (u upstream) get(t *testing.T, page string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.URL+page, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// arrived answers how many requests with a method of JSON-RPC came to a fault.
func (u upstream) arrived(t *testing.T, fault, rpc string) int {
	t.Helper()
	var all []arrival
	u.get(t, "/seen", &all)
	n := 0
	for _, a := range all {
		if strings.TrimSuffix(a.Path, "/") == "/m/"+fault && a.RPC == rpc {
			n++
		}
	}
	return n
}

// address is an entry that reaches a fault over HTTP, with credentials.
func (f fault) address(u upstream) entry {
	fault, query, _ := strings.Cut(f.mode, " ")
	e := entry{
		"name": fault, "url": u.URL + "/m/" + fault + "?" + query, "call_timeout_seconds": 20,
		"headers": map[string]string{"Authorization": "Bearer ${FAULT_TOKEN}", "X-Api-Key": "${FAULT_TOKEN}"},
	}
	maps.Copy(e, f.entry)
	return e
}

// refusedCall is a call that is refused with a sentence. All tools of the script are
// proven to change nothing: none may have been applied.
func refusedCall(code capabilities.Code, says string) []call { return []call{{code: code, says: says}} }

var (
	briefly  = entry{"call_timeout_seconds": 2}
	timesOut = refusedCall(capabilities.Timeout, "within its time limit of 2s")
)

// httpFaults are all but those that need the whole heap.
func httpFaults(u upstream) []fault {
	got := []call{{says: "got hello"}}
	twice := []call{got[0], got[0]}
	broken, gone := capabilities.UpstreamError, capabilities.Unavailable
	again := func(first call) []call { return []call{first, got[0]} }
	faults := []fault{
		{mode: "good", calls: got},
		{mode: "good-sse", calls: got},
		{mode: "get-405", calls: got},
		{mode: "session", calls: twice},
		{mode: "session-expire", calls: append(twice, got[0]), more: u.onceMore("session-expire", 3, 1)},
		{mode: "session-400", calls: append(twice, got[0]), more: u.onceMore("session-400", 3, 1)},
		{mode: "session-503", calls: append(twice, got[0]), more: u.onceMore("session-503", 3, 1)},
		{mode: "session-flap", calls: refusedCall(gone, "forgot the session again right after it was made"), more: u.onceMore("session-flap", 1, 1)},
		{mode: "always-404", state: system.Failing, reason: "answered the handshake with HTTP status 404"},

		{mode: "401", state: system.Waiting, reason: `refused the credential it was given (HTTP status 401); it wants Bearer realm="demo", error="invalid_token"`, more: u.notAgain("401", "initialize")},
		{mode: "401-bare", state: system.Waiting, reason: "refused the credential it was given (HTTP status 401)", more: u.notAgain("401-bare", "initialize")},
		{mode: "403", state: system.Waiting, reason: "refused the credential it was given (HTTP status 403)", more: u.notAgain("403", "initialize")},
		{
			mode: "401-call", calls: refusedCall(gone, `refused the credential it was given (HTTP status 401); it wants Bearer error="invalid_token"`),
			after: system.Waiting, afterReason: "HTTP status 401", more: u.notAgain("401-call", "tools/call"),
		},
		{
			mode: "403-scope", calls: refusedCall(gone, `(HTTP status 403); it wants Bearer error="insufficient_scope", scope="write"`),
			after: system.Waiting, afterReason: "insufficient_scope", more: u.notAgain("403-scope", "tools/call"),
		},
		{mode: "402", calls: refusedCall(broken, "HTTP status 402")},
		{mode: "429", calls: []call{{code: gone, says: "HTTP status 429"}, {code: gone, says: "HTTP status 429"}, got[0]}},
		{mode: "429-long", calls: refusedCall(gone, "HTTP status 429"), more: retryAfter(3600)},
		{mode: "500", calls: refusedCall(broken, "HTTP status 500"), more: u.notAgain("500", "tools/call")},
		{mode: "500-rpc", calls: refusedCall(broken, "inside a 500")},
		{mode: "502-html", calls: refusedCall(gone, "HTTP status 502"), more: noPage},
		{mode: "503-once", calls: again(call{code: gone, says: "HTTP status 503"})},

		{mode: "redirect-301", state: system.Failing, reason: "redirects with status 301 to " + u.URL + "/m/good, which would drop the request; use that address"},
		{mode: "redirect-302", state: system.Failing, reason: "redirects with status 302 to " + u.URL + "/m/good"},
		{mode: "redirect-307", calls: got},
		{mode: "redirect-308", calls: got},
		{mode: "redirect-slash", calls: got},
		{mode: "redirect-loop", state: system.Failing, reason: "more than 5 in a row"},
		{mode: "redirect-cross", state: system.Failing, reason: "it points to another origin, http://localhost:", more: u.keptAtHome},
		{mode: "redirect-meta", state: system.Failing, reason: "it points to another origin, http://127.0.0.2:1"},
		{mode: "redirect-file", state: system.Failing, reason: "it points to another origin, file:"},
		{mode: "redirect-none", state: system.Failing, reason: "a redirect (HTTP status 307) that leads nowhere"},

		{mode: "sse-cut", calls: refusedCall(gone, "ended its answer before it was whole")},
		{mode: "sse-end", calls: refusedCall(gone, "ended its answer before it was whole")},
		{mode: "sse-never", entry: briefly, calls: timesOut},
		{mode: "sse-silent", entry: briefly, calls: timesOut},
		{mode: "sse-resume", calls: got},
		{mode: "sse-resume-fail", calls: refusedCall(gone, "could not resume it")},
		{mode: "sse-retry-huge", entry: briefly, calls: timesOut},
		{mode: "sse-crlf", calls: got},
		{mode: "sse-bom", calls: got},
		{mode: "sse-split", calls: got},
		{mode: "sse-junk", calls: got},
		{mode: "sse-noblank", calls: got},
		{mode: "sse-drip", calls: got},
		{mode: "sse-wrong-id", calls: got},

		{mode: "ct-html", state: system.Failing, reason: "text/html", more: noPage},
		{mode: "ct-none", calls: got},
		{mode: "ct-charset", calls: got},
		{mode: "ct-upper", calls: got},
		{mode: "ct-sse-charset", calls: got},
		{mode: "ct-problem", calls: refusedCall(broken, "HTTP status 422")},
		{mode: "json-as-sse", calls: got},
		{mode: "sse-as-json", calls: got},
		{mode: "text-json", calls: got},
		{mode: "json-array", calls: got},
		{mode: "json-trail", calls: got},
		{mode: "json-bom", calls: got},
		{mode: "empty-200", calls: refusedCall(broken, "HTTP status 200 and nothing else")},
		{mode: "202-call", calls: refusedCall(broken, "HTTP status 202 and nothing else")},
		{mode: "204-call", calls: refusedCall(broken, "HTTP status 204 and nothing else")},
		{mode: "json-null", calls: refusedCall(broken, "where a JSON-RPC message belongs")},
		{mode: "note-text", calls: got},
		{mode: "note-200", calls: got},
		{mode: "note-500", calls: got},
		{mode: "gzip", calls: got},
		{mode: "gzip-sse", calls: got},
		{mode: "brotli", state: system.Failing, reason: `the encoding "br", which was not asked for`},
		{mode: "gzip-bad", calls: refusedCall(gone, "ended its answer before it was whole")},

		{mode: "slow-headers s=5", entry: briefly, calls: timesOut},
		{mode: "slow-init s=2", calls: got},
		{mode: "slow-body", entry: briefly, calls: timesOut},
		{mode: "hang", entry: briefly, calls: timesOut},
		{mode: "hang-init", entry: entry{"startup_timeout_seconds": 2}, state: system.Failing, reason: "did not finish the handshake within 2s"},
		{mode: "reset", calls: refusedCall(gone, "cannot be reached")},
		{mode: "reset-init", state: system.Failing, reason: "failed the handshake"},
		{mode: "reset-once", calls: again(call{code: gone, says: "cannot be reached"}), more: u.onceMore("reset-once", 2, 0)},
		{mode: "short-body", calls: refusedCall(gone, "ended its answer before it was whole")},
		{mode: "bad-chunk", calls: refusedCall(gone, "ended its answer before it was whole")},
		{mode: "bad-status", calls: refusedCall(gone, "cannot be reached")},
		{mode: "big-header", calls: refusedCall(gone, "cannot be reached")},

		{mode: "get-flood", calls: got, more: u.unhurried("get-flood")},
		{mode: "get-drop", calls: twice},
		{mode: "get-200-json", calls: got},
		{mode: "ver-400", calls: got, more: speaks("2024-11-05")},
		{mode: "need-accept", calls: got},
		{mode: "cookie", calls: got},
		{mode: "delete-hang", calls: got},
	}
	return append(faults, fault{mode: "tls", entry: entry{"url": u.TLS + "/m/good"}, state: system.Failing, reason: "certificate"})
}

// heavyFaults are the answers that are too big.
func heavyFaults() []fault {
	tooLarge := refusedCall(capabilities.TooLarge, "more than 16777216 bytes")
	var faults []fault
	for _, mode := range []string{"sse-big", "sse-endless", "gzip-bomb", "big-json"} {
		faults = append(faults, fault{mode: mode, calls: []call{tooLarge[0], tooLarge[0]}})
	}
	return faults
}

// Not parallel: it looks at the heap of the whole process.
func TestHTTPTooLarge(t *testing.T) {
	u := serveHTTP(t)
	for _, f := range heavyFaults() {
		t.Run(f.mode, func(t *testing.T) {
			bounded(t, func() { f.test(t, start(t, f.address(u))) })
		})
	}
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	u := serveHTTP(t)
	faults := httpFaults(u)
	var modes []string
	u.get(t, "/list", &modes)
	covers(t, append(modes, "tls"), append(heavyFaults(), faults...))
	var entries []entry
	for _, f := range faults {
		entries = append(entries, f.address(u))
	}
	runHTTP(t, start(t, entries...), faults)
}

// runHTTP is runFaults for servers that are named without the query.
func runHTTP(t *testing.T, p *product, faults []fault) {
	t.Helper()
	for i := range faults {
		faults[i].mode, _, _ = strings.Cut(faults[i].mode, " ")
	}
	runFaults(t, p, faults)
}

// onceMore fails unless so many calls and sessions arrived as it takes: sessions are
// those beyond the first.
func (u upstream) onceMore(fault string, calls, sessions int) func(*testing.T, *product, string) {
	return func(t *testing.T, _ *product, _ string) {
		t.Helper()
		if got := u.arrived(t, fault, "tools/call"); got != calls+sessions {
			t.Errorf("%d calls arrived, want %d", got, calls+sessions)
		}
		if got := u.arrived(t, fault, "initialize"); got != 1+sessions {
			t.Errorf("%d sessions were made, want %d", got, 1+sessions)
		}
	}
}

// notAgain fails when a request was repeated.
func (u upstream) notAgain(fault, rpc string) func(*testing.T, *product, string) {
	return func(t *testing.T, _ *product, _ string) {
		t.Helper()
		if got := u.arrived(t, fault, rpc); got != 1 {
			t.Errorf("%s arrived %d times", rpc, got)
		}
	}
}

// unhurried fails when a flood of notifications became a flood of requests.
func (u upstream) unhurried(fault string) func(*testing.T, *product, string) {
	return func(t *testing.T, _ *product, _ string) {
		t.Helper()
		if got := u.arrived(t, fault, "tools/list"); got > 200 { // a tenth of the notifications
			t.Errorf("the tools were asked for %d times", got)
		}
	}
}

// keptAtHome fails when anything reached the other origin.
func (u upstream) keptAtHome(t *testing.T, p *product, _ string) {
	t.Helper()
	var all []arrival
	u.get(t, "/seen", &all)
	for _, a := range all {
		if strings.HasPrefix(a.Host, "localhost") {
			t.Errorf("a request reached another origin: %+v", a)
		}
	}
	if p.log.holds(secret) {
		t.Error("the credential stands in the log")
	}
}

func retryAfter(seconds int) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		if a := p.call(t, p.rows(t)[name].Prefix+"echo", `{}`); a.Meta.Error.RetryAfter != seconds {
			t.Errorf("a retry is told to wait %d s, want %d", a.Meta.Error.RetryAfter, seconds)
		}
	}
}

// noPage fails when a page of HTML stands anywhere.
func noPage(t *testing.T, p *product, name string) {
	t.Helper()
	if row := p.rows(t)[name]; strings.Contains(row.Reason, "<") || p.log.holds("alert(1)") {
		t.Errorf("the page is shown: %s", row.Reason)
	}
}

func speaks(version string) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		if row := p.rows(t)[name]; row.ProtocolVersion != version {
			t.Errorf("it speaks %s", row.ProtocolVersion)
		}
	}
}
