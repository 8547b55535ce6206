package capabilities_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

type secretFacts struct {
	Extra string `json:"extra,omitempty" jsonschema:"once" jsonschema_description:"More of it."`
	ID    string `json:"id" jsonschema_description:"Its id."`
}

type secretOut struct {
	capabilities.Receipt
	Secret string `json:"secret,omitempty" jsonschema:"minLength=1,once" jsonschema_description:"The secret."`
	secretFacts
}

func TestWithoutOnce(t *testing.T) {
	full := secretOut{Receipt: capabilities.Receipt{OpID: "k"}, Secret: "s", secretFacts: secretFacts{"e", "i"}}
	bare := capabilities.WithoutOnce(full)
	want := secretOut{Receipt: capabilities.Receipt{OpID: "k"}, secretFacts: secretFacts{ID: "i"}}
	if d := cmp.Diff(want, bare, cmp.AllowUnexported(secretOut{})); d != "" {
		t.Errorf("without what is shown once (-want +got):\n%s", d)
	}
	if full.Secret != "s" || full.Extra != "e" {
		t.Errorf("what was given is changed: %+v", full)
	}
	if got := capabilities.WithoutOnce(plainOut{true}); !got.OK {
		t.Errorf("what has no such field is changed: %+v", got)
	}
	if n := testing.AllocsPerRun(100, func() { _ = capabilities.WithoutOnce(plainOut{true}) }); n > 0 {
		t.Errorf("what has no such field costs %v allocations", n)
	}
}

// Whoever reads the schema is told that the value is not to be had again.
func TestOnceIsPublished(t *testing.T) {
	p := newPack(t)
	capabilities.Declare(p, capabilities.Spec{
		Name: "one", Title: "One", Summary: "Make one thing.", Effect: capabilities.Append(capabilities.Local), Route: "POST /one",
	}, func(context.Context, deps, queryIn) (secretOut, error) { return secretOut{}, nil })
	reg, err := capabilities.Assemble(p.Bind(deps{}))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := reg.Find("one")
	var schema struct {
		Properties map[string]struct{ Description string }
		Required   []string
	}
	if err := json.Unmarshal(c.Output().Raw(), &schema); err != nil {
		t.Fatal(err)
	}
	for name, once := range map[string]bool{"secret": true, "extra": true, "id": false, "op_id": false} {
		if got := strings.HasSuffix(schema.Properties[name].Description, " Shown this once: no repeat and no dry run has it."); got != once {
			t.Errorf("%s is described as %q", name, schema.Properties[name].Description)
		}
	}
	if d := cmp.Diff([]string{"outcome", "id"}, schema.Required); d != "" {
		t.Errorf("required (-want +got):\n%s", d)
	}
}

// A receipt that no store wrote says of a change what nobody knows.
func TestAReceiptThatNobodyWroteIsNoAnswer(t *testing.T) {
	p := newPack(t)
	capabilities.Declare(p, capabilities.Spec{
		Name: "one", Title: "One", Summary: "Make one thing.", Effect: capabilities.Append(capabilities.Local), Route: "POST /one",
	}, func(context.Context, deps, queryIn) (secretOut, error) { return secretOut{}, nil })
	d, _ := door(t, capabilities.DoorOptions{}, p.Bind(deps{}))
	res, err := d.Invoke(t.Context(), capabilities.Call{Name: "one", Arguments: json.RawMessage(`{"id":"1"}`), Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess, RequestID: "r1"})
	if e, ok := capabilities.AsError(err); res != nil || !ok || e.Code != "internal_error" {
		t.Errorf("it is answered with %v, %v", res, err)
	}
}

type onceIn struct {
	Secret string `json:"secret,omitempty" jsonschema:"once" jsonschema_description:"x"`
}

type onceBare struct {
	Secret string `json:"secret,omitempty" jsonschema:"once" jsonschema_description:"x"`
}

type onceWrong struct {
	capabilities.Receipt
	Number int       `json:"number,omitempty" jsonschema:"once" jsonschema_description:"x"`
	Always string    `json:"always" jsonschema:"once" jsonschema_description:"x"`
	Held   onceBare  `json:"held" jsonschema_description:"x"`
	Long   string    `json:"long,omitempty" jsonschema:"once" jsonschema_description:"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"`
	Rest   *onceBare `json:"rest,omitempty" jsonschema_description:"x"`
}

func TestOnceWhereItCannotBeKept(t *testing.T) {
	spec := capabilities.Spec{Name: "one", Title: "One", Summary: "Make one thing.", Effect: capabilities.Append(capabilities.Local), Route: "POST /one"}
	for name, c := range map[string]struct {
		declare func(p *capabilities.Pack[deps])
		want    []string
	}{
		"an input": {
			func(p *capabilities.Pack[deps]) { capabilities.Declare(p, spec, handler[onceIn]) },
			[]string{"input: onceIn.Secret: only an output that embeds a receipt"},
		},
		"an output without a receipt": {
			func(p *capabilities.Pack[deps]) {
				capabilities.Declare(p, spec, func(context.Context, deps, queryIn) (onceBare, error) { return onceBare{}, nil })
			},
			[]string{"output: onceBare.Secret: only an output that embeds a receipt"},
		},
		"fields that cannot be left out": {
			func(p *capabilities.Pack[deps]) {
				capabilities.Declare(p, spec, func(context.Context, deps, queryIn) (onceWrong, error) { return onceWrong{}, nil })
			},
			[]string{
				`onceWrong.Number: the jsonschema tag "once" does not apply to a field of JSON type integer`, "onceWrong.Always is tagged once, so that most answers are without it: add omitempty",
				"onceBare.Secret: only an output that embeds a receipt", "onceWrong.Long: the description has 160 bytes, at most 150 are allowed",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPack(t)
			c.declare(p)
			_, err := capabilities.Assemble(p.Bind(deps{}))
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("no fault says %q; got:\n%v", want, err)
				}
			}
		})
	}
}
