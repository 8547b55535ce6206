package openapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

// A document with a fault costs the server, with a sentence that has the place.
func TestDocumentsWithAFault(t *testing.T) {
	for name, c := range map[string]struct{ content, says string }{
		"no JSON":                  {"{\n  \"openapi\": \"3.1.0\",\n  \"paths\": {]\n}", "is not valid JSON at line 3, column 13"},
		"JSON and more":            {`{"openapi":"3.1.0"} x`, "is not valid JSON at line 1, column 21"},
		"no YAML":                  {"openapi: 3.1.0\npaths: [\n", "cannot be read at line 3: not valid YAML"},
		"a key twice":              {"openapi: 3.1.0\nopenapi: 3.1.0\n", "at line 2 (openapi): this key is given twice"},
		"an alias of itself":       {"openapi: 3.1.0\npaths: &a {b: *a}\n", "cannot be read at line 2"},
		"aliases that grow":        {"openapi: 3.1.0\na: &a [1,1,1,1,1,1,1,1,1,1]\n" + growing(), "more than 1000000 values"},
		"a merge key":              {"openapi: 3.1.0\nx: &x {a: 1}\ny: {<<: *x}\n", "merge keys"},
		"no number":                {"openapi: 3.1.0\nx: .inf\n", "at line 2 (x): .inf is no number"},
		"no object":                {"- a\n", "is no object"},
		"nothing":                  {"", "is no object"},
		"no text":                  {"{\"openapi\":\"\xff\"}", "is not UTF-8"},
		"Swagger":                  {`{"swagger":"2.0"}`, "is a Swagger 2.0 document at #/swagger"},
		"no version":               {`{"paths":{}}`, "no version of OpenAPI at #/openapi"},
		"a version to come":        {`{"openapi":"4.0.0"}`, `of version "4.0.0"`},
		"paths that are none":      {`{"openapi":"3.1.0","paths":[]}`, "at #/paths"},
		"nested without end":       {`{"openapi":"3.1.0","x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "nests deeper than 128 levels at line 1"},
		"too many bytes":           {`{"openapi":"3.1.0","x":"` + strings.Repeat("a", 16<<20) + `"}`, "more than 16777216 bytes"},
		"too much YAML":            {"openapi: 3.1.0\nx: " + strings.Repeat("a", 4<<20), "of YAML, at most 4194304 are read"},
		"no server":                {`{"openapi":"3.1.0"}`, "no absolute address at #/servers/0/url"},
		"a relative server":        {`{"openapi":"3.1.0","servers":[{"url":"/v1"}]}`, `only "/v1"; state base_url`},
		"a server of another kind": {`{"openapi":"3.1.0","servers":[{"url":"ftp://h/"}]}`, "is no http or https address"},
		"a server with a query":    {`{"openapi":"3.1.0","servers":[{"url":"http://h/?a=b"}]}`, "has a query or a fragment"},
		"a server with a login":    {`{"openapi":"3.1.0","servers":[{"url":"http://u:p@h/"}]}`, "has a credential in it"},
		"a server that climbs":     {`{"openapi":"3.1.0","servers":[{"url":"http://h/a/../b"}]}`, "has a segment . or .."},
		"a variable of nothing":    {`{"openapi":"3.1.0","servers":[{"url":"http://{h}/"}]}`, "has a variable without a default"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, "p", c.content)
			st := run(t, openapi.Options{Document: path}).status()
			if st.State != bridge.StateFailed || st.Phase != "list" || !strings.Contains(st.Reason, c.says) || !strings.Contains(st.Reason, path) {
				t.Errorf("%s: %s, want %q", st.State, st.Reason, c.says)
			}
		})
	}
	t.Run("absent", func(t *testing.T) {
		if st := run(t, openapi.Options{Document: filepath.Join(t.TempDir(), "absent.json")}).status(); !strings.Contains(st.Reason, "cannot be read") {
			t.Error(st.Reason)
		}
	})
}

// growing multiplies a list by aliases of aliases.
func growing() string {
	var b strings.Builder
	for c := 'b'; c < 'i'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10), ", "))
	}
	return b.String()
}

// What cannot be carried out as it is written costs one operation, with the reason; the one
// beside it is there.
func TestOperationsThatCannotBeCalled(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct{ path, operation, more, says string }{
		"a reference elsewhere":    {"/x", `"parameters":[{"name":"a","in":"query","schema":{"$ref":"other.json#/A"}}]`, "", `refers to "other.json#/A": only references within the document`},
		"a parameter elsewhere":    {"/x", `"parameters":[{"$ref":"http://h/p"}]`, "", `only references within the document`},
		"a reference to nothing":   {"/x", `"parameters":[{"$ref":"#/components/parameters/p"}]`, "", "where nothing stands"},
		"a reference by anchor":    {"/x", `"parameters":[{"name":"a","in":"query","schema":{"$ref":"#a"}}]`, "", "only references that are a JSON pointer"},
		"a circle of references":   {"/x", `"parameters":[{"$ref":"#/components/a"}]`, `"a":{"$ref":"#/components/b"},"b":{"$ref":"#/components/a"}`, "lead on and on"},
		"a circle of schemas":      {"/x", `"parameters":[{"name":"a","in":"query","schema":{"$ref":"#/components/a"}}]`, `"a":{"$ref":"#/components/b"},"b":{"$ref":"#/components/a"}`, "refers to nothing but itself"},
		"a schema of one MB":       {"/x", `"parameters":[{"name":"a","in":"query","schema":{"description":"` + huge + `"}}]`, "", "more than 262144 bytes"},
		"a description of one MB":  {"/x", `"description":"` + huge + `"`, "", "at most 262144 are taken"},
		"a schema that is none":    {"/x", `"parameters":[{"name":"a","in":"query","schema":7}]`, "", "a schema in it is no object"},
		"a schema nobody compiles": {"/x", `"parameters":[{"name":"a","in":"query","schema":{"type":"nonsense"}}]`, "", "input schema"},
		"dynamic references":       {"/x", `"parameters":[{"name":"a","in":"query","schema":{"$dynamicRef":"#a"}}]`, "", "$dynamicRef"},
		"deep schemas":             {"/x", `"parameters":[{"name":"a","in":"query","schema":` + strings.Repeat(`{"not":`, 70) + "{}" + strings.Repeat("}", 70) + `}]`, "", "nests deeper than 64"},
		"no such parameter":        {"/x/{id}", `"tags":[]`, "", "{id}, and no parameter of that name"},
		"a path with a query":      {"/x?a=b", `"tags":[]`, "", "a character that no path has"},
		"a path that climbs":       {"/x/../y", `"tags":[]`, "", "a segment . or .."},
		"a path that begins late":  {"x", `"tags":[]`, "", "does not begin with /"},
		"half a brace":             {"/x/{id", `"tags":[]`, "", "a brace without another"},
		"a place that is none":     {"/x", `"parameters":[{"name":"a","in":"body"}]`, "", `in "body", which is no place`},
		"a style that is none":     {"/x", `"parameters":[{"name":"a","in":"query","style":"matrix"}]`, "", `the style "matrix"`},
		"a needed cookie":          {"/x", `"parameters":[{"name":"a","in":"cookie","required":true}]`, "", `needs the cookie "a"`},
		"a header of ours":         {"/x", `"parameters":[{"name":"Transfer-Encoding","in":"header","required":true}]`, "", "belongs to the connection"},
		"a header with a break":    {"/x", `"parameters":[{"name":"a\r\nb","in":"header"}]`, "", "a name that no header can have"},
		"one argument twice":       {"/x", `"parameters":[{"name":"a b","in":"query"},{"name":"a+b","in":"query"},{"name":"a*b","in":"query"}]`, "", `would be the argument "query_a_b"`},
		"XML in a parameter":       {"/x", `"parameters":[{"name":"a","in":"query","content":{"text/xml":{}}}]`, "", "only JSON is written"},
		"a body without a type":    {"/x", `"requestBody":{"required":true}`, "", "says no type of it"},
		"servers of its own":       {"/x", `"servers":[{"url":"http://other.example"}]`, "", "servers of its own; state base_url"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"http://h.example"}],"components":{` + c.more + `},"paths":{"/good":{"get":{"operationId":"good"}},"` +
				c.path + `":{"get":{"operationId":"bad",` + c.operation + `}}}}`
			r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
			r.tool("good")
			st := r.status()
			if st.Tools != 1 || len(st.Skipped) != 1 || !strings.Contains(st.Skipped[0].Reason, c.says) {
				t.Errorf("%d tools, %+v", st.Tools, st.Skipped)
			}
		})
	}
}

