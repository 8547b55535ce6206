package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

func probe(t *testing.T, s bridge.Server, timeout time.Duration) (*bridge.Observation, error) {
	t.Helper()
	o := bridge.ProbeOptions{HostEnv: []string{"PATH=" + os.Getenv("PATH")}, Version: "1.0.0", Timeout: timeout}
	bridge.HurryProbe(&o, s)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return bridge.Probe(ctx, s, o)
}

func mustProbe(t *testing.T, mode string, env ...string) *bridge.Observation {
	t.Helper()
	// Built with the race detector a program takes a second to exit.
	s := with(with(fakeServer(t, "", mode), "GORACE", "atexit_sleep_ms=0"), env...)
	o, err := probe(t, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// innerOf answers the process that a fake said it started.
func innerOf(t *testing.T, o *bridge.Observation) int {
	t.Helper()
	_, text, _ := strings.Cut(o.Stderr, "inner ")
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("standard error %q names no process", o.Stderr)
	}
	return pid
}

func TestProbeOfAServer(t *testing.T) {
	const tools = `{"name":"a","inputSchema":{"type":"object","x":9007199254740993},"annotations":{"readOnlyHint":"yes","destructiveHint":false}},` +
		`{"name":"b.c","inputSchema":{"type":"object"}},{"name":42},{"name":"a","inputSchema":{"type":"object"}}`
	o := mustProbe(t, "good", "FAKE_TOOLS", tools)
	if o.Handshake <= 0 || o.List <= 0 || o.Stop == nil || o.Stop.After <= 0 {
		t.Errorf("handshake %s, list %s, stop %+v", o.Handshake, o.List, o.Stop)
	}
	o.Handshake, o.List, o.Stop.After = 0, 0, 0
	entry := func(i int) json.RawMessage {
		var list []json.RawMessage
		if err := json.Unmarshal([]byte("["+tools+"]"), &list); err != nil {
			t.Fatal(err)
		}
		return list[i]
	}
	want := &bridge.Observation{
		Alias: "fake", Transport: bridge.TransportStdio, Name: "fake", Title: "A fake", Number: "1.2.3",
		Capabilities: json.RawMessage(`{"tools":{"listChanged":true}}`), Version: "2025-06-18", Discover: bridge.DiscoverRefused,
		Pages: 1, ListBytes: len(`{"tools":[` + tools + `]}`),
		Tools: []bridge.ObservedTool{
			{
				Name: "a", Exposed: "fake__a", Raw: entry(0), OddHints: []string{"readOnlyHint"},
				Hints: capabilities.HintFacts{
					ReadOnly:    capabilities.HintFact{Raw: json.RawMessage(`"yes"`)},
					Destructive: capabilities.HintFact{Value: capabilities.No, From: capabilities.FromServer, Raw: json.RawMessage("false")},
				},
			},
			{Name: "b.c", Exposed: o.Tools[1].Exposed, Raw: entry(1)},
			{Raw: entry(2), Skipped: "it has no name"},
			{Name: "a", Exposed: "fake__a", Raw: entry(3)},
		},
		Stop: &bridge.Stop{How: bridge.StopInput},
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.HasPrefix(o.Tools[1].Exposed, "fake__b_c_") {
		t.Errorf("a dot is offered as %q", o.Tools[1].Exposed)
	}
}

func TestProbeTellsHowAServerBehaves(t *testing.T) {
	for _, tc := range []struct {
		mode string
		want func(*bridge.Observation) bool
	}{
		{"junk", func(o *bridge.Observation) bool {
			return o.JunkLines >= 5 && o.Junk[0] == "Demo server v1" && len(o.Junk) == 5
		}},
		{"modern", func(o *bridge.Observation) bool {
			return o.Modern && o.Discover == bridge.DiscoverAnswered && cmp.Equal(o.Offered, []string{"2026-07-28"}) && string(o.Capabilities) == `{"tools":{}}`
		}},
		{"discover-silent", func(o *bridge.Observation) bool {
			return o.Discover == bridge.DiscoverIgnored && o.Version == "2025-06-18"
		}},
		{"discover-late", func(o *bridge.Observation) bool {
			return o.Discover == bridge.DiscoverLate && o.Version == "2025-06-18"
		}},
		{"discover-exit", func(o *bridge.Observation) bool { return o.Discover == bridge.DiscoverExited && len(o.Tools) == 1 }},
		{"pages", func(o *bridge.Observation) bool { return o.Pages == 3 && len(o.Tools) == 3 && o.ListFault == "" }},
		{"cursor-same", func(o *bridge.Observation) bool {
			return o.Pages == 2 && strings.Contains(o.ListFault, "repeats itself after page 2")
		}},
		{"cursor-grow", func(o *bridge.Observation) bool {
			return o.Pages == 100 && strings.Contains(o.ListFault, "after 100 pages")
		}},
		{"stubborn", func(o *bridge.Observation) bool { return o.Stop.How == bridge.StopKill && len(o.Stop.Left) == 0 }},
		{"stderr-flood", func(o *bridge.Observation) bool { return strings.Contains(o.Stderr, `\u001b[2Jcleared`) }},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			t.Parallel()
			if o := mustProbe(t, tc.mode); !tc.want(o) {
				o.Tools = nil
				t.Errorf("%+v, stop %+v", o, o.Stop)
			}
		})
	}
}

