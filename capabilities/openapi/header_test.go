package openapi_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

// A header is the same however it is written: the parameter of an operation stands for that
// of its path, and one argument is one header.
func TestHeadersAreTheSameInAnyCase(t *testing.T) {
	a := listen(t, nil)
	doc := `{"openapi":"3.1.0","info":{},"servers":[{"url":"` + a.URL + `"}],"paths":{"/x":{
		"parameters":[{"name":"X-Tenant","in":"header","required":true,"schema":{"type":"integer"}},{"name":"Limit","in":"query","schema":{"type":"integer"}}],
		"get":{"operationId":"do","parameters":[{"name":"x-tenant","in":"header","schema":{"type":"string"}},{"name":"limit","in":"query","schema":{"type":"integer"}}]}}}}`
	r := run(t, openapi.Options{Document: file(t, "p.json", doc)}).ready()
	same(t, "the input", `{"type":"object","additionalProperties":false,"properties":{"x-tenant":{"type":"string"},"Limit":{"type":"integer"},"limit":{"type":"integer"}}}`,
		r.tool("do").Input().Raw())
	if _, e := r.call("do", `{"x-tenant":"north","Limit":1,"limit":2}`); e != nil {
		t.Fatal(e)
	}
	got := a.last(t)
	if values := got.Header.Values("X-Tenant"); len(values) != 1 || values[0] != "north" || got.URI != "/x?Limit=1&limit=2" {
		t.Errorf("sent %q to %s", values, got.URI)
	}
}
