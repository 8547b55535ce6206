package openapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

// parameters is a document of 3.1 whose operations each take one parameter, by name.
func parameters(server string, all map[string]string) string {
	var paths []string
	for name, p := range all {
		path := "/" + name
		if strings.Contains(p, `"path"`) {
			path += "/{v}/end"
		}
		paths = append(paths, fmt.Sprintf(`%q:{"get":{"operationId":%q,"parameters":[{"name":"v",%s}]}}`, path, name, p))
	}
	return `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"` + server + `/base/"}],"paths":{` + strings.Join(paths, ",") + `}}`
}

// The table "style values" of OpenAPI 3.1.1.
func TestStyles(t *testing.T) {
	const (
		list   = `["blue","black","bröwn"]`
		object = `{"R":100,"G":200,"B":150}`
	)
	cases := map[string]struct{ parameter, value, want string }{
		"simple":                           {`"in":"path"`, `"bl ue"`, "/bl%20ue/end"},
		"simple_number":                    {`"in":"path"`, `9007199254740993`, "/9007199254740993/end"},
		"simple_list":                      {`"in":"path"`, list, "/blue,black,br%C3%B6wn/end"},
		"simple_object":                    {`"in":"path"`, object, "/R,100,G,200,B,150/end"},
		"simple_explode_object":            {`"in":"path","explode":true`, object, "/R=100,G=200,B=150/end"},
		"label":                            {`"in":"path","style":"label"`, `"blue"`, "/.blue/end"},
		"label_list":                       {`"in":"path","style":"label"`, list, "/.blue,black,br%C3%B6wn/end"},
		"label_explode_list":               {`"in":"path","style":"label","explode":true`, list, "/.blue.black.br%C3%B6wn/end"},
		"label_explode_object":             {`"in":"path","style":"label","explode":true`, object, "/.R=100.G=200.B=150/end"},
		"matrix":                           {`"in":"path","style":"matrix"`, `"blue"`, "/;v=blue/end"},
		"matrix_list":                      {`"in":"path","style":"matrix"`, list, "/;v=blue,black,br%C3%B6wn/end"},
		"matrix_explode_list":              {`"in":"path","style":"matrix","explode":true`, list, "/;v=blue;v=black;v=br%C3%B6wn/end"},
		"matrix_object":                    {`"in":"path","style":"matrix"`, object, "/;v=R,100,G,200,B,150/end"},
		"matrix_explode_object":            {`"in":"path","style":"matrix","explode":true`, object, "/;R=100;G=200;B=150/end"},
		"path_with_all_that_has_a_meaning": {`"in":"path"`, `"a?b#c;d&e=f:g@h%i"`, "/a%3Fb%23c%3Bd%26e%3Df%3Ag%40h%25i/end"},
		"form":                             {`"in":"query"`, `"a&b=c#d+e"`, "?v=a%26b%3Dc%23d%2Be"},
		"form_unreserved":                  {`"in":"query"`, `"AZaz09-._~"`, "?v=AZaz09-._~"},
		"form_empty":                       {`"in":"query"`, `""`, "?v="},
		"form_true":                        {`"in":"query"`, `true`, "?v=true"},
		"form_list":                        {`"in":"query"`, list, "?v=blue&v=black&v=br%C3%B6wn"},
		"form_empty_list":                  {`"in":"query"`, `[]`, ""},
		"form_list_together":               {`"in":"query","explode":false`, list, "?v=blue,black,br%C3%B6wn"},
		"form_object":                      {`"in":"query"`, object, "?R=100&G=200&B=150"},
		"form_object_together":             {`"in":"query","explode":false`, object, "?v=R,100,G,200,B,150"},
		"space":                            {`"in":"query","style":"spaceDelimited"`, list, "?v=blue%20black%20br%C3%B6wn"},
		"pipe":                             {`"in":"query","style":"pipeDelimited"`, list, "?v=blue%7Cblack%7Cbr%C3%B6wn"},
		"pipe_object":                      {`"in":"query","style":"pipeDelimited"`, object, "?v=R%7C100%7CG%7C200%7CB%7C150"},
		"deep":                             {`"in":"query","style":"deepObject","explode":true`, object, "?v%5BR%5D=100&v%5BG%5D=200&v%5BB%5D=150"},
		"reserved":                         {`"in":"query","allowReserved":true`, `"a/b?c:d&e=f#g"`, "?v=a/b?c:d%26e%3Df%23g"},
		"json":                             {`"in":"query","content":{"application/json":{}}`, `{"a": [1, 2]}`, "?v=%7B%22a%22%3A%5B1%2C2%5D%7D"},
		"header":                           {`"in":"header"`, `"a b"`, "V: a b"},
		"header_list":                      {`"in":"header"`, list, "V: blue,black,bröwn"},
		"header_object":                    {`"in":"header"`, object, "V: R,100,G,200,B,150"},
		"header_explode_object":            {`"in":"header","explode":true`, object, "V: R=100,G=200,B=150"},
		"nothing":                          {`"in":"query"`, ``, ""},
	}
	all := map[string]string{}
	for name, c := range cases {
		all[name] = c.parameter
		if strings.Contains(c.parameter, `"path"`) {
			all[name] += `,"required":true`
		}
	}
	a := listen(t, nil)
	r := run(t, openapi.Options{Document: file(t, "p.json", parameters(a.URL, all))}).ready()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			arguments := `{"v":` + c.value + `}`
			if c.value == "" {
				arguments = `{}`
			}
			if _, e := r.call(name, arguments); e != nil {
				t.Fatal(e)
			}
			got := a.last(t)
			want := "/base/" + name + c.want
			if header, ok := strings.CutPrefix(c.want, "V: "); ok {
				want = "/base/" + name
				if got.Header.Get("V") != header {
					t.Errorf("the header is %q", got.Header.Get("V"))
				}
			}
			if got.URI != want {
				t.Errorf("asked for %s, want %s", got.URI, want)
			}
		})
	}
}