func TestProbeLeavesNothingRunning(t *testing.T) {
	for mode, want := range map[string]bridge.StopStep{
		"wrapper": bridge.StopTerm,  // in the group of its parent
		"daemon":  bridge.StopInput, // in a session of its own
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := mustProbe(t, mode)
			if o.Stop.How != want || len(o.Stop.Left) != 1 {
				t.Errorf("stop %+v, want %s and one process left", o.Stop, want)
			}
			awaitGone(t, innerOf(t, o))
		})
	}
}

func TestProbeFailures(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat(`{"name":"t","inputSchema":{"type":"object"}},`, 100_000), ",")
	huge := `{"name":"t","inputSchema":{"type":"object"},"description":"` + strings.Repeat("x", 17<<20) + `"}`
	page := func(tools string) []string { return []string{"FAKE_TOOLS_FILE", writeFile(t, tools)} }
	fake := func(mode string, env ...string) bridge.Server { return with(fakeServer(t, "", mode), env...) }
	web := func(f http.HandlerFunc) bridge.Server {
		s := httptest.NewServer(f)
		t.Cleanup(s.Close)
		return bridge.Server{URL: s.URL}
	}
	status := func(code int, header ...string) bridge.Server {
		return web(func(w http.ResponseWriter, _ *http.Request) {
			if len(header) == 2 {
				w.Header().Set(header[0], header[1])
			}
			w.WriteHeader(code)
		})
	}
	told := status(401)
	told.Headers = map[string]string{"Authorization": "Bearer not-this-one"}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	hangs := web(untilGone(nil, nil))
	secret := fake("exit-3", "FAKE_TOKEN", "a-secret-value")
	for _, tc := range []struct {
		name         string
		server       bridge.Server
		timeout      time.Duration
		phase, cause string
	}{
		{"no command and no url", bridge.Server{}, 0, "configuration", "a command or a url"},
		{"no address", bridge.Server{URL: "ftp://x"}, 0, "configuration", "url: it is not an http or https address"},
		{"a command that does not exist", bridge.Server{Command: "no-such-command-here"}, 0, "start", `"no-such-command-here" is not in the PATH`},
		{"a file that is no program", bridge.Server{Command: writeFile(t, "text")}, 0, "start", "permission denied"},
		{"one that exits at once", secret, 0, "handshake", "exited with status 3 before the handshake was done"},
		{"one that prints and exits", bridge.Server{Command: "echo", Args: []string{"hello \x1b[2J"}}, 0, "handshake", `standard output that are no JSON-RPC 2.0 messages: 1, the first "hello \u001b[2J"`},
		{"one that never answers", fake("hang-init"), time.Second, "handshake", "did not finish the handshake within 1s"},
		{"one that never lists", fake("hang-list"), 4 * time.Second, "list", "did not list its tools within 4s"},
		{"100,000 tools", fake("good", page(many)...), 0, "list", "lists more than 10000 tools"},
		{"a list over the limit", fake("good", page(huge)...), 0, "list", "one message over 16777216 bytes"},
		{"401 without a credential", status(401), 0, "handshake", "asks for a credential, and none was given (HTTP status 401)"},
		{"401 with one", told, 0, "handshake", "refused the credential it was given (HTTP status 401)"},
		{"403", status(403), 0, "handshake", "carried no credential (HTTP status 403)"},
		{"301", status(301, "Location", "/there"), 0, "handshake", "redirects with status 301 to"},
		{"another origin", status(307, "Location", "http://127.0.0.2:1/"), 0, "handshake", "another origin, http://127.0.0.2:1; use that address"},
		{"404", status(404), 0, "handshake", "HTTP status 404"},
		{"a page", web(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }), 0, "handshake", `handshake: unsupported content type "text/html`},
		{"nobody there", bridge.Server{URL: closed.URL}, 0, "handshake", "connection refused"},
		{"an address that never answers", hangs, time.Second, "handshake", "did not finish the handshake within 1s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o, err := probe(t, tc.server, tc.timeout)
			var e *bridge.ProbeError
			if !errors.As(err, &e) || o != nil {
				t.Fatalf("answer %v, error %v", o, err)
			}
			sentence := err.Error()
			named := strings.Contains(sentence, "phase "+tc.phase) || tc.phase == "configuration"
			if e.Phase != tc.phase || !named || !strings.Contains(sentence, tc.cause) || strings.Contains(sentence, "\n") {
				t.Errorf("phase %s: %s\nwant %s: %s", e.Phase, sentence, tc.phase, tc.cause)
			}
			if text := sentence + e.Stderr; strings.Contains(text, "a-secret-value") || strings.Contains(text, "not-this-one") {
				t.Errorf("it tells a secret: %s", text)
			}
		})
	}
}

// untilGone never answers. It says that it began, and returns when its client is gone,
// which is only noticed once the request is read, or when all is over.
func untilGone(began chan<- struct{}, over <-chan struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case began <- struct{}{}:
		default:
		}
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}
}

func TestProbeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began := make(chan struct{})
	over := make(chan struct{})
	s := httptest.NewServer(untilGone(began, over))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(over) })
	go func() {
		<-began
		cancel()
	}()
	if _, err := bridge.Probe(ctx, bridge.Server{URL: s.URL}, bridge.ProbeOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestObserveRefusesWhatIsNoList(t *testing.T) {
	for _, page := range []string{"", "{", "[]", `{"tools":{}}`, `{"tools":null}`, strings.Repeat("[", 1000)} {
		if o, err := bridge.Observe("x", json.RawMessage(page)); err == nil {
			t.Errorf("%.20q: %+v", page, o)
		}
	}
}
