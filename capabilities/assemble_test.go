package capabilities_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

type plainOut struct {
	OK bool `json:"ok" jsonschema_description:"Always true."`
}

type lintIn struct {
	NoTag    string            `jsonschema_description:"x"`
	Odd      string            `json:"oddName" jsonschema_description:"x"`
	Typo     string            `json:"typo" jsonschema:"maxLenght=3" jsonschema_description:"x"`
	Wrong    string            `json:"wrong" jsonschema:"minimum=3" jsonschema_description:"x"`
	Pointer  *string           `json:"pointer" jsonschema_description:"x"`
	Bare     string            `json:"bare"`
	Long     string            `json:"long" jsonschema_description:"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"`
	FooBar   string            `json:"foo_bar" jsonschema_description:"x"`
	Foobar   string            `json:"foobar" jsonschema_description:"x"`
	Required int               `json:"required" jsonschema:"default=3" jsonschema_description:"x"`
	Number   int               `json:"number" jsonschema:"minimum=three" jsonschema_description:"x"`
	Any      map[string]any    `json:"any" jsonschema_description:"x"`
	Keys     map[int]string    `json:"keys" jsonschema_description:"x"`
	Fine     map[string]string `json:"fine" jsonschema_description:"x"`
}

type bareIn struct {
	Bare string `json:"bare,omitempty"`
}

type queryIn struct {
	ID   string            `json:"id" jsonschema_description:"x"`
	Deep map[string]string `json:"deep,omitempty" jsonschema_description:"x"`
}

type badDefault struct {
	N int `json:"n,omitempty" jsonschema:"minimum=5,default=3" jsonschema_description:"x"`
}

func handler[In any](context.Context, deps, In) (plainOut, error) { return plainOut{true}, nil }

// Every fault of every declaration comes back at once, with its place.
func TestAssembleReportsEveryFaultAtOnce(t *testing.T) {
	spec := func(change func(*capabilities.Spec)) capabilities.Spec {
		s := capabilities.Spec{Name: "one", Title: "One", Summary: "Do one thing.", Effect: capabilities.Read(capabilities.Local), Route: "GET /one"}
		change(&s)
		return s
	}
	cases := []struct {
		name    string
		declare func(p *capabilities.Pack[deps])
		want    []string
	}{
		{"names", func(p *capabilities.Pack[deps]) {
			for _, n := range []string{"Bad", "a__b", strings.Repeat("x", 49), "twin", "twin", capabilities.CallRead} {
				capabilities.Declare(p, spec(func(s *capabilities.Spec) {
					s.Name = n
					s.Route = "GET /" + strings.ToLower(strings.ReplaceAll(n, "_", "-")) + "r"
				}), handler[struct{}])
			}
		}, []string{"form [a-z]", `no "__"`, "at most 48", "declared at", "call_read: the name is that of a tool of discovery"}},
		{"no effect", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Effect = capabilities.Effect{} }), handler[queryIn])
		}, []string{"no effect is declared"}},
		{"method against the effect", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) {
				s.Effect = capabilities.Destroy(capabilities.Local)
				s.Route = "PATCH /one"
			}), handler[queryIn])
		}, []string{"the route's method is PATCH, an effect of destroy admits DELETE, POST"}},
		{"path and query", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Route = "GET /one/{deep}/{nowhere}" }), handler[queryIn])
		}, []string{`path field "deep" is a required scalar`, "{nowhere}, which is no field", "query, which holds no object"}},
		{"route collision", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Name = "x"; s.Route = "POST /a/{id}" }), handler[queryIn])
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Name = "y"; s.Route = "POST /a/{id}" }), handler[queryIn])
		}, []string{"the route is taken by x"}},
		{"texts", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Title = ""; s.Summary = strings.Repeat("x", 201) }), handler[badDefault])
		}, []string{"title is missing", "201 bytes", "default of /n fails"}},
		{"a read delivers", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Delivers = "inbox" }), handler[plainOut])
		}, []string{"a read delivers nowhere"}},
		{"codes and examples", func(p *capabilities.Pack[deps]) {
			p.Code("odd", "nothing", "", "")
			capabilities.Declare(p, spec(func(s *capabilities.Spec) {
				s.Refuses = capabilities.Codes{"unheard", capabilities.Invalid}
				s.Examples = []capabilities.Example{{Name: "a", In: `{"id":1}`}, {Name: "a", In: `{`}, {Name: "c", In: `{"id":"1"}`, Refuses: capabilities.Exists}}
				s.Route = "POST /one"
			}), handler[queryIn])
		}, []string{"base \"nothing\"", "says what it means", "\"unheard\", which no pack declares", "every capability may answer", "do not pass", "not JSON", "name of its own", `refusal "exists"`}},
		{"a route beside a field without a description", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Route = "GET /one/{nowhere}" }), handler[bareIn])
		}, []string{"bareIn.Bare has no description", "{nowhere}, which is no field"}},
		{"undo", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Undo = "nothing" }), handler[plainOut])
		}, []string{"undo names"}},
		{"types", func(p *capabilities.Pack[deps]) {
			capabilities.Declare(p, spec(func(s *capabilities.Spec) { s.Route = "POST /one" }), handler[lintIn])
		}, []string{
			"NoTag: a field needs a json tag", "oddName", `unknown jsonschema tag key "maxLenght"`, `"minimum" does not apply`,
			"lintIn.Pointer: a pointer without omitempty", "lintIn.Bare has no description", "211 bytes", `"foo_bar" and "foobar"`,
			"has a default but is required", "minimum=three is not a number", "interface {} has no JSON Schema", "map[int]string: a map is keyed by strings",
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := newPack(t)
			c.declare(p)
			_, err := capabilities.Assemble(p.Bind(deps{}))
			var faults capabilities.Faults
			if !errors.As(err, &faults) {
				t.Fatalf("Assemble answered %v, want faults", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no fault says %q; got:\n%v", want, err)
				}
			}
			for _, f := range faults {
				if !strings.HasSuffix(f.Site.File, "assemble_test.go") && !strings.HasSuffix(f.Site.File, "fixture_test.go") {
					t.Errorf("fault without its place: %v", f)
				}
			}
		})
	}
}

