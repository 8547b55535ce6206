package parity_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

// overHTTP sends an input to the capability's own route.
func (r *running) overHTTP(t *testing.T, in input) (said, reason) {
	t.Helper()
	tool, known := r.tools[in.call]
	if !known || tool.AliasOf != "" {
		return said{}, noRoute
	}
	method, path, _ := strings.Cut(tool.Route, " ")
	fields, ok := members(in.in)
	body := in.in
	if strings.Contains(path, "{") || method == http.MethodGet {
		if !ok {
			t.Fatalf("%s has fields in its path or query: use another capability for a text that is no object", in.call)
		}
		var why reason
		if path, fields, why = inPath(tool, path, fields); why != "" {
			return said{}, why
		}
		body = ""
		if len(fields) > 0 {
			body = object(fields)
		}
	}
	if method == http.MethodGet {
		query, why := inQuery(tool, fields)
		if why != "" {
			return said{}, why
		}
		if body = ""; query != "" {
			path += "?" + query
		}
	}
	header := map[string]string{}
	if body != "" {
		header["Content-Type"] = "application/json"
	}
	resp, data := r.HTTP(t, method, "/api/v1"+path, header, []byte(body))
	got := ofHTTP(t, resp, data)
	switch {
	case strings.Contains(path, "%2F") && got.code == capabilities.Invalid && got.violations == nil:
		return got, pathSlash
	case strings.Contains(path, "//") && got.code == capabilities.NotFound:
		return got, pathEmpty
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
	if want := statuses()[got.code].http; status != want || resp.StatusCode != want {
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

// inPath moves the fields of the path out of an object into the path.
func inPath(tool tool, path string, fields []member) (string, []member, reason) {
	for {
		from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		if from < 0 {
			return path, fields, ""
		}
		name := path[from+1 : to]
		i := slices.IndexFunc(fields, func(m member) bool { return m.key == name })
		if i < 0 {
			return "", nil, pathWhole
		}
		s, _ := tool.field(name)
		text, ok := asText(s, fields[i].value)
		if !ok {
			return "", nil, textOnly
		}
		path = path[:from] + url.PathEscape(text) + path[to+1:]
		fields = slices.Delete(slices.Clone(fields), i, i+1)
	}
}

// inQuery writes fields as a query: form style, exploded.
func inQuery(tool tool, fields []member) (string, reason) {
	var parts []string
	for _, m := range fields {
		s, _ := tool.field(m.key) // whatever an unknown field is, it is refused
		values := []json.RawMessage{m.value}
		if item, list := tool.scalars(s); list {
			if m.value[0] != '[' {
				return "", textOnly
			}
			s, values = item, nil
			if err := json.Unmarshal(m.value, &values); err != nil || len(values) == 0 {
				return "", noEmptyList
			}
		}
		for _, v := range values {
			text, ok := asText(s, v)
			if !ok {
				return "", textOnly
			}
			parts = append(parts, url.QueryEscape(m.key)+"="+url.QueryEscape(text))
		}
	}
	return strings.Join(parts, "&"), ""
}