// What succeeds in more than one way answers any of them, and components have the names that
// they have, or a plain one for it.
func TestOutputSchemasOfSeveralSuccesses(t *testing.T) {
	const a, b = `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"b":{"$ref":"#/components/schemas/a0Z9"}}}`
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"http://h.example"}],"components":{"schemas":{"a0Z9":{"$ref":"#/components/x-more/Az09_-.é"}},"x-more":{"Az09_-.é":{"type":"string"}}},
		"paths":{"/x":{"get":{"operationId":"do","responses":{"200":{"content":{"application/json":{"schema":` + a + `}}},"201":{"content":{"application/json":{"schema":` + b + `}}}}}}}}`
	r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
	out := r.tool("do").Output()
	if out == nil {
		t.Fatalf("%+v", r.status().Skipped)
	}
	var got struct {
		AnyOf []json.RawMessage
		Defs  map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(out.Raw(), &got); err != nil {
		t.Fatal(err)
	}
	names := sortedKeys(got.Defs)
	if len(got.AnyOf) != 2 || len(names) != 2 || !strings.HasPrefix(names[0], "Az09_-._") || names[1] != "a0Z9" {
		t.Errorf("%s", out.Raw())
	}
}

// An output schema that cannot be used costs itself.
func TestOutputSchemasThatCannotBeUsed(t *testing.T) {
	for name, c := range map[string]struct{ schema, says string }{
		"elsewhere":         {`{"type":"object","properties":{"a":{"$ref":"x.json"}}}`, "only references within"},
		"one MB":            {`{"type":"object","description":"` + strings.Repeat("x", 1<<20) + `"}`, "more than 262144 bytes"},
		"with the rest":     {`{"type":"object","description":"` + strings.Repeat("x", 262_000) + `"}`, "with it the operation takes more than"},
		"an endless circle": {`{"type":"object","allOf":[{"$ref":"#/paths/~1x/get/responses/200/content/application~1json/schema"}]}`, "output schema is left out"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"http://h.example"}],"paths":{"/x":{"get":{"operationId":"do","responses":{"200":{"content":{"application/json":{"schema":` + c.schema + `}}}}}}}}`
			r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
			st := r.status()
			if r.tool("do").Output() != nil || len(st.Skipped) != 1 || !strings.Contains(st.Skipped[0].Reason, c.says) {
				t.Errorf("%+v", st.Skipped)
			}
		})
	}
}