// No value of an argument leads out of its place, and nothing is sent of one that would.
func TestNoArgumentLeavesItsPlace(t *testing.T) {
	a := listen(t, nil)
	r := run(t, openapi.Options{Document: file(t, "p.json", parameters(a.URL, map[string]string{
		"path": `"in":"path","required":true`, "label": `"in":"path","required":true,"style":"label"`, "header": `"in":"header"`,
		"deep": `"in":"query","style":"deepObject"`, "query": `"in":"query"`,
	}))}).ready()
	for name, values := range map[string][]string{
		"path": {
			`".."`, `"."`, `""`, `"a/b"`, `"../admin"`, `"a\\b"`, `"%2f"`, `"a%2Fb"`, `"%2e%2E"`, `"%5c"`, `"a\u0000"`, `"a\r\nb"`, `null`, `[]`, `["a",".."]`, `["a",""]`,
			`{"..":1}`, `{"a":"b/c"}`, `{"a":{"b":1}}`, `[["a"]]`,
		},
		"label":  {`"."`, `""`, `".."`},
		"header": {`"a\r\nX: y"`, `"a\nb"`, `"a\u0000"`, `["a","\r"]`, `{"a":[1]}`},
		"deep":   {`"text"`, `[1]`, `{"a":{"b":1}}`},
		"query":  {`{"a":{"b":1}}`, `[[1]]`, `[null]`},
	} {
		for _, v := range values {
			if _, e := r.call(name, `{"v":`+v+`}`); e == nil || e.Code != capabilities.Invalid || len(e.Violations) != 1 || e.Violations[0].Pointer != "/v" {
				t.Errorf("%s of %s: %+v", name, v, e)
			}
		}
	}
	if all := a.requests(); len(all) > 0 {
		t.Errorf("%d requests were sent, the first for %s", len(all), all[0].URI)
	}
	if _, e := r.call("query", `{"v":"`+strings.Repeat("a", 70_000)+`"}`); e == nil || e.Code != capabilities.TooLarge || e.MaybeApplied {
		t.Errorf("a long address: %+v", e)
	}
	if _, e := r.call("query", `{"w":1}`); e == nil || e.Code != capabilities.Invalid {
		t.Errorf("an argument that nobody knows: %+v", e)
	}
}

