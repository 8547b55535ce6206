package system

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// CheckStore looks whether what is stored agrees with itself.
var CheckStore = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "check_store",
	Title:   "Check store",
	Summary: "Look whether what is stored agrees with itself: file, indexes, search, log, files. It reads everything, so it takes a while.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /store/check",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromStore,
	Examples: []capabilities.Example{
		{Name: "all of it", In: `{}`},
		{Name: "a field there is not", In: `{"table":"x"}`, Refuses: capabilities.Invalid},
	},
}, checkStore, needsStore())

// CheckStoreInput is empty.
type CheckStoreInput struct{}

// StoreCheck is what a check of the store found.
type StoreCheck struct {
	// Whether everything agrees.
	Sound bool `json:"sound"`
	// What does not, a sentence each.
	Faults []string `json:"faults"`
}

func checkStore(ctx context.Context, d Deps, _ CheckStoreInput) (StoreCheck, error) {
	faults, err := d.Store.Check(ctx)
	if err != nil {
		return StoreCheck{}, fmt.Errorf("checking the store: %w", err)
	}
	return StoreCheck{Sound: len(faults) == 0, Faults: faults}, nil
}
