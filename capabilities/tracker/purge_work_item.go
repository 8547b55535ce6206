package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// PurgeWorkItem removes a work item of the trash for good.
var PurgeWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "purge_work_item",
	Title:    "Purge work item",
	Summary:  "Remove a work item of the trash for good, with the subtasks that went there with it. For the lead of its project.",
	Effect:   capabilities.Destroy(capabilities.Shared),
	Route:    "DELETE /trash/{item}",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "an item of the trash", In: `{"item":"WEB-7"}`},
		{Name: "an item that is not in the trash", In: `{"item":"WEB-1"}`, Refuses: capabilities.Conflict},
	},
}, purgeWorkItem)

// PurgeWorkItemInput says what to remove for good.
type PurgeWorkItemInput struct {
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
}

// PurgeWorkItemOutput is the receipt of a purge.
type PurgeWorkItemOutput struct {
	capabilities.Receipt
	// The key that the item had. It is not given out again.
	Key string `json:"key"`
	// The id that the item had.
	ID string `json:"id"`
	// The keys of the subtasks that are gone with it.
	Subtasks []string `json:"subtasks"`
}

// purgeStatements remove all that is of one item.
var purgeStatements = []string{deleteItemLabels, deleteLinksFrom, deleteLinksTo, deleteComments, deleteTexts, deleteItem}

func purgeWorkItem(ctx context.Context, d Deps, in PurgeWorkItemInput) (PurgeWorkItemOutput, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (out PurgeWorkItemOutput, err error) {
		it, err := d.itemOfLead(ctx, &t.Reader, in.Item, "purging work items of")
		if err != nil {
			return out, err
		}
		if !it.trashed() {
			return out, capabilities.Refuse(capabilities.Conflict, "work item %s is not in the trash, and only what is there is purged: remove_work_item puts it there", it.key())
		}
		with, err := it.trashedWith(&t.Reader, purging)
		if err != nil {
			return out, err
		}
		for _, one := range with {
			if err := one.purge(t); err != nil {
				return out, err
			}
		}
		return PurgeWorkItemOutput{Key: it.key(), ID: it.ID, Subtasks: keysOf(with[1:])}, nil
	})
}

// purge removes the rows of the item. Its keys stay, so that nobody gets them. What is
// in the trash on its own account below it is at the top when it is restored.
func (it *item) purge(t *store.Tx) error {
	if _, err := t.Exec(orphanChildren, it.ID); err != nil {
		return err
	}
	for _, statement := range purgeStatements {
		if _, err := t.Exec(statement, it.ID); err != nil {
			return err
		}
	}
	it.Version++
	return it.log(t, event{Action: purged})
}
