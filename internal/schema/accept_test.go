package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// corpusSchemas are small schemas that each lean on one rule of the acceptor, or on a keyword it must not pretend to know.
var corpusSchemas = []string{
	`true`, `false`, `{}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":["integer","null"]}`, `{"type":["number","string"]}`,
	`{"type":"string","minLength":2,"maxLength":4}`, `{"minLength":1}`, `{"pattern":"^a+$"}`, `{"pattern":"\\u00e9"}`,
	`{"format":"date"}`, `{"format":"date-time"}`, `{"format":"uuid"}`, `{"format":"email"}`, `{"format":"hostname"}`, `{"format":"ipv4"}`,
	`{"format":"uri"}`, `{"format":"ipv6"}`, `{"format":"regex"}`, `{"format":"time"}`, `{"format":"nobody-knows"}`,
	`{"minimum":1}`, `{"minimum":-1.5}`, `{"maximum":2}`, `{"maximum":2.5}`, `{"exclusiveMinimum":1}`, `{"exclusiveMaximum":2}`,
	`{"exclusiveMinimum":-0.5,"exclusiveMaximum":0.5}`, `{"minimum":1,"maximum":1}`, `{"multipleOf":2}`, `{"multipleOf":0.5}`,
	`{"minimum":-9223372036854775808}`, `{"maximum":9007199254740993}`, `{"minimum":1e300}`,
	`{"enum":["a","b",1,1.5,null,true,{"k":1},[1],"é","\"","\n"]}`, `{"const":0}`, `{"const":"a"}`, `{"enum":[1,2],"const":2}`, `{"const":-0}`,
	`{"items":{"type":"integer"}}`, `{"minItems":1,"maxItems":2}`, `{"uniqueItems":true}`, `{"uniqueItems":true,"items":{"type":"string"}}`,
	`{"prefixItems":[{"type":"integer"}],"items":{"type":"string"}}`, `{"contains":{"type":"integer"}}`, `{"items":false}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"integer"}],"additionalItems":{"type":"string"}}`,
	`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"A":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/A","minimum":5}}}`,
	`{"definitions":{"A":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/A","minimum":5}}}`,
	`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
	`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a","z"]}`, `{"required":["a"],"additionalProperties":{"type":"integer"}}`,
	`{"properties":{"a":false}}`, `{"minProperties":1,"maxProperties":2}`, `{"patternProperties":{"^a":{"type":"integer"}}}`,
	`{"patternProperties":{"^a":{"type":"integer"}},"additionalProperties":false}`, `{"propertyNames":{"type":"string"},"additionalProperties":{"type":"integer"}}`,
	`{"propertyNames":{"maxLength":1}}`, `{"propertyNames":false}`, `{"dependentRequired":{"a":["b"]}}`, `{"dependencies":{"a":["b"]}}`,
	`{"dependentSchemas":{"a":{"required":["b"]}}}`, `{"unevaluatedProperties":false,"properties":{"a":{}}}`, `{"unevaluatedItems":false,"prefixItems":[true]}`,
	`{"allOf":[{"required":["a"]},{"properties":{"a":{"type":"integer"}}}]}`, `{"anyOf":[{"type":"string"},{"minimum":2}]}`,
	`{"anyOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`, `{"oneOf":[{"type":"string"},{"type":"null"}]}`,
	`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `{"oneOf":[{"$ref":"#/$defs/S"},{"type":"null"}],"$defs":{"S":{"type":"string"}}}`,
	`{"anyOf":[{"type":"string"}],"oneOf":[{"type":"string","maxLength":2},{"type":"null"}]}`, `{"oneOf":[true,true]}`,
	`{"not":{"type":"string"}}`, `{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `{"anyOf":[{"$ref":"#"},{"type":"integer"}]}`,
	`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/a"}},"additionalProperties":false}`,
	`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/A"}}}}}}`,
	`{"$id":"https://example.org/x","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"integer"}}}`,
	`{"$id":"https://example.org/x","properties":{"a":{"$ref":"y"}},"$defs":{"A":{"$id":"y","type":"integer","$defs":{"B":{}}}}}`,
	`{"properties":{"a":{"$ref":"#here"}},"$defs":{"A":{"$anchor":"here","type":"integer"}}}`,
	`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}},"type":"object"}`,
	`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},"type":"object"}`,
	`{"minProperties":1.0}`, `{"maxProperties":1.0}`, `{"minItems":1.0}`, `{"maxItems":1e0}`, `{"minLength":1.0}`, `{"maxLength":1e0}`, `{"multipleOf":1.0}`, `{"minimum":1.0}`,
	`{"type":"string","nullable":true}`, `{"type":"string","nullable":true,"enum":["a"]}`, `{"enum":["a"],"nullable":true}`, `{"contentMediaType":"application/json","contentEncoding":"base64"}`,
}

// corpusValues meet the schemas above in their edges.
var corpusValues = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `2`, `3`, `4`, `-1`, `-2`, `1.0`, `1.5`, `0.5`, `-0.5`, `-1.5`, `2.5`, `2.50`, `1e2`, `1E-2`, `9007199254740993`, `9007199254740994`, `1e300`, `-9223372036854775809`,
	`""`, `"a"`, `"aa"`, `"aaaaa"`, `"é"`, `"éé"`, `"ééééé"`, `"\u0061"`, `"\n"`, `"b"`, `"z"`, `"😀"`, `"2026-02-28"`, `"2026-02-29"`, `"2024-02-29"`, `"2026-13-01"`, `"0000-01-01"`,
	`"2026-01-31T09:30:00Z"`, `"2026-01-31T09:30:00.123+02:00"`, `"2026-01-31t09:30:00z"`, `"2026-01-31T23:59:60Z"`, `"2026-01-31T24:00:00Z"`, `"2026-01-31T09:30:00"`, `"2026-01-31T09:30:00.Z"`, `"2026-01-31T09:30:00+24:00"`,
	`"123e4567-e89b-12d3-a456-426614174000"`, `"123e4567e89b12d3a456426614174000"`, `"ada@example.org"`, `"ada..b@example.org"`, `".a@b"`, `"a@-b"`, `"a@b."`, `"www.example.org"`, `"a..b"`, `"-a"`, `"a-"`, `"a-.b"`,
	`"192.0.2.1"`, `"192.0.2.256"`, `"01.2.3.4"`, `"1.2.3"`, `"1.2.3.4.5"`, `"https://example.org/a?b=c"`, `"http://a/%zz"`, `"https://"`, `"https://a:99999/"`, `"/a"`, `"::1"`, `"(["`, `"09:30:00Z"`,
	`[]`, `[1]`, `[1,2]`, `[1,1]`, `[1,1.0]`, `[0,-0]`, `[1,2,3]`, `["a","b"]`, `["a","\u0061"]`, `["a","a"]`, `[1,"a"]`, `["a",1]`, `[[1],[1]]`, `[{"a":1},{"a":1.0}]`, `[null,null]`,
	`{}`, `{"a":1}`, `{"a":5}`, `{"a":"x"}`, `{"b":"x"}`, `{"a":1,"b":"x"}`, `{"b":"x","a":1}`, `{"a":1,"c":2}`, `{"a":1,"z":2}`, `{"z":1}`, `{"aa":"x"}`, `{"\u0061":1}`, `{"a":1,"\u0061":2}`, `{"a":1,"a":1}`, `{"q":1,"q":1}`,
	`{"a":{}}`, `{"a":{"a":{}}}`, `{"a":[{"a":[]}]}`, `{"a":[{"a":1}]}`, `{"b":{"a":{}}}`, `{"a":{"c":1}}`, `{"a":null}`, `{"long":1}`, `{"a":6,"b":1,"c":2}`,
	`{"a":"` + "\xff" + `"}`, `"\ud800"`, `{"a":1}x`, ``, ` {"a" : 1 } `, `[1,]`, strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 65) + strings.Repeat("]", 65),
	strings.Repeat(`{"a":`, 64) + `{}` + strings.Repeat("}", 64), strings.Repeat(`{"a":`, 63) + `{}` + strings.Repeat("}", 63),
}

