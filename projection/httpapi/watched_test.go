package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

func counted(context.Context) (string, []byte) { return "text/plain; version=0.0.4", []byte("up 1\n") }

// TestWhoReadsTheMetrics asks for them as everybody.
func TestWhoReadsTheMetrics(t *testing.T) {
	for name, tc := range map[string]struct {
		serves, public bool
		headers        []string
		status         int
	}{
		"the owner":                    {true, false, nil, 200},
		"whoever has not the scope":    {true, false, []string{"Authorization: Bearer writer"}, 403},
		"nobody":                       {true, false, []string{"-Authorization"}, 401},
		"a bad token":                  {true, false, []string{"Authorization: Bearer bad"}, 401},
		"nobody, where they are open":  {true, true, []string{"-Authorization"}, 200},
		"a page of another site":       {true, true, []string{"-Authorization", "Host: evil.example"}, 403},
		"the owner, of one that lacks": {false, false, nil, 404},
		"nobody, of one that lacks":    {false, true, []string{"-Authorization"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, func(o *httpapi.Options) {
				if o.MetricsPublic = tc.public; tc.serves {
					o.Metrics = counted
				}
			})
			w := httptest.NewRecorder()
			f.ServeHTTP(w, request("GET", "/metrics", "", tc.headers...))
			if w.Code != tc.status {
				t.Fatalf("got %d: %s", w.Code, w.Body)
			}
			if w.Code == http.StatusOK && (w.Body.String() != "up 1\n" || w.Header().Get("Content-Type") != "text/plain; version=0.0.4") {
				t.Errorf("%s: %s", w.Header().Get("Content-Type"), w.Body)
			}
		})
	}
}

// TestWhoIsToldHowThePartsAre asks whether the server is ready, as everybody and either way.
func TestWhoIsToldHowThePartsAre(t *testing.T) {
	parts := func(context.Context) []httpapi.Part {
		return []httpapi.Part{{Name: "store", Grade: "fault", Text: "the disk is full", Remedy: "make room"}}
	}
	well, unwell := error(nil), capabilities.Refuse(capabilities.Unavailable, "the store cannot be used: make room")
	const told = `[{"name":"store","grade":"fault","text":"the disk is full","remedy":"make room"}]`
	for name, tc := range map[string]struct {
		url     string
		ready   error
		headers []string
		status  int
		want    string // "" is the refusal
	}{
		"the owner":                 {"/readyz?verbose", well, nil, 200, `{"status":"ok","parts":` + told + `}`},
		"the owner, with a value":   {"/readyz?verbose=1", well, nil, 200, `{"status":"ok","parts":` + told + `}`},
		"the owner, of one unwell":  {"/readyz?verbose", unwell, nil, 503, `{"status":"unavailable","parts":` + told + `}`},
		"the owner, who is brief":   {"/readyz", well, nil, 200, `{"status":"ok"}`},
		"nobody":                    {"/readyz?verbose", well, []string{"-Authorization"}, 200, `{"status":"ok"}`},
		"nobody, of one unwell":     {"/readyz?verbose", unwell, []string{"-Authorization"}, 503, ""},
		"whoever has not the scope": {"/readyz?verbose", well, []string{"Authorization: Bearer writer"}, 200, `{"status":"ok"}`},
		"a browser that did not":    {"/readyz?verbose", well, []string{"-Authorization", "Cookie: another=1; holotype_session=bad"}, 200, `{"status":"ok"}`},
		"a browser that signed in":  {"/readyz?verbose", well, []string{"-Authorization", "Cookie: holotype_session=good"}, 200, `{"status":"ok","parts":` + told + `}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, func(o *httpapi.Options) { o.Parts, o.Ready = parts, func() error { return tc.ready } })
			w := httptest.NewRecorder()
			f.ServeHTTP(w, request("GET", tc.url, "", tc.headers...))
			if w.Code != tc.status {
				t.Fatalf("got %d: %s", w.Code, w.Body)
			}
			switch {
			case tc.want == "":
				wantProblem(t, w, 503, "unavailable")
			case cmp.Diff(decode(t, tc.want), decode(t, w.Body.String())) != "":
				t.Errorf("got %s, want %s", w.Body, tc.want)
			}
		})
	}
	f := serve(t, func(o *httpapi.Options) { o.Parts = parts })
	w := httptest.NewRecorder()
	f.ServeHTTP(w, request("GET", "/readyz?verbose", "", "Authorization: Bearer bad"))
	wantProblem(t, w, 401, "unauthenticated")
}

func TestAnswersAreCountedByTheirStatus(t *testing.T) {
	f := serve(t, nil)
	for url, times := range map[string]int{"/livez": 3, "/api/v1/ping": 2, "/api/v1/items/404": 1, "/nowhere": 2} {
		for range times {
			f.ServeHTTP(httptest.NewRecorder(), request("GET", url, ""))
		}
	}
	f.ServeHTTP(httptest.NewRecorder(), request("GET", "/api/v1/ping", "", "-Authorization"))
	if diff := cmp.Diff(map[int]uint64{200: 5, 404: 3, 401: 1}, f.server.Answers()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// asked keeps what the door is asked.
type asked struct{ calls []capabilities.Call }

func (a *asked) Invoke(_ context.Context, call capabilities.Call) (*capabilities.Result, error) {
	a.calls = append(a.calls, call)
	return nil, errors.New("not now")
}

// TestATraceComesInItsHeaders sends calls that say which trace they are a part of.
func TestATraceComesInItsHeaders(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	door := &asked{}
	f := serve(t, func(o *httpapi.Options) { o.Door = door })
	for _, tc := range []struct{ method, url, body string }{
		{"GET", "/api/v1/ping", ""}, {"POST", "/api/v1/servers/weather/tools/forecast", "{}"}, {"POST", "/operator/act/ping", "{}"},
	} {
		for _, headers := range [][]string{{"Traceparent: " + parent, "Tracestate: a=b"}, {"Traceparent: " + strings.ToUpper(parent)}, nil} {
			door.calls = nil
			f.ServeHTTP(httptest.NewRecorder(), request(tc.method, tc.url, tc.body, append(headers, "Idempotency-Key: k")...))
			if len(door.calls) != 1 {
				t.Fatalf("%s: %d calls", tc.url, len(door.calls))
			}
			got, want := door.calls[0].Trace, capabilities.Trace{}
			if len(headers) == 2 {
				want = capabilities.ParseTrace(parent, "a=b")
			}
			if got != want {
				t.Errorf("%s with %q: %q, %q", tc.url, headers, got.Parent(), got.State)
			}
		}
	}
}
