package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// refusal is what every surface says of one, whatever it puts around it.
type refusal struct {
	Code       capabilities.Code        `json:"code"`
	Violations []capabilities.Violation `json:"violations"`
	Maybe      bool                     `json:"maybe_applied"`
}

// result is a tool result.
type result struct {
	Content    json.RawMessage `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       struct {
		Error *refusal `json:"holotype/error"`
	} `json:"_meta"`
}

// A call of a bridged tool answers the same on every surface: the server's own
// bytes, the same violations before it is asked, its own words where it fails.
func TestBridgedCalls(t *testing.T) {
	r := start(t)
	for _, c := range []struct {
		name, tool, in      string
		content, structured string
		refused             *refusal
	}{
		{
			name: "a result with large integers", tool: "echo", in: `{"text":"a <b>","n":9007199254740993}`,
			content:    `[{"type":"text","text":"echoed"}]`,
			structured: `{"args":{"text":"a <b>","n":9007199254740993},"big":9007199254740993}`,
		},
		{
			name: "content alone", tool: "blocks", in: `{}`,
			content: `[{"type":"text","text":"a <b> & c"},{"type":"image","mimeType":"image/png","data":"AAEC"}]`,
		},
		{
			name: "arguments that the server's schema refuses", tool: "echo", in: `{"text":5,"n":"x"}`,
			refused: &refusal{Code: "invalid", Violations: []capabilities.Violation{
				{Pointer: "/n", Keyword: "type", Message: "must be an integer, not a string"},
				{Pointer: "/text", Keyword: "type", Message: "must be a string, not a number"},
			}},
		},
		{
			name: "a field twice", tool: "echo", in: `{"text":"a","text":"b"}`,
			refused: &refusal{Code: "invalid", Violations: []capabilities.Violation{
				{Pointer: "/text", Keyword: "duplicate", Message: `field "text" is given twice: keep one (at /text, byte 12)`},
			}},
		},
		{
			name: "a failure in the server's own words", tool: "fail", in: `{}`,
			content: `[{"type":"text","text":"the printer is on fire"}]`, refused: &refusal{Code: "upstream_error"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, body := r.HTTP(t, http.MethodPost, "/api/v1/servers/works/tools/"+c.tool, map[string]string{"Content-Type": "application/json"}, []byte(c.in))
			out, errw, exit := r.CLI(t, c.in, "call", "works__"+c.tool, "-o", "json", "--yes", "--json", "-")
			if c.refused == nil {
				if resp.StatusCode != http.StatusOK || exit != 0 || !bytes.Equal(body, out) {
					t.Errorf("HTTP %d and the command line (exit status %d) differ:\n%s\n%s%s", resp.StatusCode, exit, body, out, errw)
				}
				same(t, "HTTP", c.content, c.structured, parse[result](t, body))
			} else {
				if diff := cmp.Diff(*c.refused, parse[refusal](t, body)); diff != "" {
					t.Errorf("HTTP %d (-want +got):\n%s", resp.StatusCode, diff)
				}
				if diff := cmp.Diff(*c.refused, parse[refusal](t, errw)); diff != "" {
					t.Errorf("the command line, exit status %d (-want +got):\n%s", exit, diff)
				}
			}
			for _, s := range r.Speakers(t) {
				_, data := s.Call(t, "works__"+c.tool, c.in)
				got := parse[struct{ Result result }](t, data).Result
				if diff := cmp.Diff(c.refused, got.Meta.Error); diff != "" || got.IsError != (c.refused != nil) {
					t.Errorf("%s (-want +got):\n%s", s.Name, diff)
				}
				if c.content != "" {
					same(t, s.Name, c.content, c.structured, got)
				}
			}
		})
	}
}

// same compares a result with what the server sent.
func same(t *testing.T, where, content, structured string, got result) {
	t.Helper()
	for _, pair := range [][2]string{{content, string(got.Content)}, {structured, string(got.Structured)}} {
		if strings.TrimSpace(pair[0]) != strings.TrimSpace(pair[1]) {
			t.Errorf("%s: want\n%s\ngot\n%s", where, pair[0], pair[1])
		}
	}
}
