package tracker

import (
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// amendment is a change of one work item on its way.
type amendment struct {
	t       *store.Tx
	it      *item
	changed changes
}

// apply changes the item as the input asks. An input that asks for what is so already
// writes nothing.
func (a *amendment) apply(in UpdateWorkItemInput, assignee *string) error {
	before := a.it.Status
	if err := a.texts(in.Title, in.Description); err != nil {
		return err
	}
	set(&a.changed, "status", &a.it.Status, in.Status)
	a.priority(in.Priority)
	a.assignee(assignee)
	if err := a.parent(in); err != nil {
		return err
	}
	if err := a.labels(in); err != nil {
		return err
	}
	if err := a.links(in); err != nil {
		return err
	}
	if in.Checklist != nil {
		changed, err := in.Checklist.apply(a.it)
		if err != nil {
			return err
		}
		if changed {
			a.changed = append(a.changed, "checklist")
		}
	}
	if in.Reason != "" && !slices.Contains(a.changed, "assignee") {
		return violates("/reason", "not", a.it.key()+" is given to "+deref(a.it.Assignee)+" already, and a reason goes with a new assignee: post it with comment_on_work_item")
	}
	if len(a.changed) == 0 {
		return nil
	}
	e := event{Action: updated, Fields: a.changed}
	if a.it.Status != before {
		e.Status = a.it.Status
		if before == Cancelled {
			a.it.MergedInto = nil // it is worked on again
		}
	}
	if err := a.it.amended(a.t); err != nil {
		return err
	}
	if err := a.it.log(a.t, e); err != nil {
		return err
	}
	if in.Reason == "" {
		return nil
	}
	c := comment{Kind: Reason, Body: in.Reason}
	return c.post(a.t, a.it)
}

// texts changes title and description and keeps those of before.
func (a *amendment) texts(title, description *string) error {
	var c changes
	var text string
	if title != nil || description != nil {
		if err := a.t.Get(&text, selectDescription, a.it.ID); err != nil {
			return err
		}
	}
	set(&c, "title", &a.it.Title, title)
	set(&c, "description", &text, description)
	if len(c) == 0 {
		return nil
	}
	a.changed = append(a.changed, c...)
	if _, err := a.t.Exec(insertText, a.it.ID); err != nil { // copies what the row still holds
		return err
	}
	a.it.TextVersion, a.it.TextMS, a.it.TextBy = a.it.Version+1, a.t.Now().UnixMilli(), a.t.Who().ID
	if _, err := a.t.Exec(updateDescription, text, a.it.ID); err != nil {
		return err
	}
	return a.it.index(a.t, text)
}

func (a *amendment) priority(to *Priority) {
	if to != nil && *to != priorityOf(a.it.Priority) {
		a.it.Priority = to.rank()
		a.changed = append(a.changed, "priority")
	}
}

func (a *amendment) assignee(to *string) {
	now := deref(a.it.Assignee)
	set(&a.changed, "assignee", &now, to)
	a.it.Assignee = orNull(now)
}

func (a *amendment) parent(in UpdateWorkItemInput) error {
	if in.Parent.IsZero() {
		return nil
	}
	now := deref(a.it.ParentID)
	to := ""
	if ref, given := in.Parent.Get(); given {
		levels, err := height(&a.t.Reader, a.it)
		if err != nil {
			return err
		}
		parent, err := parentNamed(&a.t.Reader, "/parent", ref, a.it.Project, a.it, levels)
		if err != nil {
			return err
		}
		to = parent.ID
	}
	set(&a.changed, "parent", &now, &to)
	a.it.ParentID = orNull(now)
	return nil
}

// labels adds and removes labels.
func (a *amendment) labels(in UpdateWorkItemInput) error {
	if len(in.AddLabels)+len(in.RemoveLabels) == 0 {
		return nil
	}
	var now []*label
	if err := a.t.Select(&now, selectItemLabels, a.it.ID); err != nil {
		return err
	}
	has := map[string]bool{}
	for _, l := range now {
		has[l.ID] = true
	}
	add, err := labelsNamed(a.t, "/add_labels", a.it.Project, in.AddLabels, in.LabelsCreateMissing)
	if err != nil {
		return err
	}
	remove, err := labelsNamed(a.t, "/remove_labels", a.it.Project, in.RemoveLabels, false)
	if err != nil {
		return err
	}
	for _, l := range remove {
		if slices.ContainsFunc(add, func(o *label) bool { return o.ID == l.ID }) {
			return violates("/remove_labels", "not", "names "+l.Name+", which add_labels names, too: send it in one of them")
		}
	}
	changed := false
	for _, l := range remove {
		if has[l.ID] {
			changed = true
			delete(has, l.ID)
			if _, err := a.t.Exec(deleteItemLabel, l.ID, a.it.Seq); err != nil {
				return err
			}
		}
	}
	for _, l := range add {
		if !has[l.ID] {
			changed = true
			has[l.ID] = true
			if _, err := a.t.Exec(insertItemLabel, l.ID, a.it.Seq, a.it.ID); err != nil {
				return err
			}
		}
	}
	if len(has) > maxLabels {
		return violates("/add_labels", "maxItems", fmt.Sprintf("would give %s %d labels, and %d are the most: remove some", a.it.key(), len(has), maxLabels))
	}
	if changed {
		a.changed = append(a.changed, "labels")
	}
	return nil
}

// links adds and removes links.
func (a *amendment) links(in UpdateWorkItemInput) error {
	changed := false
	if err := a.linksTwice(in); err != nil {
		return err
	}
	for i, link := range in.RemoveLinks {
		gone, err := a.it.unlink(a.t, fmt.Sprintf("/remove_links/%d", i), link)
		if err != nil {
			return err
		}
		changed = changed || gone
	}
	for i, link := range in.AddLinks {
		added, err := a.it.link(a.t, fmt.Sprintf("/add_links/%d", i), link)
		if err != nil {
			return err
		}
		changed = changed || added
	}
	if changed {
		a.changed = append(a.changed, "links")
	}
	return nil
}

// linksTwice refuses a link that is to be added and removed.
func (a *amendment) linksTwice(in UpdateWorkItemInput) error {
	type ends struct {
		from, to string
		kind     LinkKind
	}
	removed := map[ends]int{}
	if len(in.AddLinks) == 0 {
		return nil
	}
	for i, link := range in.RemoveLinks {
		other, err := a.it.linkedTo(&a.t.Reader, fmt.Sprintf("/remove_links/%d", i), link)
		if err != nil {
			return err
		}
		from, kind, to := edge(a.it, other, link.Kind)
		removed[ends{from, to, kind}] = i
	}
	for i, link := range in.AddLinks {
		other, err := a.it.linkedTo(&a.t.Reader, fmt.Sprintf("/add_links/%d", i), link)
		if err != nil {
			return err
		}
		from, kind, to := edge(a.it, other, link.Kind)
		if n, twice := removed[ends{from, to, kind}]; twice {
			return violates(fmt.Sprintf("/remove_links/%d", n), "not", "is a link to "+other.key()+" that add_links names, too: send it in one of them")
		}
	}
	return nil
}
