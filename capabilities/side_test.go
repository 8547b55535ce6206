package capabilities_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// What is reflected of a pack is the same in every registry of it, and follows the
// comments that it has by then.
func TestRegistriesShareTheSchemasOfAPack(t *testing.T) {
	p := newPack(t)
	s := echoSpec()
	s.Name, s.Examples = "bare", nil
	capabilities.Declare(p, s, func(context.Context, deps, bareIn) (plainOut, error) { return plainOut{}, nil })
	if _, err := capabilities.Assemble(p.Describe()); err == nil || !strings.Contains(err.Error(), "bareIn.Bare has no description") {
		t.Fatalf("without its comment it is taken: %v", err)
	}
	capabilities.Comments(p, map[string]string{"bareIn.Bare": "The text."})
	var found []*capabilities.Capability
	for _, b := range []capabilities.Bound{p.Describe(), p.Bind(deps{})} {
		registry, err := capabilities.Assemble(b)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := registry.Find("bare")
		found = append(found, c)
	}
	if found[0].Input() != found[1].Input() || found[0].Output() != found[1].Output() {
		t.Error("the schemas were reflected twice")
	}
	if raw := string(found[0].Input().Raw()); !strings.Contains(raw, `"The text."`) {
		t.Errorf("the comment is not in %s", raw)
	}
}