// The one thing the acceptor must never do is admit what the validator refuses.
func TestAcceptorNeverAdmitsMore(t *testing.T) {
	values := slices.Clone(corpusValues)
	random := rand.New(rand.NewPCG(1, 2))
	for _, v := range corpusValues {
		for range 4 {
			values = append(values, string(mutate(random, []byte(v))))
		}
	}
	accepted, valid := 0, 0
	for _, text := range corpusSchemas {
		s := mustCompile(t, text)
		for _, v := range values {
			judged := s.Judge([]byte(v))
			if judged {
				valid++
			}
			if !s.Accept([]byte(v)) {
				continue
			}
			accepted++
			if !judged {
				t.Errorf("schema %s: the acceptor admits %q, the validator does not", text, v)
			}
			if got := s.Validate([]byte(v)); got != nil {
				t.Errorf("schema %s: %q is accepted and yet %v", text, v, render(got))
			}
		}
	}
	if accepted < 2000 {
		t.Errorf("only %d of %d valid pairs were accepted: the comparison shows little", accepted, valid)
	}
}

func TestAcceptorOnWireSchemas(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	valid, accepted, understood := 0, 0, 0
	list := wireSchemas(t)
	for _, w := range list {
		s, err := schema.CompileForeign(w.Schema)
		if err != nil {
			t.Fatal(err)
		}
		if s.HasAcceptor() {
			understood++
		}
		g := generator{random: random, root: decodeAny(t, w.Schema)}
		for range 12 {
			data := g.instance()
			for _, d := range [][]byte{data, mutate(random, data), mutate(random, mutate(random, data))} {
				judged, accept := s.Judge(d), s.Accept(d)
				if accept && !judged {
					t.Errorf("%s/%s: the acceptor admits %s", w.Server, w.Tool, d)
				}
				if judged {
					valid++
				}
				if accept {
					accepted++
				}
			}
		}
	}
	t.Logf("%d of %d schemas understood, %d of %d valid values accepted", understood, len(list), accepted, valid)
	if valid < 1000 || accepted*100 < valid*85 {
		t.Errorf("accepted %d of %d valid values, want at least 85%% of at least 1000", accepted, valid)
	}
}

