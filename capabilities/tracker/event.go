package tracker

import "github.com/seed-89b9419b/holotype/internal/store"

// The kinds of what the log says changed.
const (
	kindProject = "project"
	kindItem    = "work_item"
	kindLabel   = "label"
	kindFile    = "project_file"
	// kindGone is the kind of the change that the project of a work item has of its move:
	// the item's own stands in the project that it moved to.
	kindGone = "work_item_gone"
)

// Action is what was done to an object.
type Action string

// The closed set of actions.
const (
	created   Action = "created"
	updated   Action = "updated"
	commented Action = "commented"
	asked     Action = "asked"
	answered  Action = "answered"
	moved     Action = "moved"
	movedAway Action = "moved_away"
	merged    Action = "merged"
	removed   Action = "removed"
	restored  Action = "restored"
	purged    Action = "purged"
	written   Action = "written"
)

// SchemaEnum lists the members.
func (Action) SchemaEnum() []string {
	return []string{
		string(created), string(updated), string(commented), string(asked), string(answered), string(moved), string(movedAway),
		string(merged), string(removed), string(restored), string(purged), string(written),
	}
}

// event is the body of a row of the log. It describes: fields by their names, words of
// closed sets, keys and ids. What people wrote is never in it.
type event struct {
	Action Action   `json:"action"`
	Key    string   `json:"key,omitempty"`
	Fields []string `json:"fields,omitempty"`
	Status Status   `json:"status,omitempty"`
	Other  string   `json:"other,omitempty"`
}

// logGone says in the project that an item had that it moved away: the key that it had
// there is from.
func (it *item) logGone(t *store.Tx, project, from string) error {
	e := event{Action: movedAway, Key: from, Fields: []string{"key", "project"}, Other: it.key()}
	return t.Change(store.Change{Kind: kindGone, ID: it.ID, Scope: project, Version: it.Version, Body: e})
}

// log says that an item changed, or that something happened to it.
func (it *item) log(t *store.Tx, e event) error {
	e.Key = it.key()
	return t.Change(store.Change{Kind: kindItem, ID: it.ID, Scope: it.Project, Version: it.Version, Body: e})
}
