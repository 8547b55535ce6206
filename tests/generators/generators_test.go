// Package generators_test lets the generators and validators that other people wrote
// judge the OpenAPI document of a live server: clients are generated from it, compiled
// and used against that server, and every request and answer is held against it.
package generators_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// serve starts a server of the fixture, with one server bridged, and answers its
// document.
func serve(t *testing.T) (*drive.Running, []byte) {
	t.Helper()
	r := drive.Start(t, holotype.Options{Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, MCPConfig: scales(t)})
	r.Stdio(t).Shake(t).Settled(t, bridged)
	return r, r.Get(t, "/openapi.json")
}

// generator is one way from a document to a program.
type generator struct {
	name string
	// big is the greatest whole number that its language keeps.
	big int64
	// build generates, compiles and answers the command line of a program that takes an
	// address, a token and a number.
	build func(t *testing.T, doc []byte) ([]string, error)
}

func generators() []generator {
	return []generator{
		{"oapi-codegen", 9007199254740993, buildOapi},
		{"ogen", 9007199254740993, buildOgen},
		{"openapi-typescript", 9007199254740991, buildTypeScript},
		{"the product's own", 9007199254740993, buildOwn},
	}
}

// fault is a step on the way from the document to what a client saw that failed.
type fault struct {
	step string // generate, compile, run
	err  error
	out  string
}

func (f *fault) Error() string { return fmt.Sprintf("%s: %v\n%s", f.step, f.err, f.out) }

// Every generated client compiles, creates, reads and is refused, and sees the same.
func TestGeneratedClientsCallALiveServer(t *testing.T) {
	r, doc := serve(t)
	for _, g := range generators() {
		t.Run(g.name, func(t *testing.T) {
			got, err := use(t, g, r, doc)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, want(g.big)), got); diff != "" {
				t.Errorf("what the client saw differs (-want +got):\n%s", diff)
			}
		})
	}
}

// use makes the program of a document, runs it and answers what it saw.
func use(t *testing.T, g generator, r *drive.Running, doc []byte) (any, error) {
	t.Helper()
	line, err := g.build(t, doc)
	if err != nil {
		return nil, err
	}
	out, err := run(t, "", "run", append(line, r.URL+"/api/v1", r.Token, fmt.Sprint(g.big))...)
	if err != nil {
		return nil, err
	}
	return parse(t, out), nil
}

// want is what a client sees.
func want(big int64) string {
	return fmt.Sprintf(`{
		"created": {"project":"WEB","title":"login loops","kind":"bug","labels":["a"],"external":%d,"priority":3,"step":"sign in"},
		"untitled": {"status":400,"code":"invalid","violations":["/title minLength"]},
		"found": [{"name":"W&B ä-a","after":%[1]d},{"name":"W&B ä-b, c","after":%[1]d},{"name":"W&B ä-d&e","after":%[1]d}],
		"invalid": {"status":400,"code":"invalid","violations":["/cursor cursor"]},
		"missing": {"status":404,"code":"not_found"},
		"full": {"status":409,"code":"box_full","base":"conflict"},
		"weighed": {"grams":0.30000000000000004,"copies":%[1]d,"text":"weighed"},
		"broken": {"status":502,"code":"upstream_error"},
		"stranger": {"status":401,"code":"unauthenticated"}
	}`, big)
}

// parse reads JSON with every digit of its numbers.
func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("reading %s: %v", text, err)
	}
	return v
}

// A document that is wrong in one place fails the one step that it concerns.
func TestBrokenDocumentsFailTheClients(t *testing.T) {
	r, doc := serve(t)
	made := generators()
	for _, twin := range []struct {
		name  string
		by    generator
		spoil func(doc object)
		step  string
		says  string
	}{
		{"an operation is missing", made[0], func(doc object) {
			delete(doc.at("paths", "/projects/{project}/tickets"), "post")
		}, "compile", "FileTicketWithResponse"},
		{"a number has no width", made[0], func(doc object) {
			delete(doc.at("components", "schemas", "ScalesWeighOutput", "properties", "grams"), "format")
		}, "compile", "float32"},
		{"a schema is narrowed", made[1], func(doc object) {
			doc.at("components", "schemas", "Finding", "properties", "name")["maxLength"] = 2
		}, "run", "name"},
		{"a schema no generator reads", made[1], func(doc object) {
			doc.at("components", "schemas", "Finding", "properties", "name")["type"] = []string{"string", "integer"}
		}, "generate", "type"},
		{"a status is wrong", made[2], func(doc object) {
			answers := doc.at("paths", "/projects/{project}/tickets", "get", "responses")
			answers["410"] = answers["404"]
			delete(answers, "404")
		}, "compile", "is not assignable to type 'undefined'"},
		{"an operation of our own client is missing", made[3], func(doc object) {
			delete(doc.at("paths", "/projects/{project}/tickets"), "post")
		}, "compile", "file_ticket"},
		{"a type of our own client is another", generator{build: buildOther}, func(object) {}, "compile", "equal.ts"},
	} {
		t.Run(twin.name, func(t *testing.T) {
			got, err := use(t, twin.by, r, spoiled(t, doc, twin.spoil))
			failed, ok := errors.AsType[*fault](err)
			if !ok {
				t.Fatalf("nobody noticed: %v", got)
			}
			if failed.step != twin.step || !strings.Contains(failed.out, twin.says) {
				t.Errorf("it fails elsewhere than at %q for %q: %v", twin.step, twin.says, failed)
			}
		})
	}
}

// object is a part of a document.
type object map[string]any

// at answers the object behind keys, which must be there.
func (o object) at(keys ...string) object {
	for _, k := range keys {
		o, _ = o[k].(map[string]any)
	}
	return o
}

// spoiled answers a document with one thing changed.
func spoiled(t *testing.T, doc []byte, spoil func(object)) []byte {
	t.Helper()
	tree, ok := parse(t, string(doc)).(map[string]any)
	if !ok {
		t.Fatal("the document is no object")
	}
	spoil(tree)
	out, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
