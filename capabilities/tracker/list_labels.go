package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListLabels lists the labels of a project.
var ListLabels = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_labels",
	Title:   "List labels",
	Summary: "List the labels of a project in the order of their names.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /projects/{project}/labels",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a project's", In: `{"project":"WEB"}`},
		{Name: "a project that does not exist", In: `{"project":"NONE"}`, Refuses: capabilities.NotFound},
	},
}, listLabels)

// ListLabelsInput names a project.
type ListLabelsInput struct {
	capabilities.PageInput
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
}

func listLabels(ctx context.Context, d Deps, in ListLabelsInput) (out capabilities.Page[Label], err error) {
	after, err := in.Begin()
	if err != nil {
		return out, err
	}
	var rows []*label
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		if _, err := projectAbout(r, in.Project); err != nil {
			return err
		}
		return r.Select(&rows, selectLabels, in.Project, after, limitOf(in.PageInput)+1)
	})
	if err != nil {
		return out, err
	}
	return pageOf(rows, in.PageInput, (*label).show, func(l *label) string { return l.Folded }), nil
}
