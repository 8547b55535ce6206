//go:build !cgo

package holotype

import (
	"context"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// localEngine answers nil: SQLite needs cgo.
func localEngine(string) (store.Engine, error) { return nil, nil } //nolint:nilnil // no engine is an answer here

func restoreLocal(context.Context, string, string, store.Options) (store.Position, string, error) {
	return store.Position{}, "", errNoStore
}
