package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// CreateProject creates a project.
var CreateProject = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "create_project",
	Title:    "Create project",
	Summary:  "Create a project: a key, and a place for work items, labels and files.",
	Effect:   capabilities.Append(capabilities.Shared),
	Route:    "POST /projects",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.Exists},
	Examples: []capabilities.Example{
		{Name: "a project", In: `{"key":"DOCS","title":"Documentation","summary":"Guides and reference pages."}`},
		{Name: "a key that is taken", In: `{"key":"WEB","title":"Another web shop"}`, Refuses: capabilities.Exists},
		{Name: "a key in lower case", In: `{"key":"web","title":"Web shop"}`, Refuses: capabilities.Invalid},
	},
}, createProject)

// CreateProjectInput describes the new project.
type CreateProjectInput struct {
	// The key, for good: 2 to 10 capital letters and digits, a letter first. Its work items are KEY-1, KEY-2, ...
	Key string `json:"key" jsonschema:"pattern=^[A-Z][A-Z0-9]{1\\,9}$"`
	// What it is called, in one line.
	Title string `json:"title" jsonschema:"minLength=1,maxLength=300"`
	// What it is for, in one line.
	Summary string `json:"summary,omitempty" jsonschema:"maxLength=1000"`
	// Its lead: the id of a person or a seat.
	Lead string `json:"lead,omitempty" jsonschema:"maxLength=100"`
	// Whom work items go to that are filed without an assignee: the id of a person or a seat.
	DefaultAssignee string `json:"default_assignee,omitempty" jsonschema:"maxLength=100"`
}

func createProject(ctx context.Context, d Deps, in CreateProjectInput) (ProjectReceipt, error) {
	var f faults
	f.line("/title", in.Title)
	f.marks("/summary", in.Summary)
	if err := f.err(); err != nil {
		return ProjectReceipt{}, err
	}
	p := project{Key: in.Key, Version: 1, Title: in.Title, Summary: in.Summary}
	var err error
	if in.Lead != "" {
		if p.Lead, err = d.person("/lead", in.Lead); err != nil {
			return ProjectReceipt{}, err
		}
	}
	if in.DefaultAssignee != "" {
		if p.DefaultAssignee, err = d.person("/default_assignee", in.DefaultAssignee); err != nil {
			return ProjectReceipt{}, err
		}
	}
	return store.Write(ctx, d.Store, func(t *store.Tx) (ProjectReceipt, error) {
		there, err := findProject(&t.Reader, in.Key)
		if err != nil {
			return ProjectReceipt{}, err
		}
		if there != nil {
			return ProjectReceipt{}, capabilities.Refuse(capabilities.Exists, "there is a project %s already: choose another key, or change that one with update_project", in.Key)
		}
		now, who := t.Now().UnixMilli(), t.Who().ID
		if _, err := t.Exec(insertProjectRow, p.Key, p.Version, p.Title, p.Summary, p.Lead, p.DefaultAssignee, 0, now, who, now, who); err != nil {
			return ProjectReceipt{}, err
		}
		return p.receipt(), t.Change(store.Change{Kind: kindProject, ID: p.Key, Scope: p.Key, Version: p.Version, Body: event{Action: created, Key: p.Key}})
	})
}
