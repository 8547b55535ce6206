package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

func TestBridged(t *testing.T) {
	const tool = "/api/v1/servers/weather/tools/forecast"
	ok := func(structured string) string {
		return `{"content":[{"type":"text","text":"ok"}],"structuredContent":` + structured + `}`
	}
	run(t, serve(t, nil), []scenario{
		{"a call", "POST", tool, `{"n":9007199254740993}`, nil, 200, "", "", ok(`{"n":9007199254740993}`)},
		{"without a body", "POST", tool, ``, nil, 200, "", "", ok(`{}`)},
		{"a bad argument", "POST", tool, `{"n":"x"}`, nil, 400, "invalid", "/n type", ""},
		{"a duplicate key", "POST", tool, `{"n":1,"n":2}`, nil, 400, "invalid", "/n duplicate", ""},
		{"a field that is called server", "POST", tool, `{"server":"x"}`, nil, 200, "", "", ok(`{"server":"x"}`)},
		{"a query parameter", "POST", tool + "?n=1", ``, nil, 400, "invalid", "/n additionalProperties", ""},
		{"a form", "POST", tool, `n=1`, []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "invalid", "", ""},
		{"no such tool", "POST", "/api/v1/servers/weather/tools/rain", ``, nil, 404, "not_found", "", ""},
		{"no such server", "POST", "/api/v1/servers/news/tools/forecast", ``, nil, 404, "not_found", "", ""},
		{"a tool of another server", "POST", "/api/v1/servers/weather/tools/odd", ``, nil, 404, "not_found", "", ""},
		{"a name with everything in it", "POST", "/api/v1/servers/" + url.PathEscape("My Server/7 & co") + "/tools/odd", ``, nil, 200, "", "", ok(`{}`)},
		{"the same, escaped in another way", "POST", "/api/v1/servers/My%20Server%2f7%20%26%20co/tools/odd", ``, nil, 200, "", "", ok(`{}`)},
		{"a slash that is not escaped", "POST", "/api/v1/servers/My%20Server/7%20%26%20co/tools/odd", ``, nil, 404, "not_found", "", ""},
		{"an escaped way out", "POST", "/api/v1/servers/weather%2Ftools%2Fforecast", ``, nil, 404, "not_found", "", ""},
		{"a tool that is hidden", "POST", tool, ``, []string{"Authorization: Bearer reader"}, 403, "forbidden", "", ""},
		{"a condition on a write", "POST", tool, ``, []string{`If-Match: "1"`}, 400, "invalid", "", ""},
	})
}

func TestRouteOfEveryBridgedTool(t *testing.T) {
	f := serve(t, nil)
	for c := range f.live.Registry().All() {
		if c.Bridged() {
			if w := f.do(c.Route().Method, "/api/v1"+c.Route().Path, ""); w.Code != http.StatusOK {
				t.Errorf("%s: %s answers %d: %s", c.Name(), c.Route(), w.Code, w.Body)
			}
		}
	}
}

func TestBridgedToolsComeAndGo(t *testing.T) {
	f := serve(t, nil)
	const rain = "/api/v1/servers/weather/tools/rain"
	wantProblem(t, f.do("POST", rain, ""), 404, "not_found")
	f.live.Replace("", "weather", []*capabilities.Capability{bridged(t, "weather", "rain", nil)})
	if w := f.do("POST", rain, ""); w.Code != http.StatusOK {
		t.Errorf("a new tool answers %d", w.Code)
	}
	wantProblem(t, f.do("POST", "/api/v1/servers/weather/tools/forecast", ""), 404, "not_found")
	f.live.Replace("", "weather", nil)
	wantProblem(t, f.do("POST", rain, ""), 404, "not_found")
}

func TestSeatsHaveTheirOwnTools(t *testing.T) {
	f := serve(t, func(o *httpapi.Options) {
		o.Authenticate = func(r *http.Request) (*capabilities.Principal, error) {
			seat := r.Header.Get("X-Seat")
			return &capabilities.Principal{ID: seat, Kind: capabilities.Seat, Seat: seat, Scopes: []string{"*"}}, nil
		}
	})
	for _, seat := range []string{"ada", "bob"} {
		f.live.Replace(seat, "mail", []*capabilities.Capability{bridged(t, "mail", "send", func(s *capabilities.BridgedSpec) {
			s.Summary = "Sends as " + seat + "."
			s.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
				return &capabilities.Result{Structured: json.RawMessage(`"` + seat + `"`)}, nil
			}
		})})
	}
	for _, seat := range []string{"ada", "bob"} {
		wantJSON(t, f.do("POST", "/api/v1/servers/mail/tools/send", "", "X-Seat: "+seat), `{"content":[],"structuredContent":"`+seat+`"}`)
		doc := f.do("GET", "/openapi.json", "", "X-Seat: "+seat).Body.String()
		if !strings.Contains(doc, "Sends as "+seat) {
			t.Errorf("the document of %s has another's tool: %s", seat, doc)
		}
	}
	wantProblem(t, f.do("POST", "/api/v1/servers/mail/tools/send", "", "X-Seat: eve"), 404, "not_found")
}

func TestUpstreamRefusal(t *testing.T) {
	f := serve(t, nil)
	f.live.Replace("", "weather", []*capabilities.Capability{bridged(t, "weather", "forecast", func(s *capabilities.BridgedSpec) {
		s.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			e := capabilities.Refuse(capabilities.UpstreamError, "weather: no such city")
			e.Upstream = &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("no such city")}}
			return nil, e
		}
	})})
	p := wantProblem(t, f.do("POST", "/api/v1/servers/weather/tools/forecast", ""), 502, "upstream_error")
	want := `{"content":[{"type":"text","text":"no such city"}]}`
	if diff := cmp.Diff(decode(t, want), decode(t, string(p.Upstream))); diff != "" {
		t.Errorf("upstream (-want +got):\n%s", diff)
	}
}

func TestFacts(t *testing.T) {
	facts := serve(t, nil).server.SurfaceFacts()
	if facts.Surface != capabilities.HTTP || facts.Version != "9.9.9" {
		t.Errorf("facts: %+v", facts)
	}
	f := serve(t, nil)
	for _, route := range facts.Served {
		method, path, _ := strings.Cut(route, " ")
		if w := f.do(method, strings.NewReplacer("{", "", "}", "").Replace(path), ""); w.Code == http.StatusMethodNotAllowed {
			t.Errorf("%s is said to be served and is not", route)
		}
	}
	if len(facts.Served) < 15 {
		t.Errorf("only %d routes are said to be served", len(facts.Served))
	}
}
