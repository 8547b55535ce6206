package tracker

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// MergeWorkItem folds a duplicate into the item that survives.
var MergeWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "merge_work_item",
	Title:    "Merge work item",
	Summary:  "Fold a duplicate into the work item that survives: linked, its subtasks put under that one, and closed as cancelled.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "POST /work-items/{item}/merge",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.Conflict, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "a duplicate", In: `{"item":"WEB-4","into":"WEB-1"}`},
		{Name: "into itself", In: `{"item":"WEB-1","into":"WEB-1"}`, Refuses: capabilities.Invalid},
	},
}, mergeWorkItem)

// MergeWorkItemInput says what to fold into what.
type MergeWorkItemInput struct {
	// The duplicate, by key or id; it is closed.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
	// The item that survives, by key or id.
	Into string `json:"into" jsonschema:"minLength=1,maxLength=64"`
	// Merge it only when this is the duplicate's version.
	IfMatch int64 `json:"if_match,omitempty" jsonschema:"minimum=1"`
}

// MergeWorkItemOutput is the receipt of a merge; key, id and version are the duplicate's.
type MergeWorkItemOutput struct {
	WorkItemReceipt
	// The key of the item that survives.
	Into string `json:"into"`
	// The keys of the subtasks that are under it now.
	Subtasks []string `json:"subtasks"`
}

func mergeWorkItem(ctx context.Context, d Deps, in MergeWorkItemInput) (MergeWorkItemOutput, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (out MergeWorkItemOutput, err error) {
		it, err := itemAbout(&t.Reader, in.Item)
		if err != nil {
			return out, err
		}
		if err := it.fresh(in.IfMatch); err != nil {
			return out, err
		}
		into, err := itemNamed(&t.Reader, "/into", in.Into)
		if err != nil {
			return out, err
		}
		out.Into = into.key()
		if deref(it.MergedInto) == into.ID && it.Status == Cancelled {
			out.WorkItemReceipt = it.receipt()
			return out, nil
		}
		if out.Subtasks, err = it.foldInto(t, into); err != nil {
			return out, err
		}
		out.WorkItemReceipt = it.receipt()
		return out, nil
	})
}

// foldInto merges the item into another one and answers the keys of the subtasks that
// came along.
func (it *item) foldInto(t *store.Tx, into *item) ([]string, error) {
	switch other, err := it.survivor(&t.Reader); {
	case err != nil:
		return nil, err
	case other != "":
		return nil, capabilities.Refuse(capabilities.Conflict, "%s was merged into %s already: set its status first to work on it again", it.key(), other)
	}
	switch other, err := into.survivor(&t.Reader); {
	case err != nil:
		return nil, err
	case other != "":
		return nil, violates("/into", "reference", "names "+into.key()+", which was merged into "+other+" itself: send that one")
	}
	children, err := it.children(&t.Reader, into)
	if err != nil {
		return nil, err
	}
	e := event{Action: merged, Other: into.key()}
	linked, err := it.linkTo(t, into, Duplicates)
	if err != nil {
		return nil, err
	}
	if linked {
		e.Fields = append(e.Fields, "links")
	}
	var keys []string
	for _, child := range children {
		child.ParentID = &into.ID
		if err := child.amended(t); err != nil {
			return nil, err
		}
		if err := child.log(t, event{Action: updated, Fields: []string{"parent"}}); err != nil {
			return nil, err
		}
		keys = append(keys, child.key())
	}
	if it.Status != Cancelled {
		it.Status, e.Status = Cancelled, Cancelled
		e.Fields = append(e.Fields, "status")
	}
	it.MergedInto = &into.ID
	if err := it.amended(t); err != nil {
		return nil, err
	}
	return keys, it.log(t, e)
}

// children answers the subtasks of the item, those in the trash included, where they
// can become those of another one.
func (it *item) children(r *store.Reader, into *item) ([]*item, error) {
	above, within, err := depth(r, into, it.ID)
	if err != nil {
		return nil, err
	}
	if within {
		return nil, violates("/into", "reference", fmt.Sprintf("names %s, which is %s itself or a subtask of it: name an item outside of it", into.key(), it.key()))
	}
	below, err := it.descendants(r, selectChildren)
	if err != nil || len(below) == 0 {
		return nil, err
	}
	if it.Project != into.Project {
		return nil, violates("/into", "reference", fmt.Sprintf("names %s, and the subtasks of %s are in project %s with it: move %s to %s first, with move_work_item",
			into.key(), it.key(), it.Project, it.key(), into.Project))
	}
	levels, err := height(r, it)
	if err != nil {
		return nil, err
	}
	if above+1+levels > maxDepth {
		return nil, violates("/into", "reference", fmt.Sprintf("names %s, and there would be more than %d levels: name an item nearer to the top", into.key(), maxDepth))
	}
	var direct []*item
	for _, d := range below {
		if deref(d.ParentID) == it.ID {
			direct = append(direct, d)
		}
	}
	return direct, nil
}
