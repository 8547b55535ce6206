package reference

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestCurl(t *testing.T) {
	for _, c := range []struct{ name, method, path, in, want string }{
		{"a query", "GET", "/a", `{"b":"x y","a":[1,"2&3"],"c":true}`, `curl -s -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:4280/api/v1/a?a=1&a=2%263&b=x+y&c=true'`},
		{"no query", "GET", "/a", `{}`, `curl -s -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:4280/api/v1/a'`},
		{"a field of the path", "GET", "/a/{id}/b", `{"id":"x/y z","q":"1"}`, `curl -s -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:4280/api/v1/a/x%2Fy%20z/b?q=1'`},
		{"a number in the path", "DELETE", "/a/{id}", `{"id":12345678901234567890}`, `curl -s -X DELETE -H "Authorization: Bearer $TOKEN" --json '{}' 'http://127.0.0.1:4280/api/v1/a/12345678901234567890'`},
		{"a body", "POST", "/a/{id}", `{"id":"1","t":"it's"}`, `curl -s -X POST -H "Authorization: Bearer $TOKEN" --json '{"t":"it'\''s"}' 'http://127.0.0.1:4280/api/v1/a/1'`},
		{"conditions", "PUT", "/a", `{"t":1,"if_match":7,"if_none_match":true}`, `curl -s -X PUT -H "Authorization: Bearer $TOKEN" -H 'If-Match: "7"' -H 'If-None-Match: *' --json '{"t":1}' 'http://127.0.0.1:4280/api/v1/a'`},
		{"no JSON", "POST", "/a", `{"t":`, `curl -s -X POST -H "Authorization: Bearer $TOKEN" --json '{"t":' 'http://127.0.0.1:4280/api/v1/a'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := capabilities.Route{Method: c.method, Path: c.path}
			for part := range strings.SplitSeq(c.path, "/") {
				if strings.HasPrefix(part, "{") {
					r.Fields = append(r.Fields, strings.Trim(part, "{}"))
				}
			}
			tool, err := capabilities.FromDescriptor(capabilities.Descriptor{
				Name: "tool", Change: "read", Reach: "local", Answers: "store", Input: []byte(emptyObject), Route: r,
				Hints: []capabilities.HintDescriptor{{Value: "yes", From: "declared"}, {Value: "no", From: "declared"}, {Value: "yes", From: "declared"}, {Value: "no", From: "declared"}},
			}, onlyDescribed)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, curl(callOf(tool, c.in))); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// A shell reads the quoted word back.
func TestShellQuotes(t *testing.T) {
	for _, s := range []string{"plain", "it's", "$HOME `id` \"x\" \\ !", "a\nb", "''", "-n", ""} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+shell(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q is read as %q, %v", s, out, err)
		}
	}
}

// A number that a script cannot hold, and a key that is none there, are sent as text.
func TestScriptBody(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":[1,-2.5,0],"b":"1e400"}`: "JSON.stringify({\n    \"a\": [\n      1,\n      -2.5,\n      0\n    ],\n    \"b\": \"1e400\"\n  })",
		`{}`:                           "JSON.stringify({})",
		`{"a":9007199254740993}`:       `"{\"a\":9007199254740993}"`,
		`{"a":[{"b":1.0}]}`:            `"{\"a\":[{\"b\":1.0}]}"`,
		`{"a":{"__proto__":1}}`:        `"{\"a\":{\"__proto__\":1}}"`,
		`{"a":1e400}`:                  `"{\"a\":1e400}"`,
		`{"a":`:                        `"{\"a\":"`,
	} {
		if d := cmp.Diff(want, scriptBody(body)); d != "" {
			t.Errorf("%s (-want +got):\n%s", body, d)
		}
	}
}

// A request has a body where a call has one, and says of what kind it is.
func TestTypeScriptOfACall(t *testing.T) {
	read := typeScript(call{method: "GET", address: "http://h/a"})
	write := typeScript(call{method: "POST", address: "http://h/a", body: `{"t":1}`})
	for part, want := range map[string][2]bool{"  body: ": {false, true}, `"application/json"`: {false, true}, "  method: ": {false, true}, `fetch("http://h/a", {`: {true, true}} {
		if got := [2]bool{strings.Contains(read, part), strings.Contains(write, part)}; got != want {
			t.Errorf("%s: %v, want %v in\n%s\n%s", part, got, want, read, write)
		}
	}
}

func TestSentenceCase(t *testing.T) {
	for in, want := range map[string]string{"": "", "a word": "A word", "étude": "Étude", "1 x": "1 x"} {
		if got := sentenceCase(in); got != want {
			t.Errorf("sentenceCase(%q) = %q, want %q", in, got, want)
		}
	}
}
