package tracker

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// UpdateWorkItem changes a work item.
var UpdateWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "update_work_item",
	Title:    "Update work item",
	Summary:  "Change a work item: status, assignee, priority, texts, labels, links, parent, one entry of its checklist.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "PATCH /work-items/{item}",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.StaleVersion, UnknownLabel},
	Examples: []capabilities.Example{
		{Name: "begun", In: `{"item":"WEB-2","status":"in_progress"}`},
		{Name: "given to somebody, with the reason", In: `{"item":"WEB-2","assignee":"ana","reason":"You know the form."}`},
		{Name: "an entry of the checklist is done", In: `{"item":"WEB-2","checklist":{"do":"check","id":1}}`},
		{Name: "labels and a link", In: `{"item":"WEB-2","add_labels":["urgent"],"labels_create_missing":true,"add_links":[{"kind":"blocks","item":"WEB-1"}]}`},
		{Name: "a version that is not the newest", In: `{"item":"WEB-2","status":"done","if_match":9999}`, Refuses: capabilities.StaleVersion},
		{Name: "its own parent", In: `{"item":"WEB-2","parent":"WEB-2"}`, Refuses: capabilities.Invalid},
	},
}, updateWorkItem)

// UpdateWorkItemInput says what to change; what is absent stays.
type UpdateWorkItemInput struct {
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
	// What it is about, in one line.
	Title *string `json:"title,omitempty" jsonschema:"minLength=1,maxLength=300"`
	// All there is to say, as Markdown; at most 256 KiB. The text of before is kept.
	Description *string `json:"description,omitempty"`
	// Where it stands.
	Status *Status `json:"status,omitempty"`
	// How urgent it is.
	Priority *Priority `json:"priority,omitempty"`
	// The id of whom it is given to; null for nobody.
	Assignee capabilities.Opt[string] `json:"assignee,omitzero" jsonschema:"nullable,minLength=1,maxLength=100"`
	// Why, for the new assignee to read in the thread; goes with assignee.
	Reason string `json:"reason,omitempty"`
	// Labels of the project to add, by name or id.
	AddLabels []string `json:"add_labels,omitempty" jsonschema:"maxItems=32"`
	// Labels to remove, by name or id.
	RemoveLabels []string `json:"remove_labels,omitempty" jsonschema:"maxItems=32"`
	// Whether to create the labels to add that the project does not have.
	LabelsCreateMissing bool `json:"labels_create_missing,omitempty"`
	// Links to add.
	AddLinks []LinkInput `json:"add_links,omitempty" jsonschema:"maxItems=32"`
	// Links to remove.
	RemoveLinks []LinkInput `json:"remove_links,omitempty" jsonschema:"maxItems=32"`
	// The item of the same project that it becomes a subtask of, by key or id; null for none.
	Parent capabilities.Opt[string] `json:"parent,omitzero" jsonschema:"nullable,minLength=1,maxLength=64"`
	// One change of its checklist.
	Checklist *ChecklistChange `json:"checklist,omitempty"`
	// Change it only when this is its version.
	IfMatch int64 `json:"if_match,omitempty" jsonschema:"minimum=1"`
}

// UpdateWorkItemOutput is the receipt of a change.
type UpdateWorkItemOutput struct {
	WorkItemReceipt
	// The names of the fields that are different now.
	Changed []string `json:"changed"`
}

// judge judges what the schema leaves open.
func (in UpdateWorkItemInput) judge() error {
	var f faults
	if in.Title != nil {
		f.line("/title", *in.Title)
	}
	if in.Description != nil {
		f.body("/description", *in.Description)
	}
	f.body("/reason", in.Reason)
	if in.Reason != "" && blank(in.Reason) {
		f.add("/reason", "minLength", "is blank: send words, or leave it out")
	}
	if _, given := in.Assignee.Get(); in.Reason != "" && !given {
		f.add("/reason", "not", "goes with assignee alone: post it with comment_on_work_item")
	}
	for i, name := range in.AddLabels {
		f.labelName(fmt.Sprintf("/add_labels/%d", i), name)
	}
	in.Checklist.judge(&f)
	return f.err()
}

func updateWorkItem(ctx context.Context, d Deps, in UpdateWorkItemInput) (none UpdateWorkItemOutput, err error) {
	if err := in.judge(); err != nil {
		return none, err
	}
	assignee, err := d.optPerson("/assignee", in.Assignee)
	if err != nil {
		return none, err
	}
	return store.Write(ctx, d.Store, func(t *store.Tx) (out UpdateWorkItemOutput, err error) {
		it, err := itemAbout(&t.Reader, in.Item)
		if err != nil {
			return out, err
		}
		if err := it.fresh(in.IfMatch); err != nil {
			return out, err
		}
		a := amendment{t: t, it: it}
		if err := a.apply(in, assignee); err != nil {
			return out, err
		}
		return UpdateWorkItemOutput{WorkItemReceipt: it.receipt(), Changed: a.changed}, nil
	})
}
