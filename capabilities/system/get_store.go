package system

import (
	"context"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// GetStore shows how the store is doing.
var GetStore = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_store",
	Title:   "Get store",
	Summary: "Show how the store is doing: whether it can be written, why not, and where its log is.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /store",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "as it is now", In: `{}`},
		{Name: "a field there is not", In: `{"engine":"sqlite"}`, Refuses: capabilities.Invalid},
	},
}, getStore, needsStore())

// GetStoreInput is empty.
type GetStoreInput struct{}

// StoreStatus is how the store is doing.
type StoreStatus struct {
	// The database behind it: sqlite or postgres.
	Engine string `json:"engine"`
	// Whether calls that write are served.
	Ready bool `json:"ready"`
	// Why not, and what to do.
	Reason string `json:"reason,omitempty"`
	// Since when.
	Since string `json:"since,omitempty" jsonschema:"format=date-time"`
	// The position of the newest change; absent while the database was never opened.
	Position string `json:"position,omitempty"`
}

func getStore(_ context.Context, d Deps, _ GetStoreInput) (StoreStatus, error) {
	out := StoreStatus{Engine: d.Store.Engine(), Ready: true, Position: d.Store.Head().String()}
	if state := d.Store.State(); state.Err != nil {
		out.Ready, out.Reason, out.Since = false, state.Advice, state.Since.UTC().Format(time.RFC3339)
	}
	return out, nil
}

// needsStore leaves a capability out where there is no store.
func needsStore() capabilities.Option[Deps] {
	return capabilities.When(func(d Deps) bool { return d.Store != nil })
}
