package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// scenario is one call and what must come back: the JSON value, or the code with
// the pointer and the keyword of its first violation as "pointer keyword".
type scenario struct {
	name, method, url, body string
	headers                 []string
	status                  int
	code, violation, want   string
}

func run(t *testing.T, f *fixture, all []scenario) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			w := f.do(c.method, c.url, c.body, c.headers...)
			if c.code == "" {
				wantJSON(t, w, c.want)
				return
			}
			p := wantProblem(t, w, c.status, c.code)
			got := ""
			if len(p.Violations) > 0 {
				got = p.Violations[0].Pointer + " " + p.Violations[0].Keyword
			}
			if got != c.violation {
				t.Errorf("violation %q, want %q: %s", got, c.violation, p.Detail)
			}
		})
	}
}

func TestQuery(t *testing.T) {
	run(t, serve(t, nil), []scenario{
		{"path alone", "GET", "/api/v1/items/7", "", nil, 200, "", "", `{"id":7,"labels":[],"ranks":[],"principal":"owner"}`},
		{"no field at all", "GET", "/api/v1/ping", "", nil, 200, "", "", `{"title":"pong","labels":[],"ranks":[]}`},
		{"every kind", "GET", "/api/v1/items/7?title=a+b%26c&done=true&ratio=1.5", "", nil, 200, "", "", `{"id":7,"title":"a b&c","done":true,"ratio":1.5,"labels":[],"ranks":[],"principal":"owner"}`},
		{"arrays", "GET", "/api/v1/items/7?labels=a&ranks=1&labels=b&ranks=2&labels=a", "", nil, 200, "", "", `{"id":7,"labels":["a","b","a"],"ranks":[1,2],"principal":"owner"}`},
		{"a comma is part of a value", "GET", "/api/v1/items/7?labels=a,b", "", nil, 200, "", "", `{"id":7,"labels":["a,b"],"ranks":[],"principal":"owner"}`},
		{"a string that looks like a number", "GET", "/api/v1/items/7?title=007", "", nil, 200, "", "", `{"id":7,"title":"007","labels":[],"ranks":[],"principal":"owner"}`},
		{"quotes, controls and marks", "GET", "/api/v1/items/7?title=%22%5C%0A%00%E2%82%AC", "", nil, 200, "", "", `{"id":7,"title":"\"\\\n\u0000€","labels":[],"ranks":[],"principal":"owner"}`},
		{"a large integer", "GET", "/api/v1/items/9007199254740993", "", nil, 200, "", "", `{"id":9007199254740993,"labels":[],"ranks":[],"principal":"owner"}`},
		{"empty pairs", "GET", "/api/v1/items/7?&&title=x&", "", nil, 200, "", "", `{"id":7,"title":"x","labels":[],"ranks":[],"principal":"owner"}`},
		{"an escaped key", "GET", "/api/v1/items/7?t%69tle=x", "", nil, 200, "", "", `{"id":7,"title":"x","labels":[],"ranks":[],"principal":"owner"}`},
		{"an escaped path", "GET", "/api/v1/pages/a%20b%2Bc%3F%25", "", nil, 200, "", "", `{"title":"a b+c?%","labels":[],"ranks":[]}`},
		{"a plus in a path", "GET", "/api/v1/pages/a+b", "", nil, 200, "", "", `{"title":"a+b","labels":[],"ranks":[]}`},
		{"a field nobody knows", "GET", "/api/v1/items/7?titel=x", "", nil, 400, "invalid", "/titel additionalProperties", ""},
		{"a field nobody knows, without a value", "GET", "/api/v1/ping?x", "", nil, 400, "invalid", "/x additionalProperties", ""},
		{"a scalar twice", "GET", "/api/v1/items/7?title=a&title=a", "", nil, 400, "invalid", "/title duplicate", ""},
		{"a path field in the query", "GET", "/api/v1/items/7?id=8", "", nil, 400, "invalid", "/id duplicate", ""},
		{"a word for an integer", "GET", "/api/v1/items/seven", "", nil, 400, "invalid", "/id type", ""},
		{"a fraction for an integer", "GET", "/api/v1/items/7.5", "", nil, 400, "invalid", "/id type", ""},
		{"an integer too small", "GET", "/api/v1/items/0", "", nil, 400, "invalid", "/id minimum", ""},
		{"a word for a boolean", "GET", "/api/v1/items/7?done=yes", "", nil, 400, "invalid", "/done type", ""},
		{"a word in an array of integers", "GET", "/api/v1/items/7?ranks=1&ranks=x", "", nil, 400, "invalid", "/ranks/1 type", ""},
		{"dry_run on a read", "GET", "/api/v1/items/7?dry_run=true", "", nil, 400, "invalid", "/dry_run additionalProperties", ""},
		{"a broken escape", "GET", "/api/v1/items/7?title=%zz", "", nil, 400, "invalid", " syntax", ""},
		{"a broken escape within an array", "GET", "/api/v1/items/7?labels=a&labels=%4", "", nil, 400, "invalid", " syntax", ""},
		{"bytes that are not UTF-8", "GET", "/api/v1/items/7?title=%FF", "", nil, 400, "invalid", "/title utf8", ""},
		{"bytes that are not UTF-8 in the path", "GET", "/api/v1/pages/%FF", "", nil, 400, "invalid", "/title utf8", ""},
		{"a body", "GET", "/api/v1/items/7", "{}", nil, 400, "invalid", "", ""},
		{"a refusal of the handler", "GET", "/api/v1/items/404", "", nil, 404, "not_found", "", ""},
	})
}

