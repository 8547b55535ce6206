package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// description is as much of an OpenAPI document as says what is answered.
type description struct {
	Paths map[string]map[string]struct {
		Responses map[string]answered `json:"responses"`
	} `json:"paths"`
	Components struct {
		Responses map[string]answered `json:"responses"`
	} `json:"components"`
}

type answered struct {
	Ref     string              `json:"$ref"`
	Codes   []capabilities.Code `json:"x-holotype-codes"`
	Content map[string]any      `json:"content"`
}

// described is the owner's document of a server as it is now.
func (f *fixture) described() description {
	f.t.Helper()
	digest := f.views.View(capabilities.OwnerPrincipal()).Digest
	if f.digest == digest {
		return f.last
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, request(http.MethodGet, "/openapi.json", ""))
	var d description
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		f.t.Fatalf("%v: %s", err, w.Body)
	}
	f.digest, f.last = digest, d
	return d
}

// match answers the template of the operation that a path is of; a field of the path may be empty.
func (d description) match(method, path string) (template string, ok bool) {
	parts := strings.Split(path, "/")
	for template, operations := range d.Paths {
		if _, has := operations[strings.ToLower(method)]; has && slices.EqualFunc(strings.Split(template, "/"), parts, func(t, p string) bool { return t == p || strings.HasPrefix(t, "{") }) {
			return template, true
		}
	}
	return "", false
}

// documented reports an answer of an operation that the document does not list.
func (f *fixture) documented(r *http.Request, w *httptest.ResponseRecorder) {
	f.t.Helper()
	path, api := strings.CutPrefix(r.URL.EscapedPath(), "/api/v1")
	if !api || w.Code == http.StatusMethodNotAllowed {
		return
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	d := f.described()
	template, ok := d.match(method, path)
	if !ok {
		return
	}
	found, listed := d.Paths[template][strings.ToLower(method)].Responses[strconv.Itoa(w.Code)]
	if !listed {
		f.t.Errorf("%s %s answers %d, which the document does not list: %.300s", method, template, w.Code, w.Body)
		return
	}
	if name, ref := strings.CutPrefix(found.Ref, "#/components/responses/"); ref {
		found = d.Components.Responses[name]
	}
	if kind := w.Header().Get("Content-Type"); found.Content[kind] == nil {
		f.t.Errorf("%s %s answers %d as %q, which the document does not list", method, template, w.Code, kind)
	}
	if w.Code < http.StatusBadRequest || r.Method == http.MethodHead {
		return
	}
	var p problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		f.t.Errorf("%s %s: %v", method, template, err)
	} else if !slices.Contains(found.Codes, capabilities.Code(p.Code)) {
		f.t.Errorf("%s %s answers %d with %q, and the document lists %q", method, template, w.Code, p.Code, found.Codes)
	}
}

// Every kind of refusal there is, of every kind of operation there is, at least once.
func TestEveryRefusalIsDocumented(t *testing.T) {
	const (
		get, post, put, tool = "/api/v1/items/7", "/api/v1/projects/WEB/items", "/api/v1/items/7", "/api/v1/servers/weather/tools/forecast"
		writes               = `{"title":"x"}`
	)
	f := serve(t, nil)
	large := `{"title":"` + strings.Repeat("x", capabilities.MaxArguments) + `"}`
	for _, c := range []struct {
		name    string
		headers []string
		body    string // "" leaves the one that is usual
		except  string // the operations that have no such refusal
		status  int
	}{
		{"a host that is not ours", []string{"Host: evil.example"}, "", "", 403},
		{"an origin that is not ours", []string{"Origin: http://evil.example"}, "", get, 403},
		{"no credential", []string{"-Authorization"}, "", "", 401},
		{"a credential that nobody knows", []string{"Authorization: Bearer guess"}, "", "", 401},
		{"a failure to look it up", []string{"Authorization: Bearer broken"}, "", "", 500},
		{"nothing that may be answered", []string{"Accept: text/html"}, "", "", 406},
		{"a key that is none", []string{"Idempotency-Key: a b"}, "", "", 400},
		{"a body of another type", []string{"Content-Type: text/plain"}, "x", get, 415},
		{"a body in a coding", []string{"Content-Encoding: gzip"}, "x", get, 415},
		{"a body where none is taken", nil, "x", post + put + tool, 400},
		{"a body that is none", nil, "x", get, 400},
		{"a body over the limit", nil, large, get, 413},
	} {
		for _, op := range []struct{ name, method, url, body string }{
			{"get", "GET", get, ""}, {"post", "POST", post, writes}, {"put", "PUT", put, writes}, {"tool", "POST", tool, `{}`},
		} {
			if strings.Contains(c.except, op.url) && op.name != "put" || op.name == "put" && strings.Contains(c.except, post) {
				continue
			}
			t.Run(c.name+", "+op.name, func(t *testing.T) {
				body := op.body
				if c.body != "" {
					body = c.body
				}
				if w := f.do(op.method, op.url, body, c.headers...); w.Code != c.status {
					t.Errorf("status %d, want %d: %s", w.Code, c.status, w.Body)
				}
			})
		}
	}
	t.Run("an empty segment", func(t *testing.T) {
		if w := f.do("POST", "/api/v1/projects//items", writes); w.Code != 404 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
	t.Run("who may not", func(t *testing.T) {
		if w := f.do("POST", post, writes, "Authorization: Bearer reader"); w.Code != 403 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
	t.Run("a body that does not come in", func(t *testing.T) {
		d := f.described()
		for template, operations := range d.Paths {
			for method, o := range operations {
				if o.Responses["408"].Ref != "#/components/responses/Refused408Timeout" {
					t.Errorf("%s %s does not list 408", method, template)
				}
			}
		}
		if len(d.Paths) == 0 {
			t.Error("there are no operations")
		}
	})
}

// The check of every answer finds what is missing.
func TestAnUndocumentedAnswerIsNoticed(t *testing.T) {
	rec := &noted{TB: t}
	f := serve(t, func(o *httpapi.Options) { o.Authenticate = authenticate })
	f.t = rec
	r := request(http.MethodGet, "/api/v1/ping", "")
	for _, status := range []int{http.StatusTeapot, http.StatusOK} {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		rec.errors = 0
		f.documented(r, w)
		if (rec.errors > 0) != (status == http.StatusTeapot) {
			t.Errorf("status %d: %d faults are found", status, rec.errors)
		}
	}
}

// noted counts what a check reports.
type noted struct {
	testing.TB
	errors int
}

func (n *noted) Errorf(string, ...any) { n.errors++ }