// Every document of that size is read within seconds: nothing in one multiplies.
func TestLargeDocuments(t *testing.T) {
	var paths, names strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&paths, `,"/p%d":{"get":{"operationId":"op%d"}}`, i, i)
	}
	for i := range 30_000 {
		fmt.Fprintf(&names, `,"n%d"`, i)
	}
	properties := strings.ReplaceAll(strings.ReplaceAll(names.String()[1:], `",`, `":{},`)+":{}", `""`, `"`)
	var chain strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&chain, `,"c%d":{"$ref":"#/components/schemas/c%d"}`, i, i+1)
	}
	for name, c := range map[string]struct {
		doc   string
		tools int
		says  string
	}{
		"many operations":       {`"paths":{` + paths.String()[1:] + `}`, 5000, "more than 5000 operations"},
		"many names":            {`"paths":{"/x":{"get":{"operationId":"do","requestBody":{"content":{"application/json":{"schema":{"properties":{` + properties + `},"required":[` + names.String()[1:] + `]}}}}}}}`, 0, "more than 262144 bytes"},
		"a chain of references": {`"paths":{"/x":{"get":{"operationId":"do","parameters":[{"name":"a","in":"query","schema":{"$ref":"#/components/schemas/c0"}}]}}},"components":{"schemas":{` + chain.String()[1:] + `}}`, 0, "refers to nothing but itself"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			r := run(t, openapi.Options{Document: file(t, "p.json", `{"openapi":"3.1.0","info":{},"servers":[{"url":"http://h.example"}],`+c.doc+`}`)}).ready()
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			if st := r.status(); st.Tools != c.tools || len(st.Skipped) != 1 || !strings.Contains(st.Skipped[0].Reason, c.says) {
				t.Errorf("%d tools, %+v", st.Tools, st.Skipped)
			}
		})
	}
}

// The document is read again when the configuration is applied. One that cannot be used any
// more costs nothing but what it changed, and says so.
func TestADocumentIsReadAgain(t *testing.T) {
	path := file(t, "p.json", documentOf("/a", ""))
	r := run(t, openapi.Options{Document: path, BaseURL: "http://h.example"}).ready()
	again := func(content, says string, tools ...string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if changes, err := r.Apply([]bridge.Server{r.server}); err != nil || len(changes.Unchanged) != 1 {
			t.Fatal(changes, err)
		}
		wait(t, func() bool {
			st := r.status()
			reason := ""
			for _, s := range st.Skipped {
				reason += s.Reason
			}
			return st.State == bridge.StateReady && strings.Contains(reason, says) && (says != "") == (reason != "") && r.lists(tools...)
		}, func() string { return fmt.Sprintf("%+v", r.status()) })
	}
	again(documentOf("/b", `"summary":"another one",`), "", "do")
	again("{", "what it said before still counts, because it has a document that cannot be used: "+path+" is not valid JSON", "do")
	again(strings.Replace(documentOf("/b", ""), `"do"`, `"does"`, 1), "", "does")
	if _, e := r.call("do", `{}`); e == nil {
		t.Error("an operation that is gone is called")
	}
}

