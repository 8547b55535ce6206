package openapi_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

type deps struct{}

type label struct {
	Text string `json:"text" jsonschema_description:"The text."`
}

type listInput struct {
	capabilities.PageInput
	Tags []string `json:"tags,omitempty" jsonschema_description:"Only with all of these."`
}

type server struct {
	Host string `json:"host" jsonschema_description:"The host."`
}

type card struct {
	ID     int64   `json:"id" jsonschema_description:"The number."`
	Server *server `json:"server,omitempty" jsonschema_description:"Where it is kept."`
	Labels []label `json:"labels" jsonschema_description:"The labels."`
}

type createInput struct {
	Board   string  `json:"board" jsonschema:"minLength=1" jsonschema_description:"The board."`
	Text    string  `json:"text" jsonschema_description:"The text."`
	Labels  []label `json:"labels,omitempty" jsonschema_description:"The labels."`
	NoMatch bool    `json:"if_none_match,omitempty" jsonschema_description:"For a new one only."`
}

type setInput struct {
	ID    int64  `json:"id" jsonschema_description:"The number."`
	Text  string `json:"text,omitempty" jsonschema_description:"The text."`
	Match string `json:"if_match" jsonschema_description:"What was read."`
}

type idInput struct {
	ID int64 `json:"id" jsonschema_description:"The number."`
}

type picture struct {
	Width int `json:"width" jsonschema_description:"In points."`
}

func (picture) Blocks() []capabilities.Block { return nil }