func TestBody(t *testing.T) {
	const items = "/api/v1/projects/WEB/items"
	filed := `{"project":"WEB","title":"x","labels":[],"ranks":[]}`
	deep := strings.Repeat("[", 64)
	run(t, serve(t, nil), []scenario{
		{"an object", "POST", items, `{"title":"x"}`, nil, 200, "", "", filed},
		{"white space", "POST", items, " {\n \"title\" : \"x\" \t}\n", nil, 200, "", "", filed},
		{"absent", "POST", "/api/v1/search", "", nil, 200, "", "", `{"labels":[],"ranks":[]}`},
		{"absent, of unknown length", "POST", "/api/v1/search", "", []string{"Transfer-Encoding: chunked"}, 200, "", "", `{"labels":[],"ranks":[]}`},
		{"absent beside a path field", "PUT", "/api/v1/items/7", "", nil, 200, "", "", `{"id":7,"labels":[],"ranks":[]}`},
		{"empty beside a path field", "PUT", "/api/v1/items/7", "{ }", nil, 200, "", "", `{"id":7,"labels":[],"ranks":[]}`},
		{"of unknown length", "POST", items, `{"title":"x"}`, []string{"Transfer-Encoding: chunked"}, 200, "", "", filed},
		{"a large integer", "POST", items, `{"title":"x","id":9007199254740993}`, nil, 200, "", "", `{"project":"WEB","title":"x","id":9007199254740993,"labels":[],"ranks":[]}`},
		{"a path field again", "POST", items, `{"title":"x","project":"WEB"}`, nil, 400, "invalid", "/project duplicate", ""},
		{"another value for a path field", "POST", items, `{"project":"API","title":"x"}`, nil, 400, "invalid", "/project duplicate", ""},
		{"a path field in disguise", "POST", items, `{"\u0070roject":"API","title":"x"}`, nil, 400, "invalid", "/project duplicate", ""},
		{"a duplicate key", "POST", items, `{"title":"x","title":"y"}`, nil, 400, "invalid", "/title duplicate", ""},
		{"an unknown field", "POST", items, `{"title":"x","labbels":[]}`, nil, 400, "invalid", "/labbels additionalProperties", ""},
		{"a missing field", "POST", items, `{}`, nil, 400, "invalid", "/title required", ""},
		{"the wrong type", "POST", items, `{"title":7}`, nil, 400, "invalid", "/title type", ""},
		{"an array", "POST", items, `["title"]`, nil, 400, "invalid", " type", ""},
		{"null", "POST", items, `null`, nil, 400, "invalid", " type", ""},
		{"a string", "POST", "/api/v1/search", `"x"`, nil, 400, "invalid", " type", ""},
		{"white space alone", "POST", items, `  `, nil, 400, "invalid", " syntax", ""},
		{"two values", "POST", items, `{"title":"x"} {}`, nil, 400, "invalid", " syntax", ""},
		{"cut", "POST", items, `{"title":"x"`, nil, 400, "invalid", " syntax", ""},
		{"a trailing comma", "POST", items, `{"title":"x",}`, nil, 400, "invalid", " syntax", ""},
		{"not UTF-8", "POST", items, "{\"title\":\"\xff\"}", nil, 400, "invalid", "/title utf8", ""},
		{"65 levels", "POST", items, `{"title":` + deep + strings.Repeat("]", 64) + `}`, nil, 400, "invalid", "/title" + strings.Repeat("/0", 63) + " depth", ""},
		{"over the limit", "POST", "/api/v1/search", strings.Repeat(" ", capabilities.MaxArguments) + "{}", nil, 413, "too_large", "", ""},
		{"over the limit, of unknown length", "POST", "/api/v1/search", strings.Repeat(" ", capabilities.MaxArguments) + "{}", []string{"Transfer-Encoding: chunked"}, 413, "too_large", "", ""},
		{"over the limit with its path field", "PUT", "/api/v1/items/7", "{" + strings.Repeat(" ", capabilities.MaxArguments-2) + "}", nil, 413, "too_large", "", ""},
		{"at the limit", "POST", "/api/v1/search", strings.Repeat(" ", capabilities.MaxArguments-2) + "{}", nil, 200, "", "", `{"labels":[],"ranks":[]}`},
		{"an empty path field", "POST", "/api/v1/projects//items", `{"title":"x"}`, nil, 404, "not_found", "", ""},
		{"a query parameter", "POST", items + "?title=x", `{}`, nil, 400, "invalid", "/title additionalProperties", ""},

		{"json with a charset", "POST", items, `{"title":"x"}`, []string{"Content-Type: application/json; charset=utf-8"}, 200, "", "", filed},
		{"a kind of json", "POST", items, `{"title":"x"}`, []string{"Content-Type: application/vnd.tracker+json"}, 200, "", "", filed},
		{"json in capitals", "POST", items, `{"title":"x"}`, []string{"Content-Type: Application/JSON"}, 200, "", "", filed},
		{"unannounced", "POST", items, `{"title":"x"}`, []string{"-Content-Type"}, 200, "", "", filed},
		{"a form", "POST", items, `{"title":"x"}`, []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "invalid", "", ""},
		{"text", "POST", items, `{"title":"x"}`, []string{"Content-Type: text/plain"}, 415, "invalid", "", ""},
		{"no type at all", "POST", items, `{"title":"x"}`, []string{"Content-Type: json"}, 415, "invalid", "", ""},
		{"json in a parameter only", "POST", items, `{"title":"x"}`, []string{"Content-Type: text/plain; x=application/json"}, 415, "invalid", "", ""},
		{"compressed", "POST", items, `{"title":"x"}`, []string{"Content-Encoding: gzip"}, 415, "invalid", "", ""},
		{"a form without a body", "PUT", "/api/v1/items/7", "", []string{"Content-Type: text/plain"}, 200, "", "", `{"id":7,"labels":[],"ranks":[]}`},
	})
}

