package openapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

// A small document does not ask for hours, or for gigabytes.
func TestDocumentsThatAskForWork(t *testing.T) {
	const head = `{"openapi":"3.1.0","servers":[{"url":"http://127.0.0.1:9/"}],`
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	large := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	deep, into, at := strings.Replace(large, "a", "x-a", 1), "", "#/components/schemas/A"
	for range 50 {
		deep, at = `{"properties":{"p":`+deep+`}}`, at+"/properties/p"
		into += `,{"$ref":"` + at + `"}`
	}
	for name, c := range map[string]struct {
		content string
		says    string // of the server, or of what is skipped; "" for nothing
	}{
		"a schema of itself, many times": {head + `"paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}},
			"components":{"schemas":{"A":{"allOf":[` + many(40, `{"$comment":"%d","$ref":"#/components/schemas/A"},`) + `]}}}}`, ""},
		"paths that lead to much":      {head + `"x":` + large + `,"paths":{` + many(600, `"/p%d":{"$ref":"#/x"},`) + `}}`, "the references of the document lead to more than"},
		"parameters that lead to much": {head + `"x":` + large + `,"paths":{"/a":{"get":{"parameters":[` + many(600, `{"x":%d,"$ref":"#/x"},`) + `]}}}}`, "the references of the document lead to more than"},
		"a long list of targets":       {head + `"x":["` + strings.Repeat("x", 1<<20) + `",{"name":"a"}],"paths":{"/a":{"get":{"parameters":[` + many(600, `{"x":%d,"$ref":"#/x/1"},`) + `]}}}}`, "the references of the document lead to more than"},
		"pointers into one schema":     {head + `"paths":{"/a":{"get":{"parameters":[{"name":"a","in":"query","schema":{"anyOf":[` + into[1:] + `]}}]}}},"components":{"schemas":{"A":` + deep + `}}}`, "the references of the document lead to more than"},
		"paths that lead nowhere":      {head + `"paths":{` + many(6000, `"/p%d":{"$ref":"#/x"},`) + `}}`, "more than 5000 operations"},
		"a text that aliases repeat":   {"openapi: 3.1.0\nx: &x \"" + strings.Repeat("x", 1<<20) + "\"\ny: [" + strings.Repeat("*x, ", 40) + "]\n", "more than 16777216 bytes, counting what aliases repeat"},
		"variables that double": {
			`{"openapi":"3.1.0","servers":[{"url":"http://{v0}/","variables":{` + many(40, `"v%[1]d":{"default":"{w%[1]d}"},`) + `}}]}`,
			"a variable with a brace in its default",
		},
		"a variable that is long": {`{"openapi":"3.1.0","servers":[{"url":"http://h/` + strings.Repeat("{v}", 100) + `","variables":{"v":{"default":"` + strings.Repeat("x", 1000) + `"}}}]}`, "an address of more than 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "d", c.content)
			answered := make(chan bridge.Status, 1)
			go func() {
				offer, err := openapi.New(openapi.Options{Document: path}).Offer(t.Context())
				st := bridge.Status{}
				if err != nil {
					st.Reason = err.Error()
				}
				if offer != nil {
					st.Skipped = offer.Skipped
				}
				answered <- st
			}()
			select {
			case st := <-answered:
				all := st.Reason
				for _, one := range st.Skipped {
					all += "\n" + one.Reason
				}
				if c.says == "" && all != "" || !strings.Contains(all, c.says) || len(st.Skipped) > 5001 {
					t.Errorf("%d skipped, %.300s, want %q", len(st.Skipped), all, c.says)
				}
			case <-time.After(time.Minute):
				t.Fatal("it is still being read")
			}
		})
	}
}

