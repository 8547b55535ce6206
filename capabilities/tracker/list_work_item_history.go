package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListWorkItemHistory lists what happened to a work item.
var ListWorkItemHistory = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_work_item_history",
	Title:   "List work item history",
	Summary: "List what happened to a work item, the newest first: who changed which fields when. get_work_item_text has earlier texts.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /work-items/{item}/history",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a history", In: `{"item":"WEB-1"}`},
		{Name: "an item that does not exist", In: `{"item":"WEB-9999"}`, Refuses: capabilities.NotFound},
	},
}, listWorkItemHistory)

// ListWorkItemHistoryInput names a work item.
type ListWorkItemHistoryInput struct {
	capabilities.PageInput
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
}

func listWorkItemHistory(ctx context.Context, d Deps, in ListWorkItemHistoryInput) (out capabilities.Page[Activity], err error) {
	at, err := from(in.PageInput, newest)
	if err != nil {
		return out, err
	}
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		it, err := itemAbout(r, in.Item)
		if err != nil {
			return err
		}
		rows, err := history(r, it.ID, at[0], limitOf(in.PageInput)+1)
		if err != nil {
			return err
		}
		out, err = activityPage(d, rows, in.PageInput)
		return err
	})
	return out, err
}
