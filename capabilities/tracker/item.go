package tracker

import (
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// WorkItem is one work item as a list shows it.
type WorkItem struct {
	// The key, such as WEB-12.
	Key string `json:"key"`
	// The id, which stays when a move changes the key.
	ID string `json:"id"`
	// The version to send as if_match with a change.
	Version int64 `json:"version"`
	// The key of its project.
	Project string `json:"project"`
	// What it is about.
	Title string `json:"title"`
	// Where it stands.
	Status Status `json:"status"`
	// How urgent it is.
	Priority Priority `json:"priority"`
	// The id of whom it is given to; absent for nobody.
	Assignee string `json:"assignee,omitempty"`
	// The names of its labels, in their order.
	Labels []string `json:"labels"`
	// The key of the item it is a subtask of; absent at the top.
	Parent string `json:"parent,omitempty"`
	// When it was filed, as RFC 3339.
	CreatedAt string `json:"created_at"`
	// Who filed it.
	CreatedBy string `json:"created_by"`
	// When the item itself was last changed, as RFC 3339. A comment is no change of it.
	UpdatedAt string `json:"updated_at"`
	// Who changed it last.
	UpdatedBy string `json:"updated_by"`
}

// WorkItemReceipt is what a write of a work item answers.
type WorkItemReceipt struct {
	capabilities.Receipt
	// The item's key after the call.
	Key string `json:"key"`
	// The item's id.
	ID string `json:"id"`
	// The item's own newest version: the one to send back as if_match.
	Version int64 `json:"version"`
}

// ChecklistEntry is one entry of the checklist of a work item.
type ChecklistEntry struct {
	// The number that names it within the item.
	ID int64 `json:"id"`
	// What is to be done.
	Text string `json:"text"`
	// Whether it is done.
	Done bool `json:"done"`
}

// item is a row of tracker_items, all but its description.
type item struct {
	ID          string  `db:"id"`
	Seq         int64   `db:"seq"`
	Project     string  `db:"project"`
	Num         int64   `db:"num"`
	Version     int64   `db:"version"`
	Title       string  `db:"title"`
	Status      Status  `db:"status"`
	Priority    *int64  `db:"priority"`
	Assignee    *string `db:"assignee"`
	ParentID    *string `db:"parent_id"`
	MergedInto  *string `db:"merged_into"`
	TrashedWith *string `db:"trashed_with"`
	TrashedMS   *int64  `db:"trashed_ms"`
	TrashedBy   *string `db:"trashed_by"`
	CreatedMS   int64   `db:"created_ms"`
	CreatedBy   string  `db:"created_by"`
	UpdatedMS   int64   `db:"updated_ms"`
	UpdatedBy   string  `db:"updated_by"`
	TextVersion int64   `db:"text_version"`
	TextMS      int64   `db:"text_ms"`
	TextBy      string  `db:"text_by"`
	Checks      int64   `db:"checks"`
	Checklist   string  `db:"checklist"`
	// ParentNum is the number of the parent, which is of the same project.
	ParentNum *int64 `db:"parent_num"`
}

func (it *item) key() string { return keyOf(it.Project, it.Num) }

func (it *item) trashed() bool { return it.TrashedMS != nil }

func (it *item) receipt() WorkItemReceipt {
	return WorkItemReceipt{Key: it.key(), ID: it.ID, Version: it.Version}
}

func (it *item) show(labels []string) WorkItem {
	w := WorkItem{
		Key: it.key(), ID: it.ID, Version: it.Version, Project: it.Project, Title: it.Title, Status: it.Status,
		Priority: priorityOf(it.Priority), Assignee: deref(it.Assignee), Labels: labels,
		CreatedAt: stamp(it.CreatedMS), CreatedBy: it.CreatedBy, UpdatedAt: stamp(it.UpdatedMS), UpdatedBy: it.UpdatedBy,
	}
	if it.ParentNum != nil {
		w.Parent = keyOf(it.Project, *it.ParentNum)
	}
	return w
}

// entries answers the checklist.
func (it *item) entries() ([]ChecklistEntry, error) {
	var all []ChecklistEntry
	if err := json.Unmarshal([]byte(it.Checklist), &all); err != nil {
		return nil, fmt.Errorf("reading the checklist of %s: %w", it.ID, err)
	}
	return all, nil
}

// setEntries puts a checklist in place.
func (it *item) setEntries(all []ChecklistEntry) error {
	if all == nil {
		all = []ChecklistEntry{}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("writing the checklist of %s: %w", it.ID, err)
	}
	it.Checklist = string(raw)
	return nil
}
