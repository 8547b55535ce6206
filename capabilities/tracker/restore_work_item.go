package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RestoreWorkItem takes a work item out of the trash.
var RestoreWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "restore_work_item",
	Title:    "Restore work item",
	Summary:  "Take a work item out of the trash, with the subtasks that went there with it. For the lead of its project.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "POST /work-items/{item}/restore",
	Delivers: delivers,
	Undo:     "remove_work_item",
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "an item of the trash", In: `{"item":"WEB-6"}`},
		{Name: "an item that does not exist", In: `{"item":"WEB-9999"}`, Refuses: capabilities.NotFound},
	},
}, restoreWorkItem)

// RestoreWorkItemInput says what to restore.
type RestoreWorkItemInput struct {
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
}

func restoreWorkItem(ctx context.Context, d Deps, in RestoreWorkItemInput) (TrashReceipt, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (out TrashReceipt, err error) {
		it, err := d.itemOfLead(ctx, &t.Reader, in.Item, "restoring work items of")
		if err != nil {
			return out, err
		}
		if !it.trashed() {
			out.WorkItemReceipt = it.receipt()
			return out, nil
		}
		with, err := it.trashedWith(&t.Reader, "restore")
		if err != nil {
			return out, err
		}
		for _, one := range with {
			one.TrashedWith, one.TrashedMS, one.TrashedBy = nil, nil, nil
			if err := one.amended(t); err != nil {
				return out, err
			}
			if err := one.reindex(t); err != nil {
				return out, err
			}
			if err := one.log(t, event{Action: restored}); err != nil {
				return out, err
			}
		}
		return TrashReceipt{WorkItemReceipt: with[0].receipt(), Subtasks: keysOf(with[1:])}, nil
	})
}

// trashedWith answers what is in the trash because of the item: itself first, then the
// subtasks that went along. One that went along itself, or whose parent is in the
// trash, is refused: verb is what to do with the other one.
func (it *item) trashedWith(r *store.Reader, verb string) ([]*item, error) {
	above := it.ParentID
	if *it.TrashedWith != it.ID {
		above = it.TrashedWith
	}
	if above != nil {
		other, err := findItem(r, *above)
		if err != nil {
			return nil, err
		}
		if other != nil && other.trashed() && (verb == "restore" || *it.TrashedWith != it.ID) {
			return nil, capabilities.Refuse(capabilities.Conflict, "%s is in the trash below %s: %s that one", it.key(), other.key(), verb)
		}
	}
	var rows []*item
	if err := r.Select(&rows, selectTrashedWith, it.ID); err != nil {
		return nil, err
	}
	all := []*item{it}
	for _, row := range rows {
		if row.ID != it.ID {
			all = append(all, row)
		}
	}
	return all, nil
}
