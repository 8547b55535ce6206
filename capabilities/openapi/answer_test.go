package openapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// answering is a rig whose one operation, a POST, is answered by h.
func answering(t *testing.T, h http.HandlerFunc, edit ...func(*bridge.Server)) (*rig, *api) {
	t.Helper()
	a := listen(t, h)
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"` + a.URL + `"}],"paths":{"/x":{
		"post":{"operationId":"do","responses":{"200":{"content":{"application/json":{"schema":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}},
		"get":{"operationId":"look"}}}}`
	return run(t, openapi.Options{Document: file(t, "p.json", doc), Auth: openapi.Auth{Kind: openapi.AuthBearer, Value: "s3cret-value"}, Mark: "OURMARKOURMARK"}, edit...).ready(), a
}

func TestAnswers(t *testing.T) {
	big := bytes.Repeat([]byte("a"), 17<<20)
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(big) // a buffer takes everything
	_ = z.Close()
	for name, c := range map[string]struct {
		status           int
		kind, more, body string
		tool             string
		structured, text string // of a result
		code             capabilities.Code
		says             string // of a refusal
	}{
		"an object":          {200, "application/json", "", `{"n": 9007199254740993}`, "do", `{"n": 9007199254740993}`, `"text":"{\"n\": 9007199254740993}"`, "", ""},
		"no type":            {200, "-", "", `{"n":1}`, "do", `{"n":1}`, `"n\":1`, "", ""},
		"a vendor's type":    {201, "application/vnd.x+json;v=1", "", `{"n":1}`, "do", `{"n":1}`, `"n\":1`, "", ""},
		"a list":             {200, "application/json", "", `[1]`, "look", ``, `"text":"[1]"`, "", ""},
		"text":               {200, "text/plain", "", `hello`, "look", ``, `"text":"hello"`, "", ""},
		"nothing":            {204, "", "", ``, "look", ``, `HTTP status 204, without content`, "", ""},
		"a picture":          {200, "image/png", "", "\x89PNG", "look", ``, `"mimeType":"image/png"`, "", ""},
		"bytes":              {200, "application/zip", "", "PK\x00\xff", "look", ``, `"blob":"UEsA/w=="`, "", ""},
		"JSON that is none":  {200, "application/json", "", `{"n":`, "look", ``, `calls this JSON, and it is none`, "", ""},
		"a page":             {200, "text/html", "", `<p>hello`, "look", ``, `<p>hello`, "", ""},
		"the secret":         {200, "application/json", "", `{"you":"Bearer s3cret-value","n":1}`, "do", `{"you":"Bearer [hidden]","n":1}`, `[hidden]`, "", ""},
		"another contract":   {200, "application/json", "", `{"n":"x"}`, "do", "", "", capabilities.UpstreamError, "does not fit its outputSchema"},
		"text for an object": {200, "text/plain", "", `hello`, "do", "", "", capabilities.UpstreamError, "does not fit its outputSchema"},
		"problem details":    {422, "application/problem+json", "", `{"title":"no","detail":"the name is taken, s3cret-value"}`, "do", "", "", capabilities.UpstreamError, "HTTP status 422 Unprocessable Entity: the name is taken, [hidden]"},
		"a message":          {400, "application/json", "", `{"error":{"message":"bad"}}`, "do", "", "", capabilities.UpstreamError, "HTTP status 400 Bad Request: bad"},
		"words":              {500, "text/plain", "", `it broke`, "do", "", "", capabilities.UpstreamError, "HTTP status 500 Internal Server Error: it broke"},
		"a page of an error": {502, "text/html", "", `<h1>Bad Gateway`, "do", "", "", capabilities.UpstreamError, "HTTP status 502 Bad Gateway"},
		"not now":            {503, "", "Retry-After: 30", ``, "do", "", "", capabilities.UpstreamError, "(it asks to wait: Retry-After: 30)"},
		"too often":          {429, "application/json", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", `{"message":"slow down"}`, "do", "", "", capabilities.UpstreamError, "slow down (it asks to wait: Retry-After: Wed, 21 Oct"},
		"our credential":     {401, "", "", ``, "do", "", "", capabilities.UpstreamError, "HTTP status 401 Unauthorized"},
		"a huge one":         {200, "text/plain", "", string(big), "look", "", "", capabilities.TooLarge, "more than 16777216 bytes"},
		"a huge one packed":  {200, "text/plain", "Content-Encoding: gzip", bomb.String(), "look", "", "", capabilities.TooLarge, "more than 16777216 bytes"},
		"words without end":  {500, "text/plain", "", strings.Repeat("no ", 1<<20), "do", "", "", capabilities.UpstreamError, "HTTP status 500"},
		"another packing":    {200, "application/json", "Content-Encoding: br", `{}`, "do", "", "", capabilities.Unavailable, `the encoding "br"`},
		"too deep":           {200, "application/json", "", `{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}", "look", "", "", capabilities.TooLarge, "nested deeper"},
		"elsewhere":          {307, "", "Location: http://other.example/x", ``, "do", "", "", capabilities.UpstreamError, "another origin, http://other.example:80"},
		"another method":     {303, "", "Location: /y", ``, "do", "", "", capabilities.UpstreamError, "would drop the request"},
		"nowhere":            {302, "", "", ``, "look", "", "", capabilities.UpstreamError, "it leads nowhere"},
		"in a circle":        {308, "", "Location: /x", ``, "do", "", "", capabilities.UpstreamError, "more than 5 in a row"},
		"ourselves":          {200, "application/json", "Holotype-Mark: OURMARKOURMARK", `{}`, "do", "", "", capabilities.UpstreamError, "leads back to this very server"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				if c.kind != "" {
					w.Header().Set("Content-Type", c.kind)
				}
				if c.kind == "-" {
					w.Header()["Content-Type"] = nil
				}
				if name, value, ok := strings.Cut(c.more, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			res, e := r.call(c.tool, `{}`)
			if c.code != "" {
				if e == nil || e.Code != c.code || !strings.Contains(e.Message, c.says) {
					t.Fatalf("%+v, want %s with %q", e, c.code, c.says)
				}
				if all, err := json.Marshal(e.Upstream); err != nil || strings.Contains(e.Message+string(all), "s3cret") {
					t.Errorf("it tells the secret, or nothing: %v, %s", err, all)
				}
				return
			}
			if e != nil {
				t.Fatal(e)
			}
			if string(res.Structured) != c.structured || !strings.Contains(text(t, res), c.text) {
				t.Errorf("%s, %s", res.Structured, text(t, res))
			}
		})
	}
}

// What keeps its method and its origin is followed, with the body and the credential.
func TestARedirectWithinTheOrigin(t *testing.T) {
	r, a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/x" {
			http.Redirect(w, r, "/y?z=1", http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"n":1}`)
	})
	for _, tool := range []string{"do", "look"} {
		if _, e := r.call(tool, `{}`); e != nil {
			t.Fatal(e)
		}
		if got := a.last(t); got.URI != "/y?z=1" || got.Header.Get("Authorization") != "Bearer s3cret-value" {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

// A connection that breaks may have delivered the call. Nothing is sent twice, whatever the
// method, unless somebody says that it only reads; and it is told apart.
func TestNothingIsSentTwice(t *testing.T) {
	yes, no := capabilities.Yes, capabilities.No
	for name, proven := range map[string]bool{"unknown": false, "reads": true} {
		t.Run(name, func(t *testing.T) {
			// The first request of a connection is answered, the second breaks it off: that is
			// what a transport takes for a connection that idled too long, and sends again.
			served := map[string]int{}
			r, a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if served[r.RemoteAddr]++; served[r.RemoteAddr]%2 == 1 {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, `{"n":1}`)
					return
				}
				c, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_ = c.Close()
				}
			}, func(s *bridge.Server) {
				if proven {
					s.Annotations = map[string]bridge.Override{"look": {ReadOnly: &yes, Destructive: &no}}
				}
			})
			if _, e := r.call("look", `{}`); e != nil {
				t.Fatal(e)
			}
			_, e := r.call("look", `{}`)
			switch sent := len(a.requests()); {
			case proven && (e != nil || sent != 3):
				t.Errorf("%+v after %d requests", e, sent)
			case !proven && (e == nil || e.Code != capabilities.Unavailable || !e.MaybeApplied || sent != 2):
				t.Errorf("%+v after %d requests", e, sent)
			}
		})
	}
}

