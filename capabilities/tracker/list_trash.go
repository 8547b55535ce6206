package tracker

import (
	"context"
	"math"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListTrash lists what is in the trash.
var ListTrash = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_trash",
	Title:   "List trash",
	Summary: "List the work items in the trash, the newest item first. Subtasks that went there with one are not listed by themselves.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /trash",
	Examples: []capabilities.Example{
		{Name: "everything", In: `{}`},
		{Name: "a project's", In: `{"project":"WEB","limit":5}`},
		{Name: "a project that does not exist", In: `{"project":"NONE"}`, Refuses: capabilities.Invalid},
	},
}, listTrash)

// ListTrashInput selects what is in the trash.
type ListTrashInput struct {
	capabilities.PageInput
	// Only items of this project, by its key.
	Project string `json:"project,omitempty" jsonschema:"minLength=1,maxLength=10"`
}

// TrashedItem is a work item in the trash.
type TrashedItem struct {
	// The item's key.
	Key string `json:"key"`
	// The item's id.
	ID string `json:"id"`
	// The key of its project.
	Project string `json:"project"`
	// What it is about.
	Title string `json:"title"`
	// When it was removed, as RFC 3339.
	RemovedAt string `json:"removed_at"`
	// Who removed it.
	RemovedBy string `json:"removed_by"`
}

func listTrash(ctx context.Context, d Deps, in ListTrashInput) (out capabilities.Page[TrashedItem], err error) {
	var sel selection
	if sel.at, err = from(in.PageInput, math.MaxInt64); err != nil {
		return out, err
	}
	sel.only(onlyTrash)
	if in.Project != "" {
		sel.only(onlyProject, in.Project)
	}
	var rows []*item
	err = store.Read(ctx, d.Store, func(r *store.Reader) (err error) {
		if in.Project != "" {
			if _, err := projectNamed(r, "/project", in.Project); err != nil {
				return err
			}
		}
		rows, err = sel.read(r, []Status{""}, limitOf(in.PageInput)+1)
		return err
	})
	if err != nil {
		return out, err
	}
	return pageOf(rows, in.PageInput, func(it *item) TrashedItem {
		return TrashedItem{
			Key: it.key(), ID: it.ID, Project: it.Project, Title: it.Title, RemovedAt: stampOf(it.TrashedMS), RemovedBy: deref(it.TrashedBy),
		}
	}, sel.place), nil
}