func TestNegotiation(t *testing.T) {
	f := serve(t, nil)
	for _, c := range []struct {
		name, accept string
		status       int
	}{
		{"anything", "*/*", 200},
		{"json", "application/json", 200},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200},
		{"any application", "application/*", 200},
		{"json last", "text/plain, application/json;q=0.1", 200},
		{"in capitals", "APPLICATION/JSON", 200},
		{"empty", "", 406},
		{"something else", "text/html", 406},
		{"json refused", "application/json;q=0, */*", 406},
		{"everything refused", "*/*;q=0", 406},
		{"a weight that is none", "application/json;q=x", 406},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do("GET", "/api/v1/ping", "", "Accept: "+c.accept)
			if c.status == 200 {
				wantJSON(t, w, `{"title":"pong","labels":[],"ranks":[]}`)
			} else {
				wantProblem(t, w, c.status, "invalid")
			}
		})
	}
}

func TestOperation(t *testing.T) {
	const items, body = "/api/v1/projects/WEB/items", `{"title":"x"}`
	run(t, serve(t, nil), []scenario{
		{"a key", "POST", items, body, []string{"Idempotency-Key: k-1"}, 200, "", "", `{"project":"WEB","title":"x","op_id":"k-1","labels":[],"ranks":[]}`},
		{"the longest key", "POST", items, body, []string{"Idempotency-Key: " + strings.Repeat("k", 128)}, 200, "", "", `{"project":"WEB","title":"x","op_id":"` + strings.Repeat("k", 128) + `","labels":[],"ranks":[]}`},
		{"a key too long", "POST", items, body, []string{"Idempotency-Key: " + strings.Repeat("k", 129)}, 400, "op_id_invalid", "", ""},
		{"an empty key", "POST", items, body, []string{"Idempotency-Key: "}, 400, "op_id_invalid", "", ""},
		{"a key with a space", "POST", items, body, []string{"Idempotency-Key: a b"}, 400, "op_id_invalid", "", ""},
		{"a key beyond ASCII", "POST", items, body, []string{"Idempotency-Key: ü"}, 400, "op_id_invalid", "", ""},
		{"a rehearsal", "POST", items + "?dry_run=true", body, nil, 200, "", "", `{"project":"WEB","title":"x","dry_run":true,"labels":[],"ranks":[]}`},
		{"no rehearsal", "POST", items + "?dry_run=false", body, nil, 200, "", "", `{"project":"WEB","title":"x","labels":[],"ranks":[]}`},
		{"a rehearsal in other words", "POST", items + "?dry_run=1", body, nil, 400, "invalid", "/dry_run enum", ""},
		{"a rehearsal twice", "POST", items + "?dry_run=true&dry_run=false", body, nil, 400, "invalid", "/dry_run duplicate", ""},
		{"a rehearsal of a read", "POST", "/api/v1/search?dry_run=true", "", nil, 400, "invalid", "/dry_run additionalProperties", ""},
		{"a rehearsal of a bridged tool", "POST", "/api/v1/servers/weather/tools/forecast?dry_run=true", "", nil, 400, "invalid", "/dry_run additionalProperties", ""},
	})
	f := serve(t, nil)
	r := request("POST", items, body)
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	wantProblem(t, w, 400, "op_id_invalid")
}

