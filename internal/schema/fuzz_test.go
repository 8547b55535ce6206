package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// FuzzForeign: the quick judgement of a stranger's schema is that of its compilation,
// and a compiled one judges any text without a fault of its own.
func FuzzForeign(f *testing.F) {
	for i, s := range corpusSchemas {
		f.Add([]byte(s), []byte(corpusValues[i%len(corpusValues)]))
	}
	for _, s := range []string{
		`{"pattern":"(?=a)"}`, `{"$ref":"#/x"}`, `{"$ref":"http://example.org"}`, `{"items":[{}]}`, `{"type":"strong"}`, `{"$id":"a","$defs":{"b":{"$id":"a"}}}`,
		`{"$schema":"x"}`, `{"properties":[]}`, `{"required":["a","a"]}`, `true`, `{"minLength":-1}`, `{"enum":[]}`, `{"additionalProperties":3}`,
	} {
		f.Add([]byte(s), []byte(`{}`))
	}
	f.Fuzz(func(t *testing.T, text, data []byte) {
		s, err := schema.CompileForeign(text)
		if quick := schema.CheckForeign(text); (quick == nil) != (err == nil) {
			t.Fatalf("schema %q: compiled %v, checked %v", text, err, quick)
		}
		if err != nil {
			if _, ok := schema.AsError(err); !ok {
				t.Fatalf("schema %q: %T is no error of a schema", text, err)
			}
			return
		}
		if s.Accept(data) && !s.Judge(data) {
			t.Fatalf("schema %q: the acceptor admits %q, the validator does not", text, data)
		}
	})
}

// FuzzCanonical: one spelling for one value, and it is JSON of that value.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[ 1.0, -0, "\u00e9" ]}`, `"\ud800"`, `{"a":1,"a":2}`, ` null `, `"\u2028<>"`, `1e400`, `[[[]]]`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := schema.Canonical(data)
		if err != nil {
			if schema.Scan(data) == nil {
				t.Fatalf("%q is fine and has no spelling: %v", data, err)
			}
			return
		}
		twice, err := schema.Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q: once %q, twice %q, %v", data, once, twice, err)
		}
		if !json.Valid(once) || !json.Valid(data) {
			t.Fatalf("%q is spelt %q", data, once)
		}
	})
}
