package holotype

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// mostTokens is what the list of every tool of this server's own may cost a model. Whoever
// raises it makes each conversation of each client dearer by that.
const mostTokens = 9_915

func TestTheOwnListIsWithinItsBudget(t *testing.T) {
	reg, err := capabilities.Assemble(New(Options{}).describedPacks()...)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for c := range reg.All() {
		sum += wire.Tokens(wire.ModelBytes(c))
	}
	if sum > mostTokens {
		t.Errorf("the list costs about %d tokens, and %d is the most: shorten what was added, or raise the number", sum, mostTokens)
	}
	if sum < mostTokens*9/10 {
		t.Errorf("the list costs about %d tokens, and %d is the most: lower the number", sum, mostTokens)
	}
}
