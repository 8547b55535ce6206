package tracker

import (
	"context"
	"database/sql"
	"errors"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// GetWorkItemText answers the title and description that a work item had.
var GetWorkItemText = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_work_item_text",
	Title:   "Get work item text",
	Summary: "Get the title and description that a work item had at one of its versions.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /work-items/{item}/texts/{version}",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "as it was filed", In: `{"item":"WEB-2","version":1}`},
		{Name: "a version it never had", In: `{"item":"WEB-2","version":9999}`, Refuses: capabilities.NotFound},
	},
}, getWorkItemText)

// GetWorkItemTextInput names a version of a work item.
type GetWorkItemTextInput struct {
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
	// The version of the item.
	Version int64 `json:"version" jsonschema:"minimum=1"`
}

// WorkItemText is a title and a description that a work item has or had.
type WorkItemText struct {
	// The version from which on the item had it.
	Version int64 `json:"version"`
	// What it was about.
	Title string `json:"title"`
	// All there was to say, as Markdown.
	Description string `json:"description"`
	// When it was written, as RFC 3339.
	At string `json:"at"`
	// Who wrote it.
	By string `json:"by"`
}

func getWorkItemText(ctx context.Context, d Deps, in GetWorkItemTextInput) (out WorkItemText, err error) {
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		it, err := itemAbout(r, in.Item)
		if err != nil {
			return err
		}
		if in.Version > it.Version {
			return capabilities.Refuse(capabilities.NotFound, "work item %s has had no version %d: its newest is %d", it.key(), in.Version, it.Version)
		}
		var row struct {
			Version     int64  `db:"version"`
			AtMS        int64  `db:"at_ms"`
			By          string `db:"by_id"`
			Title       string `db:"title"`
			Description string `db:"description"`
		}
		if in.Version >= it.TextVersion {
			err = r.Get(&row, selectNewestText, it.ID)
		} else {
			err = r.Get(&row, selectText, it.ID, in.Version)
		}
		if errors.Is(err, sql.ErrNoRows) {
			return capabilities.Refuse(capabilities.NotFound, "the text of version %d of %s is not kept", in.Version, it.key())
		}
		out = WorkItemText{Version: row.Version, Title: row.Title, Description: row.Description, At: stamp(row.AtMS), By: row.By}
		return err
	})
	return out, err
}
