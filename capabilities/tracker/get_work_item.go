package tracker

import (
	"context"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// GetWorkItem answers one work item in full.
var GetWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:  "get_work_item",
	Title: "Get work item",
	Summary: "Get one work item: description, checklist, links, subtasks, the newest of its thread and history. " +
		"list_comments and list_work_item_history have all.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /work-items/{item}",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "by its key", In: `{"item":"WEB-1"}`},
		{Name: "a key nobody gave out", In: `{"item":"WEB-9999"}`, Refuses: capabilities.NotFound},
	},
}, getWorkItem)

// GetWorkItemInput names a work item.
type GetWorkItemInput struct {
	// The item, by its key, one it had before it moved, or its id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
}

// WorkItemDetail is one work item in full.
type WorkItemDetail struct {
	WorkItem
	// All there is to say, as Markdown.
	Description string `json:"description"`
	// The version from which on it has this title and description.
	TextVersion int64 `json:"text_version"`
	// The keys it had before it moved.
	FormerKeys []string `json:"former_keys"`
	// The key of the item it was merged into; absent where it was not, or that one is gone for good.
	MergedInto string `json:"merged_into,omitempty"`
	// What is to be done, in its order.
	Checklist []ChecklistEntry `json:"checklist"`
	// How it stands to other items.
	Links []Link `json:"links"`
	// Its subtasks, the oldest first; at most 100, list_work_items has all.
	Subtasks []WorkItem `json:"subtasks"`
	// Whether it has more subtasks than these.
	MoreSubtasks bool `json:"more_subtasks"`
	// The newest 50 comments, the oldest of them first.
	Thread []Comment `json:"thread"`
	// Whether there are older comments.
	MoreThread bool `json:"more_thread"`
	// The newest 20 things that happened to it, the newest first.
	History []Activity `json:"history"`
	// Whether there is older history.
	MoreHistory bool `json:"more_history"`
}

const (
	mostSubtasks = 100
	mostThread   = 50
	mostHistory  = 20
)

func getWorkItem(ctx context.Context, d Deps, in GetWorkItemInput) (out WorkItemDetail, err error) {
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		it, err := itemAbout(r, in.Item)
		if err != nil {
			return err
		}
		out, err = d.detail(r, it)
		return err
	})
	return out, err
}

// detail reads everything about an item.
func (d Deps) detail(r *store.Reader, it *item) (out WorkItemDetail, err error) {
	if err := r.Get(&out.Description, selectDescription, it.ID); err != nil {
		return out, err
	}
	out.TextVersion = it.TextVersion
	if out.Checklist, err = it.entries(); err != nil {
		return out, err
	}
	if out.Links, err = it.links(r); err != nil {
		return out, err
	}
	if out.FormerKeys, err = it.formerKeys(r); err != nil {
		return out, err
	}
	if out.MergedInto, err = it.survivor(r); err != nil {
		return out, err
	}
	var subtasks []*item
	if err := r.Select(&subtasks, selectSubtasks, it.ID, mostSubtasks+1); err != nil {
		return out, err
	}
	if len(subtasks) > mostSubtasks {
		subtasks, out.MoreSubtasks = subtasks[:mostSubtasks], true
	}
	all, err := shown(r, append([]*item{it}, subtasks...))
	if err != nil {
		return out, err
	}
	out.WorkItem, out.Subtasks = all[0], all[1:]
	var thread []*commentRow
	if err := r.Select(&thread, selectNewestComments, it.ID, mostThread+1); err != nil {
		return out, err
	}
	if len(thread) > mostThread {
		thread, out.MoreThread = thread[:mostThread], true
	}
	slices.Reverse(thread)
	if out.Thread, err = showComments(thread); err != nil {
		return out, err
	}
	past, err := history(r, it.ID, newest, mostHistory+1)
	if err != nil {
		return out, err
	}
	if len(past) > mostHistory {
		past, out.MoreHistory = past[:mostHistory], true
	}
	out.History, err = d.activities(past)
	return out, err
}

// formerKeys answers the keys that an item had, the oldest first.
func (it *item) formerKeys(r *store.Reader) ([]string, error) {
	var rows []struct {
		Project string `db:"project"`
		Num     int64  `db:"num"`
	}
	if err := r.Select(&rows, selectKeys, it.ID); err != nil {
		return nil, err
	}
	var all []string
	for _, row := range rows {
		if key := keyOf(row.Project, row.Num); key != it.key() {
			all = append(all, key)
		}
	}
	return all, nil
}

// survivor answers the key of the item that this one was merged into; "" for none, or
// one that is gone for good: it is a duplicate of nothing then.
func (it *item) survivor(r *store.Reader) (string, error) {
	if it.MergedInto == nil {
		return "", nil
	}
	other, err := findItem(r, *it.MergedInto)
	if err != nil || other == nil {
		return "", err
	}
	return other.key(), nil
}
