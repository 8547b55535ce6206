package tracker

import (
	"context"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// UpdateProject changes a project.
var UpdateProject = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "update_project",
	Title:    "Update project",
	Summary:  "Change a project's title, summary, lead or default assignee, or archive it. For its lead.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "PATCH /projects/{project}",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "a new default assignee", In: `{"project":"APP","default_assignee":"kim"}`},
		{Name: "nobody any more", In: `{"project":"APP","default_assignee":null}`},
		{Name: "a version that is not the newest", In: `{"project":"WEB","title":"Web","if_match":99}`, Refuses: capabilities.StaleVersion},
	},
}, updateProject)

// UpdateProjectInput says what to change; what is absent stays.
type UpdateProjectInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// What it is called, in one line.
	Title *string `json:"title,omitempty" jsonschema:"minLength=1,maxLength=300"`
	// What it is for, in one line.
	Summary *string `json:"summary,omitempty" jsonschema:"maxLength=1000"`
	// Its lead: the id of a person or a seat; null for nobody.
	Lead capabilities.Opt[string] `json:"lead,omitzero" jsonschema:"nullable,minLength=1,maxLength=100"`
	// Whom work items go to that are filed without an assignee; null for nobody.
	DefaultAssignee capabilities.Opt[string] `json:"default_assignee,omitzero" jsonschema:"nullable,minLength=1,maxLength=100"`
	// Whether it is closed: it takes no new work items, files or labels.
	Archived *bool `json:"archived,omitempty"`
	// Change it only when this is its version.
	IfMatch int64 `json:"if_match,omitempty" jsonschema:"minimum=1"`
}

func updateProject(ctx context.Context, d Deps, in UpdateProjectInput) (ProjectReceipt, error) {
	var f faults
	if in.Title != nil {
		f.line("/title", *in.Title)
	}
	if in.Summary != nil {
		f.marks("/summary", *in.Summary)
	}
	if err := f.err(); err != nil {
		return ProjectReceipt{}, err
	}
	lead, err := d.optPerson("/lead", in.Lead)
	if err != nil {
		return ProjectReceipt{}, err
	}
	assignee, err := d.optPerson("/default_assignee", in.DefaultAssignee)
	if err != nil {
		return ProjectReceipt{}, err
	}
	return store.Write(ctx, d.Store, func(t *store.Tx) (ProjectReceipt, error) {
		p, err := projectAbout(&t.Reader, in.Project)
		if err != nil {
			return ProjectReceipt{}, err
		}
		if err := d.lead(ctx, p, "changing project "+p.Key); err != nil {
			return ProjectReceipt{}, err
		}
		if in.IfMatch != 0 && in.IfMatch != p.Version {
			return ProjectReceipt{}, stale("project "+p.Key, p.Version, in.IfMatch, "get_project")
		}
		var c changes
		set(&c, "title", &p.Title, in.Title)
		set(&c, "summary", &p.Summary, in.Summary)
		set(&c, "lead", &p.Lead, lead)
		set(&c, "default_assignee", &p.DefaultAssignee, assignee)
		set(&c, "archived", &p.Archived, in.Archived)
		if len(c) == 0 {
			return p.receipt(), nil
		}
		p.Version++
		_, err = t.Exec(updateProjectRow, p.Version, p.Title, p.Summary, p.Lead, p.DefaultAssignee, flag(p.Archived), t.Now().UnixMilli(), t.Who().ID, p.Key)
		if err != nil {
			return ProjectReceipt{}, err
		}
		return p.receipt(), t.Change(store.Change{Kind: kindProject, ID: p.Key, Scope: p.Key, Version: p.Version, Body: event{Action: updated, Key: p.Key, Fields: slices.Clone(c)}})
	})
}
