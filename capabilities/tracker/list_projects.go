package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListProjects lists the projects.
var ListProjects = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_projects",
	Title:   "List projects",
	Summary: "List the projects in the order of their keys.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /projects",
	Examples: []capabilities.Example{
		{Name: "those that are open", In: `{}`},
		{Name: "archived ones too, one at a time", In: `{"archived":true,"limit":1}`},
		{Name: "a cursor made up", In: `{"cursor":"WEB"}`, Refuses: capabilities.Invalid},
	},
}, listProjects)

// ListProjectsInput selects projects.
type ListProjectsInput struct {
	capabilities.PageInput
	// Whether to list archived projects, too.
	Archived bool `json:"archived,omitempty"`
}

func listProjects(ctx context.Context, d Deps, in ListProjectsInput) (out capabilities.Page[Project], err error) {
	after, err := in.Begin()
	if err != nil {
		return out, err
	}
	query := selectOpenProjects
	if in.Archived {
		query = selectProjects
	}
	var rows []*project
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		return r.Select(&rows, query, after, limitOf(in.PageInput)+1)
	})
	if err != nil {
		return out, err
	}
	return pageOf(rows, in.PageInput, (*project).show, func(p *project) string { return p.Key }), nil
}