// boards is a registry with a route of every method and what a document has to
// say about it.
func boards(t *testing.T) *capabilities.Registry {
	t.Helper()
	pack := capabilities.NewPack[deps](capabilities.PackInfo{Name: "boards", Title: "Boards", Summary: "Keep cards on boards."})
	full := pack.Code("board_full", capabilities.Conflict, "the board is full", "take a card off")
	declare(pack, capabilities.Spec{
		Name: "list_cards", Effect: capabilities.Read(capabilities.Shared), Route: "GET /cards",
		Examples: []capabilities.Example{
			{Name: "Two tags, 0 to 9!", In: `{"tags":["a","b"]}`},
			{Name: "the same", In: `{"tags":["a","b"],"limit":3}`},
			{Name: "refused", In: `{"limit":0}`, Refuses: capabilities.Invalid},
		},
	}, func(context.Context, deps, listInput) (out capabilities.Page[card], err error) { return out, nil })
	declare(pack, capabilities.Spec{
		Name: "create_card", Effect: capabilities.Append(capabilities.Shared), Route: "POST /boards/{board}/cards", Undo: "delete_card",
		Refuses:  capabilities.Codes{full},
		Examples: []capabilities.Example{{Name: "one", In: `{"board":"b","text":"t","if_none_match":true}`}},
		Aliases:  []capabilities.Alias{{Name: "add_card", Since: "1", Until: "2"}},
	}, func(context.Context, deps, createInput) (out card, err error) { return out, nil })
	declare(pack, capabilities.Spec{Name: "set_card", Effect: capabilities.Set(capabilities.Shared), Route: "PUT /cards/{id}"},
		func(context.Context, deps, setInput) (out card, err error) { return out, nil })
	declare(pack, capabilities.Spec{Name: "delete_card", Effect: capabilities.Destroy(capabilities.Private), Route: "DELETE /cards/{id}"},
		func(context.Context, deps, idInput) (out card, err error) { return out, nil })
	declare(pack, capabilities.Spec{Name: "draw_card", Effect: capabilities.Read(capabilities.World), Route: "POST /cards/{id}/picture"},
		func(context.Context, deps, idInput) (out picture, err error) { return out, nil })
	reg, err := capabilities.Assemble(pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func declare[In, Out any](p *capabilities.Pack[deps], s capabilities.Spec, h func(context.Context, deps, In) (Out, error)) {
	s.Title, s.Summary = "Title of "+s.Name, "Summary of "+s.Name+"."
	capabilities.Declare(p, s, h)
}

func describeBoards(t *testing.T, more ...*capabilities.Capability) map[string]any {
	t.Helper()
	reg := boards(t)
	for c := range reg.All() {
		more = append(more, c)
	}
	doc, err := openapi.Document(openapi.Options{Title: "T", Version: "1", Packs: reg.Packs(), Codes: reg.Codes()}, more)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, doc)
}

// at follows keys into decoded JSON.
func at(t *testing.T, v any, keys ...string) any {
	t.Helper()
	for i, k := range keys {
		o, ok := v.(map[string]any)
		if !ok || o[k] == nil {
			t.Fatalf("there is no %s", strings.Join(keys[:i+1], " > "))
		}
		v = o[k]
	}
	return v
}

func TestOperation(t *testing.T) {
	const writes = `{"$ref":"#/components/parameters/DryRun"},{"$ref":"#/components/parameters/IdempotencyKey"}`
	doc := describeBoards(t)
	for _, c := range []struct{ name, path, method, key, want string }{
		{"a read takes its fields in the query", "/cards", "get", "parameters", `[
			{"name":"cursor","in":"query","description":"Where to go on: next_cursor of the page before. Absent for the first page.","schema":{"type":"string"}},
			{"name":"limit","in":"query","description":"How many items at most.","schema":{"type":"integer","format":"int32","default":100,"minimum":1,"maximum":1000},
				"examples":{"the-same":{"summary":"the same","value":3}}},
			{"name":"tags","in":"query","description":"Only with all of these.","style":"form","explode":true,"schema":{"type":"array","items":{"type":"string"}},
				"examples":{"two-tags-0-to-9":{"summary":"Two tags, 0 to 9!","value":["a","b"]}}}]`},
		{"a write takes a path field, conditions, a rehearsal and a key", "/boards/{board}/cards", "post", "parameters", `[
			{"name":"board","in":"path","description":"The board.","required":true,"schema":{"type":"string","minLength":1},"examples":{"one":{"summary":"one","value":"b"}}},
			{"name":"If-None-Match","in":"header","schema":{"type":"string","enum":["*"]},
				"description":"Refuse the call when what it would create is already there (RFC 9110 section 13.1.2). For a new one only."},` + writes + `]`},
		{"a required condition", "/cards/{id}", "put", "parameters", `[
			{"name":"id","in":"path","description":"The number.","required":true,"schema":{"type":"integer","format":"int64"}},
			{"name":"If-Match","in":"header","required":true,"schema":{"type":"string"},
				"description":"The version the caller read: the call is refused as stale_version when it is no longer the current one (RFC 9110 section 13.1.1). What was read."},` + writes + `]`},
		{"a read by POST takes neither rehearsal nor key", "/cards/{id}/picture", "post", "parameters", `[
			{"name":"id","in":"path","description":"The number.","required":true,"schema":{"type":"integer","format":"int64"}}]`},
		{"a body holds what is not elsewhere", "/boards/{board}/cards", "post", "requestBody", `{"required":true,"content":{"application/json":{
			"schema":{"$ref":"#/components/schemas/CreateCardInput"},"examples":{"one":{"summary":"one","value":{"text":"t"}}}}}}`},
		{"a body without required fields may be absent", "/cards/{id}", "put", "requestBody", `{"required":false,"content":{"application/json":{
			"schema":{"$ref":"#/components/schemas/SetCardInput"}}}}`},
		{"the effect", "/boards/{board}/cards", "post", "x-holotype-effect", `{"change":"append","reach":"shared","undo":"delete_card"}`},
		{"the hints", "/cards/{id}", "delete", "x-holotype-hints", `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`},
		{"old names", "/boards/{board}/cards", "post", "x-holotype-aliases", `[{"name":"add_card","since":"1","until":"2"}]`},
		{"an answer", "/cards", "get", "responses", `{"200":{"description":"The call was carried out.","headers":{"X-Request-Id":{"$ref":"#/components/headers/RequestId"}},
			"content":{"application/json":{"schema":{"$ref":"#/components/schemas/ListCardsOutput"}}}},
			"400":{"$ref":"#/components/responses/Refused400InvalidOpIdInvalid"},"401":{"$ref":"#/components/responses/Refused401Unauthenticated"},
			"403":{"$ref":"#/components/responses/Refused403ForbiddenApprovalNeeded"},
			"406":{"$ref":"#/components/responses/Refused406Invalid"},"408":{"$ref":"#/components/responses/Refused408Timeout"},"413":{"$ref":"#/components/responses/Refused413TooLarge"},
			"429":{"$ref":"#/components/responses/Refused429RateLimited"},"500":{"$ref":"#/components/responses/Refused500InternalError"},
			"503":{"$ref":"#/components/responses/Refused503Unavailable"},"504":{"$ref":"#/components/responses/Refused504Timeout"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := at(t, doc, "paths", c.path, c.method, c.key)
			want := parsed(t, []byte(`{"v":`+c.want+`}`))["v"]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if body := at(t, doc, "paths", "/cards/{id}", "delete").(map[string]any)["requestBody"]; body != nil {
		t.Errorf("nothing is left for a body: %v", body)
	}
}

func TestComponents(t *testing.T) {
	doc := describeBoards(t)
	for _, c := range []struct{ name, kind, component, want string }{
		{"a body without what travels elsewhere", "schemas", "CreateCardInput", `{"type":"object","additionalProperties":false,"required":["text"],
			"properties":{"text":{"type":"string","description":"The text."},
			"labels":{"type":"array","items":{"$ref":"#/components/schemas/LabelInput"},"description":"The labels."}}}`},
		{"a shared type in inputs is closed", "schemas", "LabelInput", `{"type":"object","additionalProperties":false,"required":["text"],
			"properties":{"text":{"type":"string","description":"The text."}}}`},
		{"the same type in outputs is open", "schemas", "Label", `{"type":"object","required":["text"],"properties":{"text":{"type":"string","description":"The text."}}}`},
		{"a type that generators have already", "schemas", "ServerObject", `{"type":"object","required":["host"],"properties":{"host":{"type":"string","description":"The host."}}}`},
		{"a result with blocks", "schemas", "DrawCardResult", `{"type":"object","description":"The result of a tool: what people and models read, and the same for programs.",
			"required":["content","structuredContent"],"properties":{"content":{"type":"array","items":{"$ref":"#/components/schemas/ContentBlock"},"description":"The content blocks, in order."},
			"structuredContent":{"$ref":"#/components/schemas/DrawCardOutput"}}}`},
		{"a pack's own code", "responses", "Refused409BoardFull", `{"description":"Refused:\n\n- ` + "`board_full`" + `: the board is full; take a card off",
			"headers":{"X-Request-Id":{"$ref":"#/components/headers/RequestId"}},"x-holotype-codes":["board_full"],
			"content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := at(t, doc, "components", c.kind, c.component)
			if diff := cmp.Diff(any(parsed(t, []byte(c.want))), got); diff != "" {
				t.Error(diff)
			}
		})
	}
	waits := at(t, doc, "components", "responses", "Refused429RateLimited", "headers").(map[string]any)
	if waits["Retry-After"] == nil {
		t.Error("429 does not say how long to wait")
	}
	codes := at(t, doc, "components", "schemas", "Problem", "properties", "code", "enum").([]any)
	if len(codes) != len(capabilities.BaseCodes())+1 || codes[len(codes)-1] != "board_full" {
		t.Errorf("a problem has the codes %v", codes)
	}
}

func TestBridgedOperation(t *testing.T) {
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__do-it", Tool: "do-it", Server: "Far away/{x}", Title: "a\u202eb", Input: json.RawMessage(`{"type":"object"}`),
		Hints: capabilities.HintFacts{
			ReadOnly:    capabilities.HintFact{Value: capabilities.No, From: capabilities.FromOverride, Raw: json.RawMessage(`true`)},
			Destructive: capabilities.HintFact{Raw: json.RawMessage(`"yes"`), From: capabilities.FromServer},
		},
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	doc := describeBoards(t, c)
	op := at(t, doc, "paths", "/servers/Far%20away%2F%7Bx%7D/tools/do-it", "post")
	for key, want := range map[string]string{
		"x-holotype-effect":       `{"asserts":"writes"}`,
		"x-holotype-hints":        `{"readOnlyHint":false}`,
		"x-holotype-hint-sources": `{"readOnlyHint":{"from":"override","sent":true},"destructiveHint":{"from":"server","sent":"yes"}}`,
		"requestBody":             `{"required":false,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/FarDoItInput"}}}}`,
	} {
		if diff := cmp.Diff(any(parsed(t, []byte(want))), at(t, op, key)); diff != "" {
			t.Errorf("%s:\n%s", key, diff)
		}
	}
	for key, want := range map[string]string{
		"operationId": "far__do-it", "summary": "a[U+202E]b", "x-holotype-source": "mcp:Far away/{x}",
		"description": "Call the tool do-it of the MCP server Far away/{x}, which does not describe it.",
	} {
		if got := at(t, op, key); got != want {
			t.Errorf("%s is %q", key, got)
		}
	}
	if op.(map[string]any)["parameters"] != nil {
		t.Errorf("a bridged tool takes its arguments in the body alone: %v", op)
	}
	if got := at(t, op, "responses", "200", "content", "application/json", "schema", "$ref"); got != "#/components/schemas/ToolResult" {
		t.Errorf("the answer is %v", got)
	}
	want := []any{
		map[string]any{"name": "boards", "description": "Keep cards on boards.", "x-displayName": "Boards"},
		map[string]any{"name": "Far away/{x}", "description": "Tools of the bridged MCP server Far away/{x}."},
	}
	if diff := cmp.Diff(any(want), at(t, doc, "tags")); diff != "" {
		t.Error(diff)
	}
}

func TestServer(t *testing.T) {
	for given, want := range map[string]string{"": "/api/v1", "https://h.example/api/v1/": "https://h.example/api/v1"} {
		doc, err := openapi.Document(openapi.Options{Title: "T", Version: "1", ServerURL: given}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := at(t, parsed(t, doc), "servers").([]any)[0].(map[string]any)["url"]; got != want {
			t.Errorf("%q gives %q", given, got)
		}
	}
}

// TestNamesStayApart describes tools whose names become one type name, and a
// definition that would take a name of the document's own.
func TestNamesStayApart(t *testing.T) {
	doc := describeBoards(t,
		bridged(t, "a-b", `{"type":"object","properties":{"x":{"$ref":"#/$defs/n-n"},"y":{"$ref":"#/$defs/N_N"}},"$defs":{"n-n":{"type":"string"},"N_N":{"type":"integer"}}}`),
		bridged(t, "a_b", `{"type":"object","properties":{"z":{"type":"boolean"}}}`),
		bridged(t, "A__B", `{"type":"object","properties":{"日本":{"$ref":"#/$defs/日本"}},"$defs":{"日本":{"type":"string"}}}`),
	)
	refs := map[any]string{}
	for _, tool := range []string{"a-b", "a_b", "A__B"} {
		ref := at(t, doc, "paths", "/servers/s/tools/"+tool, "post", "requestBody", "content", "application/json", "schema", "$ref")
		if other, taken := refs[ref]; taken {
			t.Errorf("%s and %s share %v", other, tool, ref)
		}
		refs[ref] = tool
		name := strings.TrimPrefix(ref.(string), "#/components/schemas/")
		at(t, doc, "components", "schemas", name, "properties", map[string]string{"a-b": "x", "a_b": "z", "A__B": "日本"}[tool])
	}
	if len(refs) != 3 {
		t.Errorf("%v", refs)
	}
}

func TestTwoCapabilitiesOfOneRouteAreAFault(t *testing.T) {
	_, err := openapi.Document(openapi.Options{Title: "T", Version: "1"}, []*capabilities.Capability{
		bridged(t, "t", `{"type":"object"}`), bridged(t, "t", `{"type":"object"}`),
	})
	if err == nil || !strings.Contains(err.Error(), "s__t") {
		t.Errorf("the error is %v", err)
	}
}

// TestHostileSizesEnd describes schemas that a careless reader would write out or
// compare with each other at length.
func TestHostileSizesEnd(t *testing.T) {
	wide := strings.Builder{}
	for i := range 20_000 {
		wide.WriteString(`"w` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "_" + itoa(i) + `":{"type":"string"},`)
	}
	for name, schema := range map[string]string{
		"an exponent":     `{"type":"object","properties":{"p":{"type":"integer","minimum":1e400,"multipleOf":1e-400}}}`,
		"many properties": `{"type":"object","properties":{` + strings.TrimSuffix(wide.String(), ",") + `}}`,
		"many words":      `{"type":"object","properties":{"p":{` + strings.TrimSuffix(wide.String(), ",") + `}}}`,
		"a chain":         chain(5_000),
	} {
		t.Run(name, func(t *testing.T) {
			if got := inputs(t, describe(t, bridged(t, "t", schema))); got[""] == nil {
				t.Error("it is not described")
			}
		})
	}
}

// chain is n definitions, each a reference to the next.
func chain(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{`)
	for i := range n {
		b.WriteString(`"d` + itoa(i) + `":{"$ref":"#/$defs/d` + itoa(i+1) + `"},`)
	}
	return b.String() + `"d` + itoa(n) + `":{"type":"string"}}}`
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }
