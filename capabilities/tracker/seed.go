package tracker

import (
	"context"
	_ "embed" // the seed
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
)

//go:embed testdata/seed.json
var seed []byte

// Seed fills a new store with what the examples of the pack stand on: it makes the
// calls of testdata/seed.json through the door, as the principal, who has to be an
// owner. On a store that is not new the first call is refused.
func Seed(ctx context.Context, door capabilities.Invoker, p *capabilities.Principal) error {
	var calls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(seed, &calls); err != nil {
		return fmt.Errorf("reading the seed: %w", err)
	}
	for i, c := range calls {
		_, err := door.Invoke(ctx, capabilities.Call{Name: c.Name, Arguments: c.Arguments, Principal: p, Surface: capabilities.InProcess})
		if err != nil {
			return fmt.Errorf("call %d of the seed, of %s: %w", i+1, c.Name, err)
		}
	}
	return nil
}
