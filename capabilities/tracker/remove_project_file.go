package tracker

import (
	"context"
	"database/sql"
	"errors"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RemoveProjectFile removes a file for good.
var RemoveProjectFile = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "remove_project_file",
	Title:    "Remove project file",
	Summary:  "Remove a file of a project for good, with the content of all its versions. For the lead of the project.",
	Effect:   capabilities.Destroy(capabilities.Shared),
	Route:    "POST /projects/{project}/files/remove",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "a file", In: `{"project":"WEB","path":"notes/old.md"}`},
		{Name: "a file that does not exist", In: `{"project":"WEB","path":"nowhere.md"}`, Refuses: capabilities.NotFound},
	},
}, removeProjectFile)

// RemoveProjectFileInput names a file.
type RemoveProjectFileInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The file's path.
	Path string `json:"path" jsonschema:"minLength=1,maxLength=512"`
	// Remove it only when this is its version.
	IfVersion *int64 `json:"if_version,omitempty" jsonschema:"minimum=1"`
}

func removeProjectFile(ctx context.Context, d Deps, in RemoveProjectFileInput) (FileReceipt, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (FileReceipt, error) {
		p, err := projectAbout(&t.Reader, in.Project)
		if err != nil {
			return FileReceipt{}, err
		}
		f, err := fileAbout(&t.Reader, in.Project, in.Path)
		if err != nil {
			return FileReceipt{}, err
		}
		if err := d.lead(ctx, p, "removing files of "+p.Key); err != nil {
			return FileReceipt{}, err
		}
		if err := f.fits(in.IfVersion, in.Path); err != nil {
			return FileReceipt{}, err
		}
		if err := f.empty(t); err != nil {
			return FileReceipt{}, err
		}
		return f.receipt(), f.log(t, event{Action: removed})
	})
}

// empty removes the content of every version. The row stays: whoever holds a version
// of this file is told that it is stale, whatever is at its path later.
func (f *file) empty(t *store.Tx) error {
	var digests []string
	if err := t.Select(&digests, selectFileDigests, f.Project, f.Path); err != nil {
		return err
	}
	if _, err := t.Exec(deleteFileVersions, f.Project, f.Path); err != nil {
		return err
	}
	for _, digest := range digests {
		var version int64
		switch err := t.Get(&version, selectDigestInUse, digest); {
		case errors.Is(err, sql.ErrNoRows):
			if err := t.DropBlob(digest); err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	f.Version++
	_, err := t.Exec(emptyFile, f.Version, t.Now().UnixMilli(), t.Who().ID, f.Project, f.Path)
	return err
}
