package tsclient_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/tsclient"
)

// typeOf answers what a schema becomes, on one line.
func typeOf(t *testing.T, schema string) string {
	t.Helper()
	out, err := tsclient.Types([]byte(`{"paths":{},"components":{"schemas":{"X":` + schema + `}}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(out), "schemas: {\n")
	text, _, ended := strings.Cut(rest, "\n    };\n    responses: never;")
	if !found || !ended {
		t.Fatalf("no schemas in:\n%s", out)
	}
	return strings.Join(strings.Fields(text), " ")
}

func TestTypesOfSchemas(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want string }{
		"a text":                     {`{"type":"string","minLength":1}`, `X: string;`},
		"a number":                   {`{"type":"integer"}`, `X: number;`},
		"anything":                   {`{}`, `X: unknown;`},
		"anything, said so":          {`true`, `X: unknown;`},
		"nothing":                    {`false`, `X: never;`},
		"an empty object":            {`{"type":"object","additionalProperties":false}`, `X: Record<string, never>;`},
		"a reference":                {`{"$ref":"#/components/schemas/Y","description":"said there"}`, `/** said there */ X: components["schemas"]["Y"];`},
		"a choice":                   {`{"type":"string","enum":["a","b"]}`, `X: "a" | "b";`},
		"a choice of all kinds":      {`{"enum":["a",1,true,null]}`, `X: "a" | 1 | true | null;`},
		"a choice or null":           {`{"type":["string","null"],"enum":["a"]}`, `X: "a" | null;`},
		"a constant":                 {`{"const":"a"}`, `X: "a";`},
		"several types":              {`{"type":["string","null"]}`, `X: string | null;`},
		"one of two":                 {`{"oneOf":[{"type":"string"},{"type":"null"}]}`, `X: string | null;`},
		"one of two objects":         {`{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"$ref":"#/components/schemas/Y"},{"$ref":"#/components/schemas/Z"}]}`, `X: { a?: string; } & (components["schemas"]["Y"] | components["schemas"]["Z"]);`},
		"any of two":                 {`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"number"}}]}`, `X: string | number[];`},
		"a list":                     {`{"type":"array","items":{"type":"string"}}`, `X: string[];`},
		"a list of anything":         {`{"type":"array"}`, `X: unknown[];`},
		"a list of lists":            {`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, `X: string[][];`},
		"a list of choices":          {`{"type":"array","items":{"enum":["a | b","c"]}}`, `X: ("a | b" | "c")[];`},
		"a list of one odd choice":   {`{"type":"array","items":{"enum":["a | b"]}}`, `X: "a | b"[];`},
		"a list of what may be null": {`{"type":"array","items":{"oneOf":[{"$ref":"#/components/schemas/Y"},{"type":"null"}]}}`, `X: (components["schemas"]["Y"] | null)[];`},
		"a tuple":                    {`{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}`, `X: [string, number];`},
		"required and not":           {`{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `X: { a: string; b?: string; };`},
		"a map":                      {`{"type":"object","additionalProperties":{"type":"number"}}`, `X: { [key: string]: number; };`},
		"an open object":             {`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, `X: { a?: string; } & { [key: string]: unknown; };`},
		"all of two":                 {`{"required":["a"],"allOf":[{"properties":{"a":{"type":"string"}}},{"$ref":"#/components/schemas/Y"}]}`, `X: { a: string; } & components["schemas"]["Y"];`},
		"a description":              {`{"type":"object","properties":{"a":{"type":"string","description":"The first.","default":"x"}}}`, `X: { /** * The first. * @default "x" */ a?: string; };`},
		"a comment that would end":   {`{"type":"string","description":"*/ evil(); /*"}`, `/** * / evil(); /* */ X: string;`},
		"a name that is none":        {`{"type":"object","properties":{"a-b":{"type":"string"},"\"]; evil":{"type":"string"},"1":{"type":"string"}}}`, `X: { "a-b"?: string; "\"]; evil"?: string; "1"?: string; };`},
		"text that turns":            {`{"enum":["\u202eabc","\u0000\n"]}`, `X: "\u202eabc" | "\u0000\n";`},
		"brackets in a comment":      {`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string","description":"} | {"}}}}`, `X: { /** } | { */ a?: string; }[];`},
		"what must be of a part":     {`{"required":["a"],"allOf":[{"required":["b"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}]}`, `X: { a: string; b: string; };`},
		"text that hides":            {`{"type":"string","description":"a\u200bb"}`, `/** a<U+200B>b */ X: string;`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := typeOf(t, tt.schema); got != tt.want {
				t.Errorf("it becomes\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A header that is described elsewhere is always sent; one that is described in place may be.
func TestTypesOfHeaders(t *testing.T) {
	out, err := tsclient.Types([]byte(`{"paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"headers":{` +
		`"Link":{"$ref":"#/components/headers/Link"},"X-Count":{"schema":{"type":"integer"}}}}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`Link: components["headers"]["Link"];`, `"X-Count"?: number;`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in\n%s", want, out)
		}
	}
}

// An object that is described in place stands below what it is of, a level further in.
func TestTypesOfParameters(t *testing.T) {
	out, err := tsclient.Types([]byte(`{"paths":{"/a":{"get":{"operationId":"a","parameters":[{"name":"f","in":"query","schema":{"type":"object","properties":{"x":{"type":"string"}}}}]}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = "            query?: {\n                f?: {\n                    x?: string;\n                };\n            };\n"
	if !strings.Contains(string(out), want) {
		t.Errorf("it lacks\n%s\n%s", want, out)
	}
}

func TestTypesNeedPaths(t *testing.T) {
	for _, doc := range []string{``, `null`, `{}`, `{"paths":[]}`} {
		if out, err := tsclient.Types([]byte(doc)); err == nil {
			t.Errorf("%q becomes %s", doc, out)
		}
	}
}
