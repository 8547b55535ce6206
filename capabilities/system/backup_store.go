package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// BackupStore writes a copy of the store into a new file.
var BackupStore = capabilities.Declare(Pack, capabilities.Spec{
	Name:      "backup_store",
	Title:     "Back up store",
	Summary:   "Write a copy of the whole store, as of one moment, into a new file on the server's machine, while calls are served.",
	Effect:    capabilities.Append(capabilities.Local),
	Route:     "POST /store/backups",
	Scope:     capabilities.ScopeAdmin,
	Rehearses: true,
	Refuses:   capabilities.Codes{capabilities.Exists},
	Examples: []capabilities.Example{
		{Name: "a path that is not absolute", In: `{"path":"today.db"}`, Refuses: capabilities.Invalid},
		{Name: "a file that is there already", In: `{"path":"/"}`, Refuses: capabilities.Exists},
	},
}, backupStore, needsStore())

func backupStore(ctx context.Context, d Deps, in StoreCopyInput) (StoreCopy, error) {
	return in.copyTo(ctx, d, func(path string) (string, error) {
		at, err := d.Store.Backup(ctx, path)
		return at.String(), err
	})
}
