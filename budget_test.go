package holotype

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// What the list of every tool of this server's own may cost: the tokens that a model is
// shown, and the bytes that are sent. Whoever raises the first makes each conversation of
// each client dearer by that.
const (
	mostTokens = 11_300
	mostBytes  = 152_000
)

func TestTheOwnListIsWithinItsBudget(t *testing.T) {
	reg, err := capabilities.Assemble(New(Options{}).describedPacks()...)
	if err != nil {
		t.Fatal(err)
	}
	tokens, bytes := 0, 0
	for c := range reg.All() {
		tokens += wire.Tokens(wire.KeyedModelBytes(c))
		bytes += len(wire.KeyedTool(c))
	}
	for _, one := range []struct {
		what      string
		sum, most int
	}{{"about %d tokens", tokens, mostTokens}, {"%d bytes", bytes, mostBytes}} {
		if one.sum > one.most {
			t.Errorf("the list costs "+one.what+", and %d is the most: shorten what was added, or raise the number", one.sum, one.most)
		}
		if one.sum < one.most*19/20 {
			t.Errorf("the list costs "+one.what+", and %d is the most: lower the number", one.sum, one.most)
		}
	}
}
