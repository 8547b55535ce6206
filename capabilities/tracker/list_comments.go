package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListComments lists the thread of a work item.
var ListComments = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_comments",
	Title:   "List comments",
	Summary: "List the whole thread of a work item, the oldest comment first.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /work-items/{item}/comments",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a thread", In: `{"item":"WEB-1"}`},
		{Name: "an item that does not exist", In: `{"item":"WEB-9999"}`, Refuses: capabilities.NotFound},
	},
}, listComments)

// ListCommentsInput names a work item.
type ListCommentsInput struct {
	capabilities.PageInput
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
}

func listComments(ctx context.Context, d Deps, in ListCommentsInput) (out capabilities.Page[Comment], err error) {
	at, err := from(in.PageInput, 0)
	if err != nil {
		return out, err
	}
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		it, err := itemAbout(r, in.Item)
		if err != nil {
			return err
		}
		var rows []*commentRow
		if err := r.Select(&rows, selectComments, it.ID, at[0], limitOf(in.PageInput)+1); err != nil {
			return err
		}
		rows, more := cut(rows, in.PageInput)
		if more {
			out.NextCursor = in.Next(place(rows[len(rows)-1].Num))
		}
		out.Items, err = showComments(rows)
		return err
	})
	return out, err
}
