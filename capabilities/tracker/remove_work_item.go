package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RemoveWorkItem puts a work item into the trash.
var RemoveWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "remove_work_item",
	Title:    "Remove work item",
	Summary:  "Put a work item and its subtasks into the trash, from where restore_work_item brings them back. For the lead.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "DELETE /work-items/{item}",
	Delivers: delivers,
	Undo:     "restore_work_item",
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "an item", In: `{"item":"WEB-5"}`},
		{Name: "an item that does not exist", In: `{"item":"WEB-9999"}`, Refuses: capabilities.NotFound},
	},
}, removeWorkItem)

// RemoveWorkItemInput says what to remove.
type RemoveWorkItemInput struct {
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
	// Remove it only when this is its version.
	IfMatch int64 `json:"if_match,omitempty" jsonschema:"minimum=1"`
}

// TrashReceipt is what a call answers that puts items into the trash or takes them out of it.
type TrashReceipt struct {
	WorkItemReceipt
	// The keys of the subtasks that went along.
	Subtasks []string `json:"subtasks"`
}

func removeWorkItem(ctx context.Context, d Deps, in RemoveWorkItemInput) (TrashReceipt, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (out TrashReceipt, err error) {
		it, err := d.itemOfLead(ctx, &t.Reader, in.Item, "removing work items of")
		if err != nil {
			return out, err
		}
		if err := it.fresh(in.IfMatch); err != nil {
			return out, err
		}
		if it.trashed() {
			out.WorkItemReceipt = it.receipt()
			return out, nil
		}
		below, err := it.descendants(&t.Reader, selectSubtasks)
		if err != nil {
			return out, err
		}
		now, who := t.Now().UnixMilli(), t.Who().ID
		for _, one := range append([]*item{it}, below...) {
			one.TrashedWith, one.TrashedMS, one.TrashedBy = &it.ID, &now, &who
			if err := one.amended(t); err != nil {
				return out, err
			}
			if err := t.Unindex(kindItem, one.ID); err != nil {
				return out, err
			}
			if err := one.log(t, event{Action: removed}); err != nil {
				return out, err
			}
		}
		return TrashReceipt{WorkItemReceipt: it.receipt(), Subtasks: keysOf(below)}, nil
	})
}

// itemOfLead answers the item that a call is about, in the trash or not, for the lead
// of its project. what says what was tried: "removing work items of".
func (d Deps) itemOfLead(ctx context.Context, r *store.Reader, ref, what string) (*item, error) {
	it, err := itemAnywhere(r, ref)
	if err != nil {
		return nil, err
	}
	p, err := projectNamed(r, "/item", it.Project)
	if err != nil {
		return nil, err
	}
	return it, d.lead(ctx, p, what+" "+p.Key)
}

func keysOf(items []*item) []string {
	var keys []string
	for _, it := range items {
		keys = append(keys, it.key())
	}
	return keys
}
