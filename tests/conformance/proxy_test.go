package conformance_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
)

const (
	callMethod = "tools/call"
	listMethod = "tools/list"
)

// A proxy stands between the suite, which knows no credentials, and a subject: it
// adds the credential, leaves Host and Origin as they came, notes on whose code each
// scenario runs, and may break answers on purpose.
type proxy struct {
	subject *subject
	faults  []fault
	// scenario answers the scenario that runs now.
	scenario func() string
	web      *httptest.Server

	mu      sync.Mutex
	origins map[string]map[string]bool // by scenario
	broken  map[string]map[string]bool // scenarios by fault
}

// A fault breaks some requests or their answers.
type fault struct {
	name   string
	meets  func(method, target string) bool
	ask    func(r *http.Request, asked request) // nil changes nothing
	answer func(body []byte) []byte             // nil changes nothing
}

// A request is what a JSON-RPC request asks for.
type request struct {
	Method string
	Params struct{ Name, URI string }
	ID     json.RawMessage
}

func (r request) target() string { return r.Params.Name + r.Params.URI }

func newProxy(t *testing.T, s *subject, scenario func() string, faults ...fault) *proxy {
	t.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{subject: s, faults: faults, scenario: scenario, origins: map[string]map[string]bool{}, broken: map[string]map[string]bool{}}
	p.web = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+s.token)
			p.note(r.Out)
		},
		ModifyResponse: p.breakAnswer,
		// A stream that the client leaves is no news.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(p.web.Close)
	return p
}

func (p *proxy) url() string { return p.web.URL + path }

// note reads a request, keeps it readable, and notes whose code answers it.
func (p *proxy) note(r *http.Request) {
	asked, ok := read(r)
	if !ok {
		return
	}
	scenario := p.scenario()
	if origin := p.subject.origin(asked.Method, asked.target()); origin != "" {
		p.add(p.origins, scenario, origin)
	}
	for _, f := range p.faults {
		if f.meets(asked.Method, asked.target()) {
			p.add(p.broken, f.name, scenario)
			if f.ask != nil {
				f.ask(r, asked)
			}
		}
	}
}

func (p *proxy) add(to map[string]map[string]bool, key, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to[key] == nil {
		to[key] = map[string]bool{}
	}
	to[key][value] = true
}

// values answers what was added under a key, in order.
func (p *proxy) values(of map[string]map[string]bool, key string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(of[key]))
}

// read answers the body of a request, leaving it to be read again, and what it asks
// for. ok is false for a notification, an answer to the server, and what is no
// JSON-RPC.
func read(r *http.Request) (asked request, ok bool) {
	if r.Method != http.MethodPost || r.Body == nil {
		return asked, false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return asked, false
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return parse(body)
}

func parse(body []byte) (asked request, ok bool) {
	err := json.Unmarshal(body, &asked)
	return asked, err == nil && asked.Method != "" && asked.ID != nil
}

// breakAnswer applies the faults to an answer.
func (p *proxy) breakAnswer(answer *http.Response) error {
	if len(p.faults) == 0 || answer.Request.GetBody == nil {
		return nil
	}
	again, err := answer.Request.GetBody()
	if err != nil {
		return err
	}
	sent, err := io.ReadAll(again)
	if err != nil {
		return err
	}
	asked, ok := parse(sent)
	if !ok {
		return nil
	}
	for _, f := range p.faults {
		if f.answer == nil || !f.meets(asked.Method, asked.target()) {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		if err := answer.Body.Close(); err != nil {
			return err
		}
		body = f.answer(body)
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return nil
}
