//go:build !cgo

package holotype

import "github.com/seed-89b9419b/holotype/internal/store"

// localEngine answers nil: SQLite needs cgo.
func localEngine(string) (store.Engine, error) { return nil, nil } //nolint:nilnil // no engine is an answer here
