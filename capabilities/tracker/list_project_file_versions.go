package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListProjectFileVersions lists the versions of a file.
var ListProjectFileVersions = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_project_file_versions",
	Title:   "List project file versions",
	Summary: "List the versions of a file of a project, the newest first. read_project_file reads each.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /projects/{project}/files/versions",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a file's", In: `{"project":"WEB","path":"notes/plan.md"}`},
		{Name: "a file that does not exist", In: `{"project":"WEB","path":"nowhere.md"}`, Refuses: capabilities.NotFound},
	},
}, listProjectFileVersions)

// ListProjectFileVersionsInput names a file.
type ListProjectFileVersionsInput struct {
	capabilities.PageInput
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The file's path.
	Path string `json:"path" jsonschema:"minLength=1,maxLength=512"`
}

// ProjectFileVersion is one version of a file, without its content.
type ProjectFileVersion struct {
	// The number of the version.
	Version int64 `json:"version"`
	// How many bytes the content has.
	Size int64 `json:"size"`
	// The media type of the content.
	Type string `json:"type"`
	// The SHA-256 of the content, in hexadecimal.
	Digest string `json:"digest"`
	// When it was written, as RFC 3339.
	At string `json:"at"`
	// Who wrote it.
	By string `json:"by"`
}

func (v *fileVersion) show() ProjectFileVersion {
	return ProjectFileVersion{Version: v.Version, Size: v.Size, Type: v.Type, Digest: v.Digest, At: stamp(v.AtMS), By: v.By}
}

func listProjectFileVersions(ctx context.Context, d Deps, in ListProjectFileVersionsInput) (out capabilities.Page[ProjectFileVersion], err error) {
	at, err := from(in.PageInput, newest)
	if err != nil {
		return out, err
	}
	var rows []*fileVersion
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		f, err := fileAbout(r, in.Project, in.Path)
		if err != nil {
			return err
		}
		return r.Select(&rows, selectFileVersions, f.Project, f.Path, at[0], limitOf(in.PageInput)+1)
	})
	if err != nil {
		return out, err
	}
	return pageOf(rows, in.PageInput, (*fileVersion).show, func(v *fileVersion) string { return place(v.Version) }), nil
}