// The shapes our own capabilities have: what invopop reflects from Go structs.
type (
	ticket struct {
		Project  string            `json:"project" jsonschema:"minLength=1,maxLength=40,pattern=^[A-Z]+$"`
		Title    string            `json:"title" jsonschema:"minLength=1,maxLength=200"`
		Body     string            `json:"body,omitempty" jsonschema:"maxLength=20000"`
		Kind     string            `json:"kind" jsonschema:"enum=bug,enum=task,enum=story"`
		Priority int               `json:"priority,omitempty" jsonschema:"minimum=1,maximum=5,default=3"`
		Labels   []string          `json:"labels,omitempty" jsonschema:"maxItems=20,uniqueItems=true"`
		Assignee string            `json:"assignee,omitempty" jsonschema:"format=email"`
		Due      time.Time         `json:"due,omitzero"`
		Estimate float64           `json:"estimate,omitempty" jsonschema:"minimum=0"`
		Parent   *int64            `json:"parent,omitempty"`
		Links    []link            `json:"links,omitempty"`
		Custom   map[string]string `json:"custom,omitempty"`
		Watch    bool              `json:"watch,omitempty"`
		Sub      []ticketPart      `json:"sub,omitempty"`
		Extra    json.RawMessage   `json:"extra,omitempty"`
	}
	link struct {
		URL  string `json:"url" jsonschema:"format=uri"`
		Text string `json:"text,omitempty" jsonschema:"nullable"`
	}
	ticketPart struct {
		Title string       `json:"title"`
		Parts []ticketPart `json:"parts,omitempty"`
	}
)

func reflected(t testing.TB, v any) *schema.Schema {
	t.Helper()
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	text, err := json.Marshal(r.Reflect(v))
	if err != nil {
		t.Fatal(err)
	}
	return mustCompile(t, string(text))
}

