package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// operations answers the operation ids of a document.
func operations(t *testing.T, doc []byte) map[string]bool {
	t.Helper()
	var d struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(doc, &d); err != nil || !strings.HasPrefix(d.OpenAPI, "3.1") {
		t.Fatalf("no OpenAPI 3.1 document: %v: %.200s", err, doc)
	}
	all := map[string]bool{}
	for _, item := range d.Paths {
		for _, raw := range item {
			var op struct {
				ID string `json:"operationId"`
			}
			if json.Unmarshal(raw, &op) == nil && op.ID != "" {
				all[op.ID] = true
			}
		}
	}
	return all
}

func TestDocuments(t *testing.T) {
	f := serve(t, nil)
	for _, c := range []struct {
		name, url string
		headers   []string
		status    int
		has       []string
		not       []string
	}{
		{"everything", "/openapi.json", nil, 200, []string{"create_item", "manage", "x__forecast", "x__odd"}, nil},
		{"what the caller sees", "/openapi.json", []string{"Authorization: Bearer reader"}, 200, []string{"get_item"}, []string{"create_item", "manage", "x__forecast"}},
		{"one server", "/openapi/weather.json", nil, 200, []string{"x__forecast"}, []string{"create_item", "x__odd"}},
		{"one server with an odd name", "/openapi/My%20Server%2F7%20&%20co.json", nil, 200, []string{"x__odd"}, []string{"x__forecast"}},
		{"a server the caller does not see", "/openapi/weather.json", []string{"Authorization: Bearer reader"}, 404, nil, nil},
		{"no such server", "/openapi/news.json", nil, 404, nil, nil},
		{"no name", "/openapi/.json", nil, 404, nil, nil},
		{"no such form", "/openapi/weather.yaml", nil, 404, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do("GET", c.url, "", c.headers...)
			if c.status != 200 {
				wantProblem(t, w, c.status, "not_found")
				return
			}
			if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
				t.Fatalf("%d %q: %.200s", w.Code, w.Header().Get("Content-Type"), w.Body)
			}
			ids := operations(t, w.Body.Bytes())
			for _, id := range c.has {
				if !ids[id] {
					t.Errorf("%s is missing in %v", id, ids)
				}
			}
			for _, id := range c.not {
				if ids[id] {
					t.Errorf("%s is in it", id)
				}
			}
		})
	}
	t.Run("yaml", func(t *testing.T) {
		w := f.do("GET", "/openapi.yaml", "")
		if w.Code != 200 || w.Header().Get("Content-Type") != "application/yaml" || !strings.Contains(w.Body.String(), "openapi: ") {
			t.Errorf("%d %q: %.200s", w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	})
}

func TestDocumentsAreCached(t *testing.T) {
	f := serve(t, nil)
	first := f.do("GET", "/openapi.json", "")
	tag := first.Header().Get("ETag")
	for _, c := range []struct {
		name, header string
		status       int
	}{
		{"the same tag", tag, http.StatusNotModified},
		{"a weak tag", "W/" + tag, http.StatusNotModified},
		{"one of several", `"x", ` + tag, http.StatusNotModified},
		{"any", "*", http.StatusNotModified},
		{"another tag", `"x"`, http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do("GET", "/openapi.json", "", "If-None-Match: "+c.header)
			if w.Code != c.status || w.Header().Get("ETag") != tag || w.Code == http.StatusNotModified && w.Body.Len() > 0 {
				t.Errorf("%d, tag %s, %d bytes", w.Code, w.Header().Get("ETag"), w.Body.Len())
			}
		})
	}
	if other := f.do("GET", "/openapi.json", "", "Authorization: Bearer reader"); other.Header().Get("ETag") == tag {
		t.Error("another caller's document has the same tag")
	}
	f.live.Replace("", "weather", []*capabilities.Capability{bridged(t, "weather", "rain", nil)})
	after := f.do("GET", "/openapi.json", "", "If-None-Match: "+tag)
	if after.Code != http.StatusOK || !operations(t, after.Body.Bytes())["x__rain"] {
		t.Errorf("after a change: %d", after.Code)
	}
}
