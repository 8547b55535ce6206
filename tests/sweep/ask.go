package sweep

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// request is one request over HTTP.
type request struct {
	who     Principal
	surface string
	label   string // what it is, for the report; "" is method and path
	method  string
	path    string
	header  http.Header
	body    string
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request with the credential of its principal, unless it has one of its own,
// and judges all parts of the answer.
func (s *sweep) ask(ctx context.Context, q request) (answer, error) {
	s.report.Asked++
	got, err := s.send(ctx, q)
	if err != nil {
		return answer{}, err
	}
	a := asked{q.who.Name, q.surface, q.label}
	if a.request == "" {
		a.request = q.method + " " + q.path
	}
	s.judge(a, "headers", headText(got))
	s.judge(a, "body", got.body)
	return got, nil
}

func headText(a answer) string {
	var head strings.Builder
	fmt.Fprintf(&head, "%d %s\n", a.status, http.StatusText(a.status))
	// Which request it was differs each time, and is nobody's.
	rest := a.header.Clone()
	rest.Del("X-Request-Id")
	rest.Del("Date")
	_ = rest.Write(&head) // a builder takes everything
	return head.String()
}

func (s *sweep) send(ctx context.Context, q request) (answer, error) {
	base := s.URL
	if s.Handler != nil {
		base = "http://127.0.0.1"
	}
	r, err := http.NewRequestWithContext(ctx, q.method, base+q.path, strings.NewReader(q.body))
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", q.method, q.path, err)
	}
	r.Header.Set("Accept", "*/*")
	if q.who.Token != "" {
		r.Header.Set("Authorization", "Bearer "+q.who.Token)
	}
	for name, values := range q.header {
		r.Header[name] = slices.Clone(values)
		if len(values) == 0 {
			r.Header.Del(name)
		}
	}
	if s.Handler != nil {
		return served(s.Handler, r), nil
	}
	resp, err := http.DefaultTransport.RoundTrip(r) // a redirect is an answer
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: %w", q.method, q.path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil && ctx.Err() == nil { // what was heard until a stream was ended counts
		return answer{}, fmt.Errorf("the answer to %s %s: %w", q.method, q.path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}, nil
}

// served asks a handler, without a network.
func served(h http.Handler, r *http.Request) answer {
	r.RemoteAddr, r.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Code, w.Result().Header, w.Body.String()}
}

// get reads a path as a principal.
func (s *sweep) get(ctx context.Context, who Principal, path string) (answer, error) {
	return s.ask(ctx, request{who: who, surface: HTTP, method: http.MethodGet, path: path})
}

// asJSON are the headers of a request whose body is JSON.
func asJSON(more ...string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for i := 0; i+1 < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}