const fullTicket = `{"project":"WEB","title":"login loops on Safari","body":"Steps:\n1. open\n2. log in — see loop","kind":"bug","priority":2,"labels":["auth","safari"],` +
	`"assignee":"ada@example.org","due":"2026-01-31T09:30:00Z","estimate":2.5,"parent":9007199254740993,"links":[{"url":"https://example.org/a?b=c","text":"the log"},{"url":"https://example.org/b","text":null}],` +
	`"custom":{"team":"core","sprint":"12"},"watch":true,"sub":[{"title":"one","parts":[{"title":"two"}]}],"extra":{"a":[1,2.5e3,null]}}`

func TestAcceptorTakesReflectedStructs(t *testing.T) {
	s := reflected(t, &ticket{})
	if !s.Accept([]byte(fullTicket)) {
		t.Fatalf("the full ticket is not accepted; the validator says %v", render(s.Validate([]byte(fullTicket))))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(fullTicket), &fields); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	valid, accepted := 0, 0
	for range 2000 {
		var b bytes.Buffer
		b.WriteByte('{')
		for _, name := range slices.Collect(maps.Keys(fields)) {
			if random.IntN(3) > 0 || slices.Contains([]string{"project", "title", "kind"}, name) {
				if b.Len() > 1 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "%q: %s", name, fields[name])
			}
		}
		b.WriteByte('}')
		for _, data := range [][]byte{b.Bytes(), mutate(random, b.Bytes())} {
			judged, accept := s.Judge(data), s.Accept(data)
			if accept && !judged {
				t.Fatalf("the acceptor admits %s, the validator does not", data)
			}
			if judged {
				valid++
			}
			if accept {
				accepted++
			}
		}
	}
	if accepted*100 < valid*97 {
		t.Errorf("accepted %d of %d valid tickets, want at least 97%%", accepted, valid)
	}
}

func TestAcceptAllocatesNothing(t *testing.T) {
	s, data := reflected(t, &ticket{}), []byte(fullTicket)
	if n := testing.AllocsPerRun(200, func() {
		if !s.Accept(data) {
			t.Error("not accepted")
		}
	}); n != 0 {
		t.Errorf("Accept allocates %v times, want 0", n)
	}
}