func TestWhenLeavesOutAndDescribeDoesNot(t *testing.T) {
	p := newPack(t)
	capabilities.Declare(p, echoSpec(), echo, capabilities.When(func(d deps) bool { return d.greet != "" }))
	for _, c := range []struct {
		name  string
		bound capabilities.Bound
		want  int
	}{{"without", p.Bind(deps{}), 0}, {"with", p.Bind(deps{greet: "hi "}), 1}, {"described", p.Describe(), 1}} {
		reg, err := capabilities.Assemble(c.bound)
		if err != nil {
			t.Fatal(err)
		}
		if reg.Len() != c.want {
			t.Errorf("%s: %d capabilities, want %d", c.name, reg.Len(), c.want)
		}
	}
}

func TestAliasesAreListedDeprecatedAndCallable(t *testing.T) {
	p := newPack(t)
	s := echoSpec()
	s.Aliases = []capabilities.Alias{{Name: "say", Since: "0.2.0", Until: "0.3.0"}}
	capabilities.Declare(p, s, echo)
	d, live := door(t, capabilities.DoorOptions{}, p.Bind(deps{greet: "hi "}))
	old, ok := live.Registry().Find("say")
	if !ok || old.AliasOf() != "echo" || !strings.HasPrefix(old.Summary(), "[deprecated: use echo] ") || !old.Route().IsZero() {
		t.Fatalf("alias: %v %+v", ok, old)
	}
	res, err := d.Invoke(t.Context(), capabilities.Call{Name: "say", Arguments: json.RawMessage(`{"text":"x"}`), Principal: capabilities.OwnerPrincipal()})
	if err != nil || !strings.Contains(string(res.Structured), `"said":"hi x"`) {
		t.Errorf("calling the alias: %v %v", res, err)
	}
}

type node struct {
	Kids []node `json:"kids,omitempty" jsonschema_description:"The nodes below."`
}

func TestRecursiveTypesKeepTheirReferences(t *testing.T) {
	p := newPack(t)
	capabilities.Declare(p, capabilities.Spec{
		Name: "tree", Title: "Tree", Summary: "Take a tree.", Effect: capabilities.Read(capabilities.Local), Route: "POST /tree",
		Examples: []capabilities.Example{{Name: "deep", In: `{"kids":[{"kids":[{}]}]}`}, {Name: "wrong below", In: `{"kids":[{"kids":[{"kid":1}]}]}`, Refuses: capabilities.Invalid}},
	}, handler[node])
	reg, err := capabilities.Assemble(p.Bind(deps{}))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := reg.Find("tree")
	violations, err := c.Input().Validate([]byte(`{"kids":[{"kids":[{"kid":1}]}]}`))
	if err != nil || len(violations) != 1 || violations[0].Pointer != "/kids/0/kids/0/kid" {
		t.Errorf("violations %v, %v", violations, err)
	}
}
