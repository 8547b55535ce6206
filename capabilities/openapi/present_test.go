package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
)

// shop is a document of 3.0 in YAML with what such documents have.
const shop = `
openapi: 3.0.3
info: {title: Shop, version: 1.2.0}
servers: [{url: "https://{host}/v1", variables: {host: {default: shop.example}}}]
paths:
  /pets:
    parameters:
      - {name: tenant, in: header, schema: {type: string}}
    get:
      operationId: listPets
      summary: List pets
      description: All of them, by page.
      parameters:
        - {name: limit, in: query, description: how many, schema: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true, example: 3}}
        - {name: "filter[kind]", in: query, schema: {$ref: "#/components/schemas/Kind"}}
        - {name: session, in: cookie, schema: {type: string}}
      responses:
        200: {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}
    post:
      operationId: add.pet
      deprecated: true
      requestBody: {required: true, description: the pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "201": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
  /pets/{id}:
    parameters: [{$ref: "#/components/parameters/id"}]
    get:
      responses: {"200": {$ref: "#/components/responses/pet"}}
    put:
      operationId: picture
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
    trace: {operationId: back}
    delete:
      operationId: listPets
components:
  parameters:
    id: {name: id, in: path, required: true, schema: {type: integer, format: int64}}
  responses:
    pet: {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
  schemas:
    Kind: {type: string, nullable: true, enum: [cat, dog]}
    Pet:
      type: object
      required: [id, name, key]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, xml: {name: n}}
        key: {type: string, writeOnly: true}
        kind: {$ref: "#/components/schemas/Kind"}
        parent: {allOf: [{$ref: "#/components/schemas/Pet"}], nullable: true}
`

func same(t *testing.T, what, want string, got []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &b); err != nil {
		t.Fatalf("%s: %v: %s", what, err, got)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func TestOperationsBecomeTools(t *testing.T) {
	r := run(t, openapi.Options{Document: file(t, "shop.yaml", shop)}).ready()
	const (
		kind = `"Kind":{"type":["string","null"],"enum":["cat","dog",null]}`
		pet  = `"properties":{"id":{"type":"integer","readOnly":true},"name":{"type":"string"},"key":{"type":"string","writeOnly":true},"kind":{"$ref":"#/$defs/Kind"},
			"parent":{"anyOf":[{"allOf":[{"$ref":"#/$defs/Pet"}]},{"type":"null"}]}}`
	)
	list := r.tool("listPets")
	same(t, "the input of listPets", `{"type":"object","additionalProperties":false,"properties":{"tenant":{"type":"string"},
		"limit":{"description":"how many","type":"integer","exclusiveMinimum":0,"exclusiveMaximum":9,"examples":[3]},"filter_kind_":{"$ref":"#/$defs/Kind"}},"$defs":{`+kind+`}}`, list.Input().Raw())
	if list.Output() != nil {
		t.Errorf("a list has the output schema %s", list.Output().Raw())
	}
	if list.Title() != "List pets" || list.Summary() != "List pets\n\nAll of them, by page." {
		t.Errorf("%q, %q", list.Title(), list.Summary())
	}
	add := r.tool("add_pet_" + suffix(t, r, "add_pet_"))
	same(t, "the input of add.pet", `{"type":"object","additionalProperties":false,"required":["body"],"properties":{"tenant":{"type":"string"},"body":{"description":"the pet","$ref":"#/$defs/Pet"}},
		"$defs":{"Pet":{"type":"object","required":["name","key"],`+pet+`},`+kind+`}}`, add.Input().Raw())
	same(t, "the output of add.pet", `{"type":"object","required":["id","name"],`+pet+`,"$defs":{"Pet":{"type":"object","required":["id","name"],`+pet+`},`+kind+`}}`, add.Output().Raw())
	if !strings.HasPrefix(add.Summary(), "[deprecated] POST /pets") {
		t.Errorf("%q", add.Summary())
	}
	one := r.tool("get_pets_by_id")
	same(t, "the input of the unnamed one", `{"type":"object","additionalProperties":false,"required":["id"],"properties":{"id":{"type":"integer","format":"int64"}}}`, one.Input().Raw())
	if one.Source() != "openapi:api" || one.Route().Path != "/servers/api/tools/get_pets_by_id" {
		t.Errorf("%s at %s", one.Source(), one.Route().Path)
	}
	for c := range r.live.For(capabilities.OwnerPrincipal()).All() {
		if h := c.Hints(); h.Asserted() {
			t.Errorf("%s asserts %+v, and nobody said so", c.Name(), h)
		}
	}
	want := []bridge.Skipped{
		{Tool: "PUT /pets/{id}", Reason: "it needs a body of multipart/form-data: JSON and application/x-www-form-urlencoded are sent"},
		{Tool: "DELETE /pets/{id}", Reason: `its name would be "listPets", which is that of GET /pets; the first one counts`},
		{Tool: "TRACE /pets/{id}", Reason: "TRACE answers with the request, and with the credential in it"},
	}
	st := r.status()
	if diff := cmp.Diff(want, st.Skipped); diff != "" {
		t.Errorf("skipped (-want +got)\n%s", diff)
	}
	if st.Transport != "openapi" || st.Version != "OpenAPI 3.0.3" || st.ServerName != "Shop" || st.ServerNumber != "1.2.0" || st.Tools != 3 {
		t.Errorf("%+v", st)
	}
}

// suffix is the hash at the end of the only tool of that beginning.
func suffix(t *testing.T, r *rig, begins string) string {
	t.Helper()
	for c := range r.live.For(capabilities.OwnerPrincipal()).All() {
		if rest, ok := strings.CutPrefix(c.Name(), "api__"+begins); ok {
			return rest
		}
	}
	t.Fatalf("no tool begins with %s: %+v", begins, r.status().Skipped)
	return ""
}

// What the operator says counts, by either name, and nothing else does.
func TestTheOperatorSaysWhatOperationsDo(t *testing.T) {
	yes, no := capabilities.Yes, capabilities.No
	r := run(t, openapi.Options{Document: file(t, "shop.yaml", shop)}, func(s *bridge.Server) {
		s.Annotations = map[string]bridge.Override{"GET /pets/{id}": {ReadOnly: &yes, Destructive: &no}, "listPets": {ReadOnly: &yes}, "GET /nothing": {}}
		s.Allow, s.Deny = []string{"listPets", "GET /pets/{id}", "absent"}, []string{"POST /pets"}
	}).ready()
	facts := r.tool("get_pets_by_id").HintFacts()
	if facts.ReadOnly.Value != yes || facts.ReadOnly.From != capabilities.FromOverride || facts.Destructive.Value != no || facts.OpenWorld.Value != capabilities.Unknown {
		t.Errorf("%+v", facts)
	}
	if !capabilities.ReadOnlyProven(r.tool("listPets")) {
		t.Error("listPets is not proven to read")
	}
	st := r.status()
	if diff := cmp.Diff([][]string{{"GET /nothing"}, {"absent"}}, [][]string{st.Unlisted, st.Unmatched}); diff != "" {
		t.Errorf("names of nothing (-want +got)\n%s", diff)
	}
	if st.Tools != 2 || st.Filtered != 1 {
		t.Errorf("%d tools, %d filtered", st.Tools, st.Filtered)
	}
}
