package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestWrappedSchemas(t *testing.T) {
	for _, c := range []struct{ name, schema, inside, root string }{
		{"an array", `{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"}}`, ""},
		{"the dialect moves to the root", `{"$schema":"x:y","type":"string"}`, `{"type":"string"}`, `"$schema":"x:y",`},
		{
			"references within move along", `{"$ref":"#/$defs/N","$defs":{"N":{"items":{"$ref":"#/$defs/N"},"not":{"$ref":"#"}}}}`,
			`{"$ref":"#/properties/result/$defs/N","$defs":{"N":{"items":{"$ref":"#/properties/result/$defs/N"},"not":{"$ref":"#/properties/result"}}}}`, "",
		},
		{"anchors do not", `{"$ref":"#here","$defs":{"a":{"$anchor":"here"}}}`, `{"$ref":"#here","$defs":{"a":{"$anchor":"here"}}}`, ""},
		{"an id of its own", `{"$id":"u:v","$ref":"#/$defs/a"}`, `{"$id":"u:v","$ref":"#/$defs/a"}`, ""},
		{
			"an id within", `{"allOf":[{"$id":"u:v","items":{"$ref":"#/x"}},{"$ref":"#/y"}]}`,
			`{"allOf":[{"$id":"u:v","items":{"$ref":"#/x"}},{"$ref":"#/properties/result/y"}]}`, "",
		},
		{
			"values are no schemas", `{"enum":[{"$ref":"#/x"}],"const":{"$ref":"#"},"default":[{"$ref":"#"}],"examples":[{"$ref":"#"}]}`,
			`{"enum":[{"$ref":"#/x"}],"const":{"$ref":"#"},"default":[{"$ref":"#"}],"examples":[{"$ref":"#"}]}`, "",
		},
		{
			"names are no keywords", `{"items":{"properties":{"$ref":{"$ref":"#/x"},"enum":{"$ref":"#"},"$id":{"$ref":"#"}}}}`,
			`{"items":{"properties":{"$ref":{"$ref":"#/properties/result/x"},"enum":{"$ref":"#/properties/result"},"$id":{"$ref":"#/properties/result"}}}}`, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := `{` + c.root + `"type":"object","properties":{"result":` + c.inside + `},"required":["result"]}`
			if d := cmp.Diff(want, string(wrapSchema(json.RawMessage(c.schema)))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWhatDescribesAnObject(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object"}`: true, `{"properties":{}}`: true, `{"type":"array","properties":{}}`: false, `{}`: false,
		`{"type":["object","null"]}`: false, `{"anyOf":[]}`: false, `{"$ref":"#/$defs/a"}`: false,
	} {
		if got := describesObject(json.RawMessage(schema)); got != want {
			t.Errorf("%s: %v", schema, got)
		}
	}
	if out, native := outputOf(json.RawMessage(`{"type":"array"}`), false); native != nil || string(out) != `{"type":"array"}` {
		t.Error("a server of an older revision may not say that")
	}
}

func TestSecretsInSchemas(t *testing.T) {
	const token = "tok_0123456789"
	m := newMasker(Server{Secrets: map[string]string{"T": token}})
	in := `{"type":"object","title":"of ` + token + `","properties":{"description":{"enum":["` + token + `"],"default":"` + token + `","description":"is ` + token + `"},"` + token + `":{}},"anyOf":[{"$comment":"` + token + `"}]}`
	want := strings.NewReplacer(`"of `+token, `"of [hidden]`, `"default":"`+token, `"default":"[hidden]`, `is `+token, `is [hidden]`, `"$comment":"`+token, `"$comment":"[hidden]`).Replace(in)
	if d := cmp.Diff(want, string(m.maskSchema(json.RawMessage(in)))); d != "" {
		t.Error(d)
	}
	for _, same := range []string{`{"type":"object","properties":{ } }`, `{}`, `null`} {
		if got := string(m.maskSchema(json.RawMessage(same))); got != same {
			t.Errorf("%s became %s", same, got)
		}
	}
	r := capabilities.Result{Extra: json.RawMessage(`{"x":"` + token + `"}`)}
	if m.maskResult(&r); string(r.Extra) != `{"x":"[hidden]"}` {
		t.Errorf("extra members %s", r.Extra)
	}
}

func TestMembersAreJoined(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"content":[]}`, ""},
		{`{"content":[],"isError":false,"_meta":{},"structuredContent":1,"resultType":"complete","requestState":"s"}`, ""},
		{`{"b":1,"content":[],"a":{"x":[1e400]},"b":9007199254740993}`, `{"a":{"x":[1e400]},"b":9007199254740993}`},
	} {
		r, f := readResult(json.RawMessage(c.in), false)
		if f != nil {
			t.Fatal(f)
		}
		if d := cmp.Diff(c.want, string(r.Extra)); d != "" {
			t.Error(d)
		}
	}
	if r, _ := readResult(json.RawMessage(`{"structuredContent":null}`), true); string(r.Structured) != "null" {
		t.Errorf("null is %q", r.Structured)
	}
}
