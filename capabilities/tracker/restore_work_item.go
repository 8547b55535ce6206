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
		with, err := it.trashedWith(&t.Reader, restoring)
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

// The two ways out of the trash.
const (
	restoring = "restore"
	purging   = "purge"
)

// holder answers the item that keeps this one in the trash: the one it went there with,
// or its parent; nil for none.
func (it *item) holder(r *store.Reader) (*item, error) {
	above := it.ParentID
	if *it.TrashedWith != it.ID {
		above = it.TrashedWith
	}
	if above == nil {
		return nil, nil // nothing is above it, which is no error
	}
	other, err := findItem(r, *above)
	if err != nil || other == nil || !other.trashed() {
		return nil, err
	}
	return other, nil
}

// restoredFirst answers the item of the trash that is restored before this one can be:
// itself where nothing keeps it there.
func (it *item) restoredFirst(r *store.Reader) (*item, error) {
	first := it
	for range 2 * maxDepth { // each one may have a parent and one that it went along with
		holder, err := first.holder(r)
		if err != nil || holder == nil {
			return first, err
		}
		first = holder
	}
	return first, nil
}

// remedy says how the item comes back where first is what is restored first.
func (it *item) remedy(first *item) string {
	switch {
	case first.ID == it.ID:
		return "restore_work_item brings it back"
	case *it.TrashedWith == first.ID:
		return "restore_work_item of " + first.key() + ", which it went there with, brings it back"
	}
	return "restore " + first.key() + ", which it is below, with restore_work_item first"
}

// trashedWith answers what is in the trash because of the item: itself first, then the
// subtasks that went along. One that went along itself is refused, and so is restoring
// one whose parent is in the trash.
func (it *item) trashedWith(r *store.Reader, verb string) ([]*item, error) {
	holder, err := it.holder(r)
	if err != nil {
		return nil, err
	}
	if holder != nil && verb == purging && *it.TrashedWith != it.ID {
		return nil, capabilities.Refuse(capabilities.Conflict, "%s is in the trash with %s: purge_work_item of %s takes it along", it.key(), holder.key(), holder.key())
	}
	if holder != nil && verb == restoring {
		first, err := it.restoredFirst(r)
		if err != nil {
			return nil, err
		}
		return nil, capabilities.Refuse(capabilities.Conflict, "%s is in the trash below %s: %s", it.key(), holder.key(), it.remedy(first))
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