func (r *rig) lists(tools ...string) bool {
	n := 0
	for range r.live.For(capabilities.OwnerPrincipal()).All() {
		n++
	}
	for _, name := range tools {
		if _, ok := r.live.For(capabilities.OwnerPrincipal()).Find("api__" + name); !ok {
			return false
		}
	}
	return n == len(tools)
}

// wait waits for what comes by itself.
func wait(t *testing.T, done func() bool, now func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("it does not come: %s", now())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A document that came over HTTP is asked for by its mark, and sent again only when it is
// another one.
func TestADocumentOverHTTP(t *testing.T) {
	version := make(chan string, 1)
	version <- "a"
	a := listen(t, func(w http.ResponseWriter, r *http.Request) {
		v := <-version
		version <- v
		w.Header().Set("ETag", `"`+v+`"`)
		if r.Header.Get("If-None-Match") == `"`+v+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, documentOf("/"+v, `"summary":"of `+v+`",`))
	})
	auth := openapi.Auth{Kind: openapi.AuthBearer, Value: "s3cret-value"}
	r := run(t, openapi.Options{Document: a.URL + "/docs/openapi.json?v=1", Auth: auth}).ready()
	title := func() string { return r.tool("do").Title() }
	if title() != "of a" || a.last(t).Header.Get("Authorization") != "Bearer s3cret-value" || a.last(t).URI != "/docs/openapi.json?v=1" {
		t.Errorf("%q, %+v", title(), a.last(t))
	}
	apply := func(until func() bool) {
		t.Helper()
		if _, err := r.Apply([]bridge.Server{r.server}); err != nil {
			t.Fatal(err)
		}
		wait(t, until, func() string { return fmt.Sprintf("%+v, %d requests", r.status(), len(a.requests())) })
	}
	apply(func() bool { return len(a.requests()) == 2 })
	if got := a.last(t).Header.Get("If-None-Match"); got != `"a"` {
		t.Errorf("asked with %q", got)
	}
	<-version
	version <- "b"
	apply(func() bool { return title() == "of b" })
	if _, e := r.call("do", `{}`); e != nil || a.last(t).URI != "/b" {
		t.Errorf("%+v, %s", e, a.last(t).URI)
	}
}

// A document does not have the credential sent where the operator did not say.
func TestTheCredentialStaysInItsOrigin(t *testing.T) {
	other := listen(t, nil)
	a := listen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, other.URL+"/openapi.json", http.StatusFound)
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = io.WriteString(w, `{"openapi":"3.1.0","info":{},"servers":[{"url":"`+other.URL+`"}],"paths":{"/x":{"get":{"operationId":"do"}}}}`)
		}
	})
	auth := openapi.Auth{Kind: openapi.AuthBearer, Value: "s3cret-value"}
	for path, says := range map[string]string{"/openapi.json": "another origin than its own", "/moved": "another origin", "/missing": "HTTP status 404"} {
		st := run(t, openapi.Options{Document: a.URL + path + "?key=s3cret-value", Auth: auth}).status()
		if st.State != bridge.StateFailed || !strings.Contains(st.Reason, says) || strings.Contains(st.Reason, "s3cret") {
			t.Errorf("%s: %s %s", path, st.State, st.Reason)
		}
	}
	if n := len(other.requests()); n > 0 {
		t.Errorf("the other one was asked %d times", n)
	}
	// Stated, it goes where it is stated, and the document is asked for without it.
	r := run(t, openapi.Options{Document: a.URL + "/openapi.json", Auth: auth, BaseURL: other.URL + "/v2"}).ready()
	if got := a.last(t).Header.Get("Authorization"); got != "" {
		t.Errorf("the document is asked for with %q", got)
	}
	if _, e := r.call("do", `{}`); e != nil || other.last(t).URI != "/v2/x" || other.last(t).Header.Get("Authorization") != "Bearer s3cret-value" {
		t.Errorf("%+v, %+v", e, other.requests())
	}
}