// Two values that stand in one segment do not make another path together.
func TestTwoValuesInOneSegment(t *testing.T) {
	a := listen(t, nil)
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"` + a.URL + `"}],"paths":{"/x/.{a}":{"get":{"operationId":"do","parameters":[{"name":"a","in":"path"}]}},
		"/{a}-{b}/%41 é":{"get":{"operationId":"two","parameters":[{"name":"a","in":"path"},{"name":"b","in":"path"}]}}}}`
	r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
	if _, e := r.call("do", `{"a":"."}`); e == nil || e.Code != capabilities.Invalid {
		t.Errorf("%+v", e)
	}
	if _, e := r.call("two", `{"a":"x","b":"y"}`); e != nil || a.last(t).URI != "/x-y/%41%20%C3%A9" {
		t.Errorf("%+v, %+v", e, a.requests())
	}
}

func TestBodies(t *testing.T) {
	a := listen(t, nil)
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"` + a.URL + `"}],"paths":{"/x":{
		"post":{"operationId":"json","parameters":[{"name":"body","in":"query"},{"name":"Content-Type","in":"header"},{"name":"Host","in":"header"}],
			"requestBody":{"content":{"text/plain":{},"application/merge-patch+json; charset=utf-8":{"schema":{"type":"object"}}}}},
		"put":{"operationId":"form","requestBody":{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object"}}}}},
		"patch":{"operationId":"either","requestBody":{"content":{"text/csv":{}}}}}}}`
	r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
	for name, c := range map[string]struct{ tool, arguments, method, uri, kind, body string }{
		"as it came":         {"json", `{"body":{"n": 9007199254740993, "a":[ ]},"query_body":"q"}`, http.MethodPost, "/x?body=q", "application/merge-patch+json; charset=utf-8", `{"n": 9007199254740993, "a":[ ]}`},
		"no body":            {"json", `{}`, http.MethodPost, "/x", "", ""},
		"a form":             {"form", `{"body":{"a":"x y&z","b":[1,true],"c":{"d":[1]},"e":null}}`, http.MethodPut, "/x", "application/x-www-form-urlencoded", "a=x+y%26z&b=1&b=true&c=%7B%22d%22%3A%5B1%5D%7D"},
		"one nobody can say": {"either", `{}`, http.MethodPatch, "/x", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if _, e := r.call(c.tool, c.arguments); e != nil {
				t.Fatal(e)
			}
			got := a.last(t)
			if diff := cmp.Diff([]string{c.method, c.uri, c.kind, c.body}, []string{got.Method, got.URI, got.Header.Get("Content-Type"), got.Body}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, e := r.call("form", `{"body":[1]}`); e == nil || e.Code != capabilities.Invalid {
		t.Errorf("a form that is a list: %+v", e)
	}
}

// A credential is sent as the operator says, or as the document says of its scheme. A caller
// cannot give what the configuration gives, and nothing of the caller's is passed on.
func TestCredentials(t *testing.T) {
	a := listen(t, nil)
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"` + a.URL + `"}],
		"components":{"securitySchemes":{"b":{"type":"http","scheme":"Bearer"},"u":{"type":"http","scheme":"basic"},"h":{"type":"apiKey","in":"header","name":"X-Key"},
			"q":{"type":"apiKey","in":"query","name":"key"},"o":{"type":"oauth2"},"c":{"type":"apiKey","in":"cookie","name":"k"},"d":{"type":"http","scheme":"digest"},
			"r":{"$ref":"#/components/securitySchemes/h"},"g":{"$ref":"#/components/securitySchemes/gone"}}},
		"paths":{"/x":{"get":{"operationId":"do","parameters":[{"name":"Authorization","in":"header"},{"name":"x-key","in":"header"},{"name":"key","in":"query"},{"name":"more","in":"query"}]}}}}`
	path := file(t, "p.json", doc)
	for name, c := range map[string]struct {
		auth        openapi.Auth
		header, uri string
		left        []string
	}{
		"bearer":        {openapi.Auth{Kind: openapi.AuthBearer, Value: "s3cret-value"}, "Authorization: Bearer s3cret-value", "/x?more=1", []string{"key", "more", "x-key"}},
		"basic":         {openapi.Auth{Kind: openapi.AuthBasic, User: "ana", Value: "s3cret-value"}, "Authorization: Basic YW5hOnMzY3JldC12YWx1ZQ==", "/x?more=1", []string{"key", "more", "x-key"}},
		"a header":      {openapi.Auth{Kind: openapi.AuthHeader, Name: "X-Key", Value: "s3cret-value"}, "X-Key: s3cret-value", "/x?more=1", []string{"key", "more"}},
		"a query":       {openapi.Auth{Kind: openapi.AuthQuery, Name: "key", Value: "s3cret value"}, "Authorization: ", "/x?more=1&key=s3cret%20value", []string{"more", "x-key"}},
		"scheme bearer": {openapi.Auth{Kind: openapi.AuthScheme, Name: "b", Value: "s3cret-value"}, "Authorization: Bearer s3cret-value", "/x?more=1", []string{"key", "more", "x-key"}},
		"scheme basic":  {openapi.Auth{Kind: openapi.AuthScheme, Name: "u", User: "ana", Value: "s3cret-value"}, "Authorization: Basic YW5hOnMzY3JldC12YWx1ZQ==", "/x?more=1", []string{"key", "more", "x-key"}},
		"scheme header": {openapi.Auth{Kind: openapi.AuthScheme, Name: "h", Value: "s3cret-value"}, "X-Key: s3cret-value", "/x?more=1", []string{"key", "more"}},
		"scheme behind": {openapi.Auth{Kind: openapi.AuthScheme, Name: "r", Value: "s3cret-value"}, "X-Key: s3cret-value", "/x?more=1", []string{"key", "more"}},
		"scheme query":  {openapi.Auth{Kind: openapi.AuthScheme, Name: "q", Value: "s3cret value"}, "Authorization: ", "/x?more=1&key=s3cret%20value", []string{"more", "x-key"}},
		"scheme oauth2": {openapi.Auth{Kind: openapi.AuthScheme, Name: "o", Value: "s3cret-value"}, "Authorization: Bearer s3cret-value", "/x?more=1", []string{"key", "more", "x-key"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, openapi.Options{Document: path, Auth: c.auth}).ready()
			if _, e := r.call("do", `{"more":1}`); e != nil {
				t.Fatal(e)
			}
			got := a.last(t)
			header, value, _ := strings.Cut(c.header, ": ")
			if got.Header.Get(header) != value || got.URI != c.uri {
				t.Errorf("%q at %s", got.Header.Get(header), got.URI)
			}
			if diff := cmp.Diff(c.left, properties(t, r.tool("do"))); diff != "" {
				t.Errorf("what a caller may give (-want +got)\n%s", diff)
			}
		})
	}
	for _, scheme := range []string{"c", "d", "g", "absent"} {
		r := run(t, openapi.Options{Document: path, Auth: openapi.Auth{Kind: openapi.AuthScheme, Name: scheme, Value: "s3cret-value"}})
		if st := r.status(); st.State == "ready" || !strings.Contains(st.Reason, "#/components/securitySchemes/"+scheme) {
			t.Errorf("%s: %s %s", scheme, st.State, st.Reason)
		}
	}
}

// properties are the names of a tool's arguments, sorted.
func properties(t *testing.T, c *capabilities.Capability) []string {
	t.Helper()
	var s struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(c.Input().Raw(), &s); err != nil {
		t.Fatal(err)
	}
	return sortedKeys(s.Properties)
}
