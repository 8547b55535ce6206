//go:build cgo

package holotype

import (
	"context"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// localEngine answers the engine of the database file at path; "" is one in memory.
func localEngine(path string) (store.Engine, error) { return sqlite.New(path) }

// restoreLocal puts a backup in place of the database file at to, and answers where what
// was there is kept; "" is nothing.
func restoreLocal(ctx context.Context, from, to string, o store.Options) (at store.Position, kept string, err error) {
	r, err := sqlite.Restore(ctx, from, to, o)
	return r.At, r.Kept, err
}