func TestConditions(t *testing.T) {
	const item = "/api/v1/items/7"
	run(t, serve(t, nil), []scenario{
		{"a tag", "PUT", item, `{}`, []string{`If-Match: "v3"`}, 200, "", "", `{"id":7,"version":"v3","labels":[],"ranks":[]}`},
		{"a bare value", "PUT", item, `{}`, []string{`If-Match: 3`}, 200, "", "", `{"id":7,"version":"3","labels":[],"ranks":[]}`},
		{"anything", "PUT", item, ``, []string{`If-Match: *`}, 200, "", "", `{"id":7,"version":"*","labels":[],"ranks":[]}`},
		{"must be new", "PUT", item, `{"title":"x"}`, []string{`If-None-Match: *`}, 200, "", "", `{"id":7,"title":"x","fresh":true,"labels":[],"ranks":[]}`},
		{"in the body", "PUT", item, `{"if_match":"v3"}`, nil, 400, "invalid", "/if_match additionalProperties", ""},
		{"in the body, spelt otherwise", "PUT", item, `{"if\u005fmatch":"v3"}`, nil, 400, "invalid", "/if_match additionalProperties", ""},
		{"in both", "PUT", item, `{"if_match":"v3"}`, []string{`If-Match: "v3"`}, 400, "invalid", "/if_match additionalProperties", ""},
		{"must not be, in the body", "PUT", item, `{"if_none_match":true}`, nil, 400, "invalid", "/if_none_match additionalProperties", ""},
		{"a text that speaks of it", "PUT", item, `{"title":"\"if_match\":"}`, nil, 200, "", "", `{"id":7,"title":"\"if_match\":","labels":[],"ranks":[]}`},
		{"in a body that is none", "PUT", item, `{"if_match":`, nil, 400, "invalid", "/if_match syntax", ""},
		{"a weak tag", "PUT", item, `{}`, []string{`If-Match: W/"v3"`}, 400, "invalid", "/if_match format", ""},
		{"two tags", "PUT", item, `{}`, []string{`If-Match: "v3", "v4"`}, 400, "invalid", "/if_match format", ""},
		{"an empty tag", "PUT", item, `{}`, []string{`If-Match: ""`}, 400, "invalid", "/if_match format", ""},
		{"an empty header", "PUT", item, `{}`, []string{`If-Match: `}, 400, "invalid", "/if_match format", ""},
		{"must not be a tag", "PUT", item, `{}`, []string{`If-None-Match: "v3"`}, 400, "invalid", "/if_none_match const", ""},
		{"a write that knows no version", "POST", "/api/v1/projects/WEB/items", `{"title":"x"}`, []string{`If-Match: "v3"`}, 400, "invalid", "", ""},
		{"a write that is always new", "POST", "/api/v1/projects/WEB/items", `{"title":"x"}`, []string{`If-None-Match: *`}, 400, "invalid", "", ""},
		{"a read that knows no version", "GET", "/api/v1/ping", "", []string{`If-None-Match: "v3"`}, 200, "", "", `{"title":"pong","labels":[],"ranks":[]}`},
	})
}