// What a document says of a credential does not get it lost, or sent under a name that
// belongs to the connection.
func TestSchemesThatCannotBeSent(t *testing.T) {
	for name, c := range map[string]struct{ scheme, says string }{
		"no parameter":               {`{"type":"apiKey","in":"query"}`, "no name of the parameter"},
		"of the connection":          {`{"type":"apiKey","in":"header","name":"transfer-encoding"}`, "belongs to the connection"},
		"a header that is given":     {`{"type":"apiKey","in":"header","name":"X-KEY"}`, "which headers gives too"},
		"authorization that is, too": {`{"type":"http","scheme":"bearer"}`, "the header Authorization, which headers gives too"},
	} {
		t.Run(name, func(t *testing.T) {
			st := run(t, openapi.Options{
				Document: file(t, "d.json", `{"openapi":"3.1.0","paths":{},"components":{"securitySchemes":{"k":`+c.scheme+`}}}`), BaseURL: "http://127.0.0.1:9",
				Headers: map[string]string{"x-key": "1", "authorization": "2"}, Auth: openapi.Auth{Kind: openapi.AuthScheme, Name: "k", Value: "v"},
			}).status()
			if st.State != bridge.StateFailed || !strings.Contains(st.Reason, c.says) {
				t.Errorf("%s: %s, want %q", st.State, st.Reason, c.says)
			}
		})
	}
}

// The parameter of the credential is no key of an argument either, and no argument is a
// cookie or asks for an encoding.
func TestArgumentsThatWouldBeOfTheConnection(t *testing.T) {
	a := listen(t, nil)
	r := run(t, openapi.Options{
		Document: file(t, "d.json", documentOf("/a", `"parameters":[{"name":"f","in":"query","schema":{"type":"object"}},{"name":"Cookie","in":"header"},{"name":"accept-encoding","in":"header"}],`)),
		BaseURL:  a.URL, Auth: openapi.Auth{Kind: openapi.AuthQuery, Name: "key", Value: "the-secret"},
	})
	for _, arguments := range []string{`{"f":{"key":"mine"}}`, `{"Cookie":"a=b"}`, `{"accept-encoding":"br"}`} {
		if _, err := r.call("do", arguments); err == nil || err.Code != "invalid" {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	if n := len(a.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if _, err := r.call("do", `{"f":{"other":"1"}}`); err != nil || a.last(t).URI != "/a?other=1&key=the-secret" {
		t.Errorf("%v, %s", err, a.last(t).URI)
	}
}

// A login in the address of a document is for the document, also where nothing else is sent.
func TestADocumentBehindALogin(t *testing.T) {
	a := listen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if _, password, _ := r.BasicAuth(); r.URL.Path == "/d.json" && password != "pass" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, documentOf("/a", ""))
	})
	r := run(t, openapi.Options{Document: strings.Replace(a.URL, "http://", "http://user:pass@", 1) + "/d.json"}).ready()
	if _, err := r.call("do", "{}"); err != nil {
		t.Fatal(err)
	}
	if got := a.last(t); got.URI != "/a" || got.Header.Get("Authorization") != "" {
		t.Errorf("%s with %s", got.URI, got.Header.Get("Authorization"))
	}
}

// What an operator says of a method and a path is not given to something else by a document
// that calls something else so.
func TestAnOperationIsNotNamedLikeAnother(t *testing.T) {
	for _, document := range []string{
		`"/a":{"get":{"operationId":"look"}},"/b":{"post":{"operationId":"GET /a"}}`,
		`"/b":{"post":{"operationId":"GET /a"}},"/a":{"get":{"operationId":"look"}}`,
		`"/b":{"post":{"operationId":"GET /a"}}`,
	} {
		yes := capabilities.Yes
		r := run(t, openapi.Options{Document: file(t, "d.json", `{"openapi":"3.1.0","paths":{`+document+`}}`), BaseURL: "http://127.0.0.1:9"}, func(s *bridge.Server) {
			s.Annotations = map[string]bridge.Override{"GET /a": {ReadOnly: &yes}}
		}).ready()
		st := r.status()
		if len(st.Skipped) == 0 || st.Skipped[0].Tool != "POST /b" || !strings.Contains(st.Skipped[0].Reason, `its operationId "GET /a"`) {
			t.Errorf("skipped %+v", st.Skipped)
		}
		for c := range r.live.For(capabilities.OwnerPrincipal()).All() {
			if c.Name() != "api__look" {
				t.Errorf("%s is offered", c.Name())
			}
		}
	}
}