// A call says which trace it is a part of, as it does to a server of MCP.
func TestATraceGoesOn(t *testing.T) {
	r, a := answering(t, nil)
	trace := capabilities.ParseTrace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b")
	_, err := r.door.Invoke(t.Context(), capabilities.Call{Name: "api__look", Arguments: json.RawMessage(`{}`), Principal: capabilities.OwnerPrincipal(), Trace: trace})
	if err != nil {
		t.Fatal(err)
	}
	if h := a.last(t).Header; !strings.HasPrefix(h.Get("Traceparent"), "00-0af7651916cd43dd8448eb211c80319c-") || h.Get("Tracestate") != "a=b" {
		t.Errorf("%q, %q", h.Get("Traceparent"), h.Get("Tracestate"))
	}
}

func TestNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	_ = l.Close() // nobody is there now
	r := run(t, openapi.Options{Document: file(t, "p.json", documentOf("/x", "")), BaseURL: address}).ready()
	if _, e := r.call("do", `{}`); e == nil || e.Code != capabilities.Unavailable || e.MaybeApplied {
		t.Errorf("%+v", e)
	}
}

func TestASlowAnswerEndsWithItsTime(t *testing.T) {
	release := make(chan struct{})
	r, _ := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}, func(s *bridge.Server) { s.CallTimeout = 50_000_000 })
	defer close(release)
	if _, e := r.call("do", `{}`); e == nil || e.Code != capabilities.Timeout || !e.MaybeApplied {
		t.Errorf("%+v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.door.Invoke(ctx, capabilities.Call{Name: "api__do", Arguments: json.RawMessage(`{}`), Principal: capabilities.OwnerPrincipal()}); err == nil {
		t.Error("a call of somebody who left is answered")
	}
}

// A request asks for what the document says that the operation answers, JSON first.
func TestWhatIsAskedFor(t *testing.T) {
	a := listen(t, nil)
	const anything = "application/json, */*;q=0.1"
	cases := map[string][2]string{
		"text":     {`"200":{"content":{"text/csv":{},"text/html; charset=utf-8":{}}}`, "text/csv, text/html, */*;q=0.1"},
		"json":     {`"200":{"content":{"text/csv":{},"application/hal+json":{}}}`, "application/hal+json, */*;q=0.1"},
		"nothing":  {`"204":{"description":"no"}`, anything},
		"no_token": {`"200":{"content":{"text plain":{}}}`, anything},
	}
	var paths []string
	for name, c := range cases {
		paths = append(paths, `"/`+name+`":{"get":{"operationId":"`+name+`","responses":{`+c[0]+`}}}`)
	}
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"` + a.URL + `"}],"paths":{` + strings.Join(paths, ",") + `}}`
	r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
	for name, c := range cases {
		if _, e := r.call(name, `{}`); e != nil {
			t.Fatal(name, e)
		}
		if got := a.last(t).Header.Get("Accept"); got != c[1] {
			t.Errorf("%s asks for %q, want %q", name, got, c[1])
		}
	}
}