func TestRefusals(t *testing.T) {
	f := serve(t, nil)
	run(t, f, []scenario{
		{"not found", "POST", "/api/v1/refuse", `{"code":"not_found"}`, nil, 404, "not_found", "", ""},
		{"exists", "POST", "/api/v1/refuse", `{"code":"exists"}`, nil, 409, "exists", "", ""},
		{"conflict", "POST", "/api/v1/refuse", `{"code":"conflict"}`, nil, 409, "conflict", "", ""},
		{"stale", "POST", "/api/v1/refuse", `{"code":"stale_version"}`, nil, 412, "stale_version", "", ""},
		{"approval", "POST", "/api/v1/refuse", `{"code":"approval_needed"}`, nil, 403, "approval_needed", "", ""},
		{"rate", "POST", "/api/v1/refuse", `{"code":"rate_limited"}`, nil, 429, "rate_limited", "", ""},
		{"unavailable", "POST", "/api/v1/refuse", `{"code":"unavailable"}`, nil, 503, "unavailable", "", ""},
		{"timeout", "POST", "/api/v1/refuse", `{"code":"timeout"}`, nil, 504, "timeout", "", ""},
		{"unknown outcome", "POST", "/api/v1/refuse", `{"code":"unknown_outcome"}`, nil, 500, "unknown_outcome", "", ""},
		{"a scope that was not granted", "POST", "/api/v1/refuse", `{"code":"conflict"}`, []string{"Authorization: Bearer reader"}, 403, "forbidden", "", ""},
		{"a scope of the owner", "PUT", "/api/v1/manage", ``, []string{"Authorization: Bearer reader"}, 403, "forbidden", "", ""},
	})
	t.Run("nobody's code", func(t *testing.T) {
		w := httptest.NewRecorder() // a fault of the capability: the document cannot list it
		f.ServeHTTP(w, request("POST", "/api/v1/refuse", `{"code":"made_up"}`))
		wantProblem(t, w, 500, "made_up")
		if got, ok := w.Header()["Retry-After"]; ok {
			t.Errorf("who need not wait is told to: %q", got)
		}
	})
	t.Run("a pack's own code", func(t *testing.T) {
		w := f.do("POST", "/api/v1/projects/WEB/items", `{"title":"frozen"}`)
		if p := wantProblem(t, w, 409, "frozen"); p.Base != "conflict" {
			t.Errorf("base is %q", p.Base)
		}
		if got := w.Header().Get("Retry-After"); got != "91" {
			t.Errorf("Retry-After is %q", got)
		}
	})
}

func TestMethods(t *testing.T) {
	f := serve(t, nil)
	for _, c := range []struct{ name, method, url, allow string }{
		{"a write on a read", "POST", "/api/v1/ping", "GET, HEAD"},
		{"a read on a write", "GET", "/api/v1/search", "POST"},
		{"two routes of one path", "DELETE", "/api/v1/items/7", "GET, HEAD, PUT"},
		{"a read of a bridged tool", "GET", "/api/v1/servers/weather/tools/forecast", "POST"},
		{"a write on health", "POST", "/livez", "GET, HEAD"},
		{"options", "OPTIONS", "/api/v1/ping", "GET, HEAD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := f.do(c.method, c.url, "")
			wantProblem(t, w, 405, "invalid")
			if got := w.Header().Get("Allow"); got != c.allow {
				t.Errorf("Allow is %q, want %q", got, c.allow)
			}
		})
	}
	for _, url := range []string{"/api/v1/ping", "/api/v1/items/7?title=x", "/openapi.json", "/livez", "/", "/login", "/assets/style.css"} {
		t.Run("head of "+url, func(t *testing.T) {
			get, head := f.do("GET", url, ""), f.do("HEAD", url, "")
			if head.Code != get.Code || head.Body.Len() != 0 || head.Header().Get("Content-Type") != get.Header().Get("Content-Type") {
				t.Errorf("%d with %d bytes, get %d", head.Code, head.Body.Len(), get.Code)
			}
			if n := head.Result().ContentLength; n != int64(get.Body.Len()) {
				t.Errorf("Content-Length %d, get has %d bytes", n, get.Body.Len())
			}
		})
	}
	if w := f.do("HEAD", "/nothing", ""); w.Code != 404 || w.Body.Len() != 0 {
		t.Errorf("head of nothing: %d with %d bytes", w.Code, w.Body.Len())
	}
}

func TestAnswerHeaders(t *testing.T) {
	f := serve(t, nil)
	for _, url := range []string{"/api/v1/ping", "/nothing", "/api/v1/items/0"} {
		w := f.do("GET", url, "")
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", url, got)
		}
		if got := w.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options is %q", url, got)
		}
	}
	w := f.do("POST", "/api/v1/draw", "")
	wantJSON(t, w, `{"content":[{"type":"text","text":"{\"title\":\"a dot\"}"},{"type":"image","data":"cG5n","mimeType":"image/png"}],"structuredContent":{"title":"a dot"}}`)
}
