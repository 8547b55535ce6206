package system

import (
	"context"
	"errors"
	"os"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ExportStore writes everything that is stored as lines of JSON.
var ExportStore = capabilities.Declare(Pack, capabilities.Spec{
	Name:      "export_store",
	Title:     "Export store",
	Summary:   "Write everything that is stored, as of one moment, as lines of JSON into a new file on the server's machine; any engine imports it.",
	Effect:    capabilities.Append(capabilities.Local),
	Route:     "POST /store/exports",
	Scope:     capabilities.ScopeAdmin,
	Rehearses: true,
	Refuses:   capabilities.Codes{capabilities.Exists},
	Examples: []capabilities.Example{
		{Name: "a path that is not absolute", In: `{"path":"all.ndjson"}`, Refuses: capabilities.Invalid},
		{Name: "a file that is there already", In: `{"path":"/"}`, Refuses: capabilities.Exists},
	},
}, exportStore, needsStore())

func exportStore(ctx context.Context, d Deps, in StoreCopyInput) (StoreCopy, error) {
	return in.copyTo(ctx, d, func(path string) (position string, err error) {
		position = d.Store.Head().String()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return "", err
		}
		err = errors.Join(d.Store.Export(ctx, f), f.Sync(), f.Close())
		if err != nil { // half an export is none
			return "", errors.Join(err, os.Remove(path))
		}
		return position, nil
	})
}