// Alternatives that lead back to themselves, and rules that read the same bytes again and again, must end.
func TestAcceptIsBounded(t *testing.T) {
	again := `{"anyOf":[` + strings.Repeat(`{"type":"array","items":{"type":"string"}},`, 3000) + `{"type":"integer"}]}`
	for name, tt := range map[string]struct{ schema, data string }{
		"an alternative that is the schema itself": {`{"items":{"anyOf":[{"$ref":"#/items"}]}}`, "[" + strings.Repeat("1,", 1_000_000) + "1]"},
		"two levels of doubling":                   {`{"anyOf":[{"items":{"$ref":"#"},"minItems":9},{"items":{"$ref":"#"},"minItems":9}]}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		"thousands of alternatives":                {again, "[" + strings.Repeat(`"x",`, 500_000) + "1]"},
	} {
		t.Run(name, func(t *testing.T) {
			if mustCompile(t, tt.schema).Accept([]byte(tt.data)) {
				t.Error("accepted")
			}
		})
	}
}

// FuzzAccept holds the acceptor to the validator on schemas and values of the fuzzer's making.
func FuzzAccept(f *testing.F) {
	for i, s := range corpusSchemas {
		f.Add([]byte(s), []byte(corpusValues[i%len(corpusValues)]))
		f.Add([]byte(s), []byte(corpusValues[(i*31+7)%len(corpusValues)]))
	}
	f.Fuzz(func(t *testing.T, text, data []byte) {
		s, err := schema.Compile(text)
		if err != nil {
			return
		}
		if s.Accept(data) && !s.Judge(data) {
			t.Fatalf("schema %s: the acceptor admits %q, the validator does not", text, data)
		}
		for _, v := range s.Validate(data) {
			if v.Message == "" || v.Keyword == "" {
				t.Fatalf("schema %s: %q: empty violation %+v", text, data, v)
			}
		}
		for _, p := range s.Properties() {
			if f := schema.Scan(p.EncodeText("5")); f != nil {
				t.Fatalf("EncodeText: %v", f)
			}
		}
		if published, _, err := schema.Repair(text); err == nil {
			if f := schema.Scan(published); f != nil && len(text) < schema.MaxBytes-64 {
				t.Fatalf("Repair(%s) = %s: %v", text, published, f)
			}
		}
	})
}

// mutate changes a text a little, mostly so that it stays JSON.
func mutate(r *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	if len(out) == 0 {
		return []byte(`{}`)
	}
	pieces := []string{`1`, `-0`, `1.0`, `"x"`, `null`, `[]`, `{}`, `true`, `é`, `\u0061`, ` `, `,`, `"a":1,`, `9007199254740993`, "\xff", `e5`, `.5`}
	at := r.IntN(len(out))
	switch r.IntN(5) {
	case 0:
		return slices.Delete(out, at, min(len(out), at+1+r.IntN(3)))
	case 1:
		return slices.Insert(out, at, []byte(pieces[r.IntN(len(pieces))])...)
	case 2:
		out[at] = byte(r.IntN(256))
		return out
	case 3: // one digit or letter for another
		for i := range out {
			c := &out[(at+i)%len(out)]
			if *c >= '0' && *c <= '9' {
				*c = '0' + byte(r.IntN(10))
				return out
			}
		}
		return out
	default: // a piece of the text twice
		end := min(len(out), at+1+r.IntN(20))
		return slices.Insert(out, end, slices.Clone(out[at:end])...)
	}
}

func decodeAny(t testing.TB, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// generator writes values that mostly fit a schema.
type generator struct {
	random *rand.Rand
	root   any
}

func (g *generator) instance() []byte {
	data, err := json.Marshal(g.value(g.root, 0))
	if err != nil {
		return []byte("null")
	}
	return data
}

func (g *generator) value(at any, depth int) any {
	object, ok := at.(map[string]any)
	if !ok || depth > 12 {
		return "any"
	}
	if ref, ok := object["$ref"].(string); ok {
		target := g.root
		for _, token := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
			switch v := target.(type) {
			case map[string]any:
				target = v[token]
			}
		}
		return g.value(target, depth+1)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list, ok := object[keyword].([]any); ok {
			if _, typed := object["type"]; !typed {
				return g.value(list[g.random.IntN(len(list))], depth+1)
			}
		}
	}
	if v, ok := object["const"]; ok {
		return v
	}
	if list, ok := object["enum"].([]any); ok {
		return list[g.random.IntN(len(list))]
	}
	kind := object["type"]
	if list, ok := kind.([]any); ok {
		kind = list[g.random.IntN(len(list))]
	}
	switch kind {
	case "object":
		return g.object(object, depth)
	case "array":
		items := []any{}
		n, _ := object["minItems"].(float64)
		for range int(n) + g.random.IntN(2) {
			items = append(items, g.value(object["items"], depth+1))
		}
		return items
	case "integer", "number":
		low, _ := object["minimum"].(float64)
		return int(low) + g.random.IntN(3)
	case "boolean":
		return g.random.IntN(2) == 0
	case "null":
		return nil
	}
	return g.text(object)
}

func (g *generator) object(object map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || depth < 5 && g.random.IntN(2) == 0 {
			out[name] = g.value(properties[name], depth+1)
		}
	}
	return out
}

func (g *generator) text(object map[string]any) any {
	switch object["format"] {
	case "uri":
		return "https://example.org/a"
	case "uuid":
		return "123e4567-e89b-42d3-a456-426614174000"
	case "date-time":
		return "2026-01-31T09:30:00Z"
	case "date":
		return "2026-01-31"
	case "email":
		return "ada@example.org"
	}
	n, _ := object["minLength"].(float64)
	return strings.Repeat("a", max(int(n), g.random.IntN(5)))
}
