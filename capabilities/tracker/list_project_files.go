package tracker

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListProjectFiles lists the files of a project.
var ListProjectFiles = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_project_files",
	Title:   "List project files",
	Summary: "List the files of a project in the order of their paths: reports, specifications, notes.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /projects/{project}/files",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "all", In: `{"project":"WEB"}`},
		{Name: "a folder", In: `{"project":"WEB","folder":"notes","limit":10}`},
		{Name: "a project that does not exist", In: `{"project":"NONE"}`, Refuses: capabilities.NotFound},
	},
}, listProjectFiles)

// ListProjectFilesInput selects files.
type ListProjectFilesInput struct {
	capabilities.PageInput
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// Only files below this folder.
	Folder string `json:"folder,omitempty" jsonschema:"maxLength=512"`
}

func listProjectFiles(ctx context.Context, d Deps, in ListProjectFilesInput) (out capabilities.Page[ProjectFile], err error) {
	after, err := in.Begin()
	if err != nil {
		return out, err
	}
	// Paths are compared byte for byte, and none is as long as this one, of the last
	// character there is.
	first, last := "", strings.Repeat("\U0010FFFF", maxPath/utf8.UTFMax+1)
	if folder := strings.TrimSuffix(in.Folder, "/"); folder != "" {
		var f faults
		f.path("/folder", folder)
		if err := f.err(); err != nil {
			return out, err
		}
		first, last = folder+"/", folder+"0" // "0" is the byte after "/"
	}
	var rows []*file
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		if _, err := projectAbout(r, in.Project); err != nil {
			return err
		}
		return r.Select(&rows, selectFiles, in.Project, after, first, last, limitOf(in.PageInput)+1)
	})
	if err != nil {
		return out, err
	}
	return pageOf(rows, in.PageInput, (*file).show, func(f *file) string { return f.Path }), nil
}
