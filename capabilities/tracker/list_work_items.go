package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListWorkItems lists work items by what they are.
var ListWorkItems = capabilities.Declare(Pack, capabilities.Spec{
	Name:  "list_work_items",
	Title: "List work items",
	Summary: "List work items by project, status, assignee, label, parent, priority or time of change: the newest first. " +
		"search_work_items finds them by what they say.",
	Effect: capabilities.Read(capabilities.Shared),
	Route:  "GET /work-items",
	Examples: []capabilities.Example{
		{Name: "what is open in a project", In: `{"project":"WEB","status":["triage","todo","in_progress","in_review"]}`},
		{Name: "what somebody has to do", In: `{"assignee":"kim","status":["todo"],"limit":10}`},
		{Name: "a label", In: `{"project":"WEB","label":"bug"}`},
		{Name: "a project that does not exist", In: `{"project":"NONE"}`, Refuses: capabilities.Invalid},
	},
}, listWorkItems)

// ListWorkItemsInput selects work items: those that every given field is true of. They
// are listed by age, the newest first; with updated_since by the time of change.
type ListWorkItemsInput struct {
	capabilities.PageInput
	// Only items of this project, by its key.
	Project string `json:"project,omitempty" jsonschema:"minLength=1,maxLength=10"`
	// Only items with one of these statuses.
	Status []Status `json:"status,omitempty" jsonschema:"maxItems=6"`
	// Only items that are given to this person or seat, by id.
	Assignee string `json:"assignee,omitempty" jsonschema:"minLength=1,maxLength=100"`
	// Only items that are given to nobody.
	Unassigned bool `json:"unassigned,omitempty"`
	// Only items with this label, by name or id; goes with project.
	Label string `json:"label,omitempty" jsonschema:"minLength=1,maxLength=64"`
	// Only subtasks of this item, by key or id.
	Parent string `json:"parent,omitempty" jsonschema:"minLength=1,maxLength=64"`
	// Only items of this priority.
	Priority Priority `json:"priority,omitempty"`
	// Only items that were changed at this time or later, as RFC 3339; lists the longest unchanged first, and one that changes meanwhile again.
	UpdatedSince string `json:"updated_since,omitempty" jsonschema:"format=date-time"`
}

func listWorkItems(ctx context.Context, d Deps, in ListWorkItemsInput) (out capabilities.Page[WorkItem], err error) {
	if in.Assignee != "" {
		if in.Unassigned {
			return out, violates("/unassigned", "not", "does not go with assignee: send one of them")
		}
		if in.Assignee, err = d.person("/assignee", in.Assignee); err != nil {
			return out, err
		}
	}
	if in.Label != "" && in.Project == "" {
		return out, violates("/project", "required", "is missing, and a label is one of a project: send both")
	}
	var sel selection
	if sel.since, err = in.since(); err != nil {
		return out, err
	}
	if err := sel.begin(in.PageInput); err != nil {
		return out, err
	}
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		if err := sel.narrow(r, in); err != nil {
			return err
		}
		rows, err := sel.read(r, in.statuses(), limitOf(in.PageInput)+1)
		if err != nil {
			return err
		}
		rows, more := cut(rows, in.PageInput)
		if more {
			out.NextCursor = in.Next(sel.place(rows[len(rows)-1]))
		}
		out.Items, err = shown(r, rows)
		return err
	})
	return out, err
}

// statuses answers those to list, each once; "" alone for all.
func (in ListWorkItemsInput) statuses() []Status {
	if len(in.Status) == 0 {
		return []Status{""}
	}
	all := slices.Clone(in.Status)
	slices.Sort(all)
	return slices.Compact(all)
}

// since answers the time of updated_since; nil where it is absent. A fraction of a
// millisecond is left out of what is stored, so it counts up here.
func (in ListWorkItemsInput) since() (*int64, error) {
	if in.UpdatedSince == "" {
		return nil, nil // nothing was asked for
	}
	at, err := time.Parse(time.RFC3339Nano, in.UpdatedSince)
	if err != nil {
		return nil, violates("/updated_since", "format", "is no time as RFC 3339 has it, such as 2026-01-31T09:00:00Z")
	}
	ms := at.UnixMilli()
	if at.Nanosecond()%int(time.Millisecond) != 0 {
		ms++
	}
	return &ms, nil
}
