package tracker

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	maxDepth = 16    // levels of subtasks, the top counted
	maxTree  = 1_000 // items that one call moves, removes or purges with their subtasks
)

// findItem answers the item of a key, present or former, or of an id. It is nil where
// there is none, and may be in the trash.
func findItem(r *store.Reader, ref string) (*item, error) {
	var it item
	var err error
	if project, num, ok := parseKey(ref); ok {
		err = r.Get(&it, selectItemByKey, project, num)
	} else {
		err = r.Get(&it, selectItem, ref)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // no row is no error, and the callers tell what it means
	}
	return &it, err
}

// itemAnywhere answers the item that a call is about, in the trash or not.
func itemAnywhere(r *store.Reader, ref string) (*item, error) {
	it, err := findItem(r, ref)
	if err == nil && it == nil {
		return nil, capabilities.Refuse(capabilities.NotFound, "there is no work item %.64q: list_work_items has the keys", ref)
	}
	return it, err
}

// itemAbout answers the item that a call is about.
func itemAbout(r *store.Reader, ref string) (*item, error) {
	it, err := itemAnywhere(r, ref)
	if err != nil || !it.trashed() {
		return it, err
	}
	first, err := it.restoredFirst(r)
	if err != nil {
		return nil, err
	}
	return nil, capabilities.Refuse(capabilities.NotFound, "work item %s is in the trash: %s", it.key(), it.remedy(first))
}

// itemNamed answers the item that the argument at pointer names.
func itemNamed(r *store.Reader, pointer, ref string) (*item, error) {
	it, err := findItem(r, ref)
	switch {
	case err != nil:
		return nil, err
	case it == nil:
		return nil, violates(pointer, "reference", "names a work item that does not exist: list_work_items has the keys")
	case it.trashed():
		first, err := it.restoredFirst(r)
		if err != nil {
			return nil, err
		}
		return nil, violates(pointer, "reference", "names "+it.key()+", which is in the trash: "+it.remedy(first)+", or name another item")
	}
	return it, nil
}

// fresh refuses a call about an item that was made for an older version of it.
func (it *item) fresh(ifMatch int64) error {
	if ifMatch == 0 || ifMatch == it.Version {
		return nil
	}
	return stale("work item "+it.key(), it.Version, ifMatch, "get_work_item")
}

// amended writes what was changed of the item and counts it as a change of its own.
func (it *item) amended(t *store.Tx) error {
	it.Version++
	it.UpdatedMS, it.UpdatedBy = t.Now().UnixMilli(), t.Who().ID
	_, err := t.Exec(updateItem, it.Project, it.Num, it.Version, it.Title, it.Status, it.Priority, it.Assignee, it.ParentID,
		it.MergedInto, it.TrashedWith, it.TrashedMS, it.TrashedBy, it.UpdatedMS, it.UpdatedBy,
		it.TextVersion, it.TextMS, it.TextBy, it.Checks, it.Checklist, it.ID)
	return err
}

// index puts the item into the search, or replaces it there.
func (it *item) index(t *store.Tx, description string) error {
	return t.Index(store.Doc{Kind: kindItem, ID: it.ID, Scope: it.Project, Title: it.Title, Body: description})
}

// reindex is [item.index] with the description that is stored.
func (it *item) reindex(t *store.Tx) error {
	var description string
	if err := t.Get(&description, selectDescription, it.ID); err != nil {
		return err
	}
	return it.index(t, description)
}

// numbers answers the next free number of a project and of the order of all items.
func numbers(t *store.Tx, project string) (num, seq int64, err error) {
	if err := t.Get(&num, selectLastNumber, project); err != nil {
		return 0, 0, err
	}
	err = t.Get(&seq, selectLastSeq)
	return num + 1, seq + 1, err
}

// descendants answers the items below it, every parent before its children. query
// answers the children of one: all, or those that are not in the trash.
func (it *item) descendants(r *store.Reader, query string) ([]*item, error) {
	var all []*item
	level := []*item{it}
	for len(level) > 0 {
		var next []*item
		for _, parent := range level {
			var children []*item
			if err := r.Select(&children, query, parent.ID, maxTree+1); err != nil {
				return nil, err
			}
			next = append(next, children...)
			if len(all)+len(next) >= maxTree {
				return nil, capabilities.Refuse(capabilities.TooLarge,
					"%s has more than %d subtasks, and that many are not changed in one call: begin with the subtasks", it.key(), maxTree-1)
			}
		}
		all = append(all, next...)
		level = next
	}
	return all, nil
}

// depth answers how many items stand above one, and whether one of them is other.
func depth(r *store.Reader, it *item, other string) (above int, within bool, err error) {
	for id := &it.ID; id != nil; above++ {
		if *id == other {
			within = true
		}
		if above > 4*maxDepth {
			return 0, false, fmt.Errorf("the parents of %s have no end", it.ID)
		}
		var parent *string
		if err := r.Get(&parent, selectParent, *id); err != nil {
			return 0, false, err
		}
		id = parent
	}
	return above - 1, within, nil
}

// height answers how many levels of subtasks are below an item.
func height(r *store.Reader, it *item) (int, error) {
	below, err := it.descendants(r, selectChildren)
	if err != nil {
		return 0, err
	}
	level, deepest := map[string]int{it.ID: 0}, 0
	for _, d := range below {
		level[d.ID] = level[deref(d.ParentID)] + 1
		deepest = max(deepest, level[d.ID])
	}
	return deepest, nil
}

// parentNamed answers the item that the argument at pointer names as the parent of an
// item of the project with so many levels of subtasks below it; child is nil for an item
// that is yet to come.
func parentNamed(r *store.Reader, pointer, ref, project string, child *item, levels int) (*item, error) {
	parent, err := itemNamed(r, pointer, ref)
	if err != nil {
		return nil, err
	}
	if parent.Project != project {
		return nil, violates(pointer, "reference", fmt.Sprintf("names %s, and a subtask is in the project of its parent: move the item to %s first, or name an item of %s",
			parent.key(), parent.Project, project))
	}
	id := ""
	if child != nil {
		id = child.ID
	}
	above, within, err := depth(r, parent, id)
	switch {
	case err != nil:
		return nil, err
	case within:
		return nil, violates(pointer, "reference", fmt.Sprintf("names %s, which is %s itself or a subtask of it: name an item outside of it", parent.key(), child.key()))
	case above+2+levels > maxDepth:
		return nil, violates(pointer, "reference", fmt.Sprintf("names %s, and there would be more than %d levels: name an item nearer to the top", parent.key(), maxDepth))
	}
	return parent, nil
}
