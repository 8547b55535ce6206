package parity_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// overHTTP sends an input to the capability's own route.
func (r *running) overHTTP(t *testing.T, in inputs.Input) (said, inputs.Reason) {
	t.Helper()
	request, why := in.HTTP(r.tools[in.Call])
	if why != "" {
		return said{}, why
	}
	resp, data := r.HTTP(t, request.Method, "/api/v1"+request.Path, request.Header, []byte(request.Body))
	got := ofHTTP(t, resp, data)
	switch {
	case strings.Contains(request.Path, "%2F") && got.code == capabilities.Invalid && got.violations == nil:
		return got, inputs.PathSlash
	case strings.Contains(request.Path, "//") && got.code == capabilities.NotFound:
		return got, inputs.PathEmpty
	}
	return got, ""
}

// ofHTTP reads an answer over HTTP.
func ofHTTP(t *testing.T, resp drive.Head, data []byte) said {
	t.Helper()
	if resp.StatusCode == http.StatusOK {
		if got := resp.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("Content-Type is %q", got)
		}
		return ofBody(t, data)
	}
	if got := resp.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type is %q: %s", got, clip(data))
	}
	got, status := ofProblem(t, data)
	if want := inputs.Statuses()[got.code].HTTP; status != want || resp.StatusCode != want {
		t.Errorf("%s: the status line says %d, the problem %d, want %d", got.code, resp.StatusCode, status, want)
	}
	if id := resp.Header.Get("X-Request-Id"); id == "" || id != parse[problem](t, data).RequestID {
		t.Errorf("the header names request %q: %s", id, clip(data))
	}
	return got
}

// ofBody reads the body of an answer, whichever shape it has.
func ofBody(t *testing.T, data []byte) said {
	t.Helper()
	got := said{structured: data, body: data, raw: data}
	if both := parse[map[string]json.RawMessage](t, data); both["content"] != nil && both["structuredContent"] != nil {
		got.structured, got.content = both["structuredContent"], both["content"]
	}
	return got
}

// problem is the body of a refusal (RFC 9457).
type problem struct {
	Type       string                   `json:"type"`
	Title      string                   `json:"title"`
	Status     int                      `json:"status"`
	Detail     string                   `json:"detail"`
	Code       capabilities.Code        `json:"code"`
	Violations []capabilities.Violation `json:"violations"`
	Maybe      bool                     `json:"maybe_applied"`
	Retry      int64                    `json:"retry_after_seconds"`
	RequestID  string                   `json:"request_id"`
}

func ofProblem(t *testing.T, data []byte) (said, int) {
	t.Helper()
	p := parse[problem](t, data)
	if p.Type != "/docs/codes/"+string(p.Code) || p.Title == "" {
		t.Errorf("the problem has type %q and title %q", p.Type, p.Title)
	}
	got := said{code: p.Code, message: settled(p.Detail, p.RequestID), violations: p.Violations, maybe: p.Maybe, retry: p.Retry, raw: data}
	return got, p.Status
}

// parse decodes JSON into a type.
func parse[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("reading %s: %v", clip(data), err)
	}
	return v
}
