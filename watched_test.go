package holotype_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/internal/metrics"
)

// behindServer is an MCP server of one tool, which fails, and keeps the traces it was sent.
type behindServer struct {
	mu     sync.Mutex
	traces []string
}

func (u *behindServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answers := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"up","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"fail","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"no"}],"isError":true}`,
	}
	switch answer, known := answers[m.Method]; {
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case !known:
		http.Error(w, "no", http.StatusBadRequest)
	default:
		if m.Method == "tools/call" {
			u.mu.Lock()
			u.traces = append(u.traces, r.Header.Get("Traceparent"))
			u.mu.Unlock()
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
	}
}

// bodies keeps what comes to a path of it.
type bodies struct {
	mu     sync.Mutex
	byPath map[string][]byte
}

func (b *bodies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byPath[r.URL.Path] = append(b.byPath[r.URL.Path], body...)
}

func (b *bodies) of(path string) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.byPath[path])
}

// watchedServer is a server that is counted and sends to a collector, as its owner asks it.
type watchedServer struct {
	t       *testing.T
	handler http.Handler
	token   string
	config  string
}

func (w *watchedServer) ask(method, url, body string, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:4280"+url, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	out := httptest.NewRecorder()
	w.handler.ServeHTTP(out, r)
	return out
}

func (w *watchedServer) metrics() string {
	w.t.Helper()
	answer := w.ask("GET", "/metrics", "")
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != metrics.ContentType {
		w.t.Fatalf("got %d, %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func (w *watchedServer) configure(text string) int {
	w.t.Helper()
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return w.ask("POST", "/api/v1/config/reload", "").Code
}

// part answers a part of the server by its name.
func (w *watchedServer) part(name string) (grade, text, remedy string) {
	w.t.Helper()
	var said struct {
		Parts []struct{ Name, Grade, Text, Remedy string }
	}
	answer := w.ask("GET", "/readyz?verbose", "")
	if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || answer.Code != http.StatusOK {
		w.t.Fatalf("got %d, %s", answer.Code, answer.Body)
	}
	for _, p := range said.Parts {
		if p.Grade != "ok" && p.Remedy == "" {
			w.t.Errorf("nothing is said of what to do about %+v", p)
		}
		if p.Name == name {
			return p.Grade, p.Text, p.Remedy
		}
	}
	w.t.Fatalf("no part %q in %s", name, answer.Body)
	return "", "", ""
}

// TestAServerIsWatched follows one call through the metrics, the traces and the server
// behind, and the server to its end.
func TestAServerIsWatched(t *testing.T) {
	up, collected := &behindServer{}, &bodies{byPath: map[string][]byte{}}
	behind, collector := httptest.NewServer(up), httptest.NewServer(collected)
	t.Cleanup(behind.Close)
	t.Cleanup(collector.Close)
	data := t.TempDir()
	text := fmt.Sprintf("telemetry: {otlp_endpoint: %q}\nmcp_servers:\n- {name: up, url: %q}\n", collector.URL, behind.URL)
	w := &watchedServer{t: t, config: filepath.Join(data, "c.yaml")}
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := holotype.New(quiet(holotype.Options{Data: filepath.Join(data, "data"), Config: w.config}))
	var err error
	if w.handler, err = s.Handler(); err != nil {
		t.Fatal(err)
	}
	if w.token, err = s.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	holotype.AwaitServers(t, s)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	if answer := w.ask("POST", "/api/v1/servers/up/tools/fail", "{}", "Traceparent: 00-"+trace+"-b7ad6b7169203331-01"); answer.Code != http.StatusBadGateway {
		t.Fatalf("got %d, %s", answer.Code, answer.Body)
	}
	w.ask("GET", "/api/v1/store", "")
	w.ask("GET", "/api/v1/tools", "", "Authorization: Bearer bad")
	said := w.metrics()
	for _, want := range []string{
		`holotype_calls_total{capability="up__fail",source="up",effect="unknown",reach="",surface="http",outcome="upstream_error"} 1`,
		`holotype_calls_total{capability="get_store",source="system",effect="read",reach="local",surface="http",outcome="ok"} 1`,
		`holotype_server_call_duration_seconds_count{server="up",outcome="upstream_error"} 1`,
		`holotype_server_instances{server="up",state="running"} 1`, `holotype_server_tools{server="up"} 1`,
		`holotype_requests_refused_total{reason="bad_credential"} 1`, `holotype_http_answers_total{status="502"} 1`,
		`holotype_capabilities{kind="bridged"} 1`, `holotype_config_in_force 1`, `holotype_store_ready{engine="sqlite"} 1`,
	} {
		if !strings.Contains(said, want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for _, file := range []string{"database", "log", "audit"} {
		if !regexp.MustCompile(`\nholotype_store_bytes\{file="` + file + `"\} [1-9]`).MatchString(said) {
			t.Errorf("the metrics do not say how large the file of the %s is", file)
		}
	}
	for _, m := range metrics.Table() {
		if !strings.Contains(said, "# TYPE "+m.Name+" ") {
			t.Errorf("nobody gives %s a value", m.Name)
		}
	}
	if strings.Contains(said, w.token) || strings.Contains(said, data) {
		t.Error("the metrics have a token, or a path")
	}
	for _, name := range []string{"http", "mcp", "store", "audit", "configuration", "telemetry", "server up"} {
		if grade, text, _ := w.part(name); grade != "ok" {
			t.Errorf("%s: %s, %s", name, grade, text)
		}
	}
	// A configuration with a fault is said until it has none.
	if code := w.configure(text + "colour: red\n"); code != http.StatusBadRequest {
		t.Errorf("a fault is answered %d", code)
	}
	if grade, said, remedy := w.part("configuration"); grade != "fault" || !strings.Contains(said, "c.yaml:4: colour: no such key") || remedy == "" {
		t.Errorf("%s: %s", grade, said)
	}
	if !strings.Contains(w.metrics(), "holotype_config_in_force 0\n") {
		t.Error("the metrics do not say that the configuration has a fault")
	}
	if code := w.configure(text + "metrics: public\n"); code != http.StatusOK {
		t.Errorf("got %d", code)
	}
	if grade, _, _ := w.part("configuration"); grade != "ok" || !strings.Contains(w.metrics(), "holotype_config_in_force 1\n") {
		t.Errorf("it is %s still", grade)
	}
	// What waits is sent when the server stops.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	spans := collected.of("/v1/traces")
	for _, name := range []string{"POST /api/v1/servers/{server}/tools/{tool}", "tools/call fail", "GET /api/v1/store"} {
		if !bytes.Contains(spans, []byte(name)) {
			t.Errorf("no span is named %q", name)
		}
	}
	if !bytes.Contains(collected.of("/v1/metrics"), []byte("mcp.client.operation.duration")) {
		t.Error("no metrics are sent")
	}
	up.mu.Lock()
	defer up.mu.Unlock()
	if len(up.traces) != 1 || !regexp.MustCompile(`^00-`+trace+`-[0-9a-f]{16}-01$`).MatchString(up.traces[0]) || strings.Contains(up.traces[0], "b7ad6b7169203331") {
		t.Errorf("the server is sent the traces %q", up.traces)
	}
	for _, body := range [][]byte{spans, collected.of("/v1/metrics")} {
		if slices.ContainsFunc([]string{w.token, data}, func(s string) bool { return bytes.Contains(body, []byte(s)) }) {
			t.Error("a token, or a path, is sent")
		}
	}
}

// TestStrangersDoNotHaveTheStoreAsked reads metrics that are open to everybody.
func TestStrangersDoNotHaveTheStoreAsked(t *testing.T) {
	w := &watchedServer{t: t, config: filepath.Join(t.TempDir(), "c.yaml")}
	if err := os.WriteFile(w.config, []byte("metrics: public\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var later atomic.Int64
	s := holotype.New(quiet(holotype.Options{Data: holotype.InMemory, Config: w.config, Now: func() time.Time { return began.Add(time.Duration(later.Load())) }}))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if w.handler, err = s.Handler(); err != nil {
		t.Fatal(err)
	}
	first := w.metrics()
	if again := w.metrics(); again != first {
		t.Error("they are counted anew at once")
	}
	later.Store(int64(2 * time.Second))
	if next := w.metrics(); !strings.Contains(next, `holotype_http_answers_total{status="200"} 2`) {
		t.Error("they are never counted anew")
	}
}

// TestWhatIsNotCounted serves without metrics: there are none, and a trace goes on to the
// server behind as it came.
func TestWhatIsNotCounted(t *testing.T) {
	up := &behindServer{}
	behind := httptest.NewServer(up)
	t.Cleanup(behind.Close)
	w := &watchedServer{t: t, config: filepath.Join(t.TempDir(), "c.yaml")}
	if err := os.WriteFile(w.config, []byte(fmt.Sprintf("metrics: off\nmcp_servers:\n- {name: up, url: %q}\n", behind.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := holotype.New(quiet(holotype.Options{Data: holotype.InMemory, Config: w.config}))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if w.handler, err = s.Handler(); err != nil {
		t.Fatal(err)
	}
	if w.token, err = s.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	holotype.AwaitServers(t, s)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	w.ask("POST", "/api/v1/servers/up/tools/fail", "{}", "Traceparent: "+parent)
	up.mu.Lock()
	defer up.mu.Unlock()
	if !slices.Equal(up.traces, []string{parent}) {
		t.Errorf("the server is sent the traces %q", up.traces)
	}
	if answer := w.ask("GET", "/metrics", ""); answer.Code != http.StatusNotFound {
		t.Errorf("got %d", answer.Code)
	}
}
