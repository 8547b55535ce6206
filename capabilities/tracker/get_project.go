package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// GetProject answers one project.
var GetProject = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_project",
	Title:   "Get project",
	Summary: "Get one project: its title, summary, lead, default assignee and version.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /projects/{project}",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a project", In: `{"project":"WEB"}`},
		{Name: "a key nobody gave out", In: `{"project":"NONE"}`, Refuses: capabilities.NotFound},
	},
}, getProject)

// GetProjectInput names a project.
type GetProjectInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
}

func getProject(ctx context.Context, d Deps, in GetProjectInput) (out Project, err error) {
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		p, err := projectAbout(r, in.Project)
		if err == nil {
			out = p.show()
		}
		return err
	})
	return out, err
}
