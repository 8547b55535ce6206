//go:build cgo

package holotype

import (
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// localEngine answers the engine of the database file at path; "" is one in memory.
func localEngine(path string) (store.Engine, error) { return sqlite.New(path) }
