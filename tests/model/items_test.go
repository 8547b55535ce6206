package model_test

import (
	"fmt"
	"slices"
)

// labelsNamed answers the serials of the labels that an argument names, each once.
func (c *call) labelsNamed(key string, p *project, create bool) (serials []int) {
	for i, ref := range texts(c.args, key) {
		l := c.label(p, ref)
		if l == nil && create && !p.Archived {
			l = c.newLabel(p, ref, "#808080")
		}
		if l == nil {
			c.refuse("unknown_label", fmt.Sprintf("/%s/%d", key, i))
			continue
		}
		if !slices.Contains(serials, l.Serial) {
			serials = append(serials, l.Serial)
		}
	}
	return serials
}

// linksNamed answers the links that an argument describes, as they are kept.
func (c *call) linksNamed(key string, i int) (links []link) {
	for n, in := range objects(c.args, key) {
		other := c.live(text1(in, "item"))
		if other == none || other == i {
			c.invalid(fmt.Sprintf("/%s/%d/item", key, n))
			continue
		}
		l := link{i, text1(in, "kind"), other}
		switch l.Kind {
		case "blocked_by", "duplicated_by":
			l = link{other, inverse(l.Kind), i}
		case "relates":
			l = link{min(i, other), l.Kind, max(i, other)}
		}
		links = append(links, l)
	}
	return links
}

// under judges an item as the parent of another one, i, that is there or yet to come.
func (c *call) under(pointer, ref, project string, i int) int {
	parent := c.live(ref)
	if parent == none || c.Items[parent].Project != project {
		c.invalid(pointer)
		return none
	}
	levels, within := c.above(parent, i)
	levels += 2 // the parent, and the item
	if i != none {
		levels += c.height(i)
	}
	if within || levels > 16 {
		c.invalid(pointer)
	}
	return parent
}

func (c *call) createItem() {
	a := c.args
	c.line("/title", text1(a, "title"))
	d, decides := a["decision"].(object)
	if decides && !given(a, "ask") {
		c.invalid("/ask")
	}
	p := c.project(text1(a, "project"))
	if p == nil || p.Archived {
		c.invalid("/project")
		return
	}
	it := item{
		Project: p.Key, Version: 1, Status: text1(a, "status"), Priority: text1(a, "priority"), Assignee: text1(a, "assignee"),
		Parent: none, Merged: none, Trashed: none, Created: c.Clock, Updated: c.Clock,
		Texts: []text{{1, text1(a, "title"), text1(a, "description"), c.Clock}},
	}
	if it.Priority == "" {
		it.Priority = "none"
	}
	why := "named_in_call"
	switch {
	case it.Assignee != "":
	case p.Default != "":
		it.Assignee, why = p.Default, "project_default"
	default:
		why = "nobody_named"
	}
	if it.Status == "" {
		it.Status = "todo"
		if it.Assignee == "" {
			it.Status = "triage"
		}
	}
	if given(a, "parent") {
		it.Parent = c.under("/parent", text1(a, "parent"), p.Key, none)
	}
	it.Labels = c.labelsNamed("labels", p, a["labels_create_missing"] == true)
	for _, t := range texts(a, "checklist") {
		it.Entries++
		it.Checklist = append(it.Checklist, entry{ID: it.Entries, Text: t})
	}
	p.Numbers++
	it.Keys = []string{fmt.Sprintf("%s-%d", p.Key, p.Numbers)}
	c.Items = append(c.Items, it)
	i := len(c.Items) - 1
	for _, l := range c.linksNamed("links", i) {
		if !slices.Contains(c.Links, l) {
			c.Links = append(c.Links, l)
		}
	}
	c.happened(i, event{Action: "created", Status: it.Status})
	c.receipt(i)
	assignment := object{"why": why}
	put(assignment, "id", it.Assignee)
	c.answer["status"], c.answer["assignee"] = it.Status, assignment
	if ask := text1(a, "ask"); ask != "" {
		q := comment{Kind: "question", Body: text1(a, "title"), Asked: ask, At: c.Clock, Options: texts(d, "options")}
		c.Items[i].Thread = []comment{q}
		c.answer["question"] = 1
		c.happened(i, event{Action: "asked"})
	}
}

func (c *call) updateItem() {
	a := c.args
	if given(a, "title") {
		c.line("/title", text1(a, "title"))
	}
	if given(a, "reason") && text1(a, "assignee") == "" {
		c.invalid("/reason")
	}
	i := c.itemAbout()
	if i == none {
		return
	}
	it := &c.Items[i]
	c.stale(it.Version)
	fields := []string{}
	e := event{Action: "updated"}
	now := it.text()
	set(a, "title", &now.Title, &fields)
	set(a, "description", &now.Description, &fields)
	if len(fields) > 0 {
		now.Version, now.At = it.Version+1, c.Clock
		it.Texts = append(it.Texts, now)
	}
	before := it.Status
	set(a, "status", &it.Status, &fields)
	if it.Status != before {
		e.Status = it.Status
		it.Merged = none // it is worked on again
	}
	set(a, "priority", &it.Priority, &fields)
	assigned := len(fields)
	set(a, "assignee", &it.Assignee, &fields)
	if given(a, "reason") && len(fields) == assigned {
		c.invalid("/reason")
	}
	if given(a, "parent") {
		to := none
		if a["parent"] != nil {
			to = c.under("/parent", text1(a, "parent"), it.Project, i)
		}
		if to != it.Parent {
			it.Parent = to
			fields = append(fields, "parent")
		}
	}
	if c.relabel(it) {
		fields = append(fields, "labels")
	}
	if c.relink(i) {
		fields = append(fields, "links")
	}
	if change, ok := a["checklist"].(object); ok && c.check(it, change) {
		fields = append(fields, "checklist")
	}
	e.Fields = fields
	if len(fields) > 0 {
		c.changed(i, e)
		if reason := text1(a, "reason"); reason != "" {
			it.Thread = append(it.Thread, comment{Kind: "reason", Body: reason, At: c.Clock})
			c.happened(i, event{Action: "commented"})
		}
	}
	c.receipt(i)
	c.answer["changed"] = fields
}

// relabel adds and removes labels and reports whether the item has others now.
func (c *call) relabel(it *item) bool {
	p := c.project(it.Project)
	add, remove := c.labelsNamed("add_labels", p, c.args["labels_create_missing"] == true), c.labelsNamed("remove_labels", p, false)
	before := slices.Clone(it.Labels)
	for _, l := range remove {
		if slices.Contains(add, l) {
			c.invalid("/remove_labels")
		}
		it.Labels = slices.DeleteFunc(it.Labels, func(n int) bool { return n == l })
	}
	for _, l := range add {
		if !slices.Contains(it.Labels, l) {
			it.Labels = append(it.Labels, l)
		}
	}
	return !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(it.Labels)))
}

// relink adds and removes links and reports whether there are others now.
func (c *call) relink(i int) (changed bool) {
	add, remove := c.linksNamed("add_links", i), c.linksNamed("remove_links", i)
	for n, l := range remove {
		if slices.Contains(add, l) {
			c.invalid(fmt.Sprintf("/remove_links/%d", n))
		}
		if at := slices.Index(c.Links, l); at >= 0 {
			c.Links = slices.Delete(c.Links, at, at+1)
			changed = true
		}
	}
	for _, l := range add {
		if !slices.Contains(c.Links, l) {
			c.Links = append(c.Links, l)
			changed = true
		}
	}
	return changed
}

// check makes a change of the checklist and reports whether it is different.
func (c *call) check(it *item, change object) bool {
	do, id := text1(change, "do"), number(change, "id")
	if do == "add" {
		it.Entries++
		it.Checklist = append(it.Checklist, entry{ID: it.Entries, Text: text1(change, "text")})
		return true
	}
	at := slices.IndexFunc(it.Checklist, func(e entry) bool { return e.ID == id })
	if at < 0 {
		c.invalid("/checklist/id")
		return false
	}
	before := it.Checklist[at]
	switch do {
	case "check":
		it.Checklist[at].Done = true
	case "uncheck":
		it.Checklist[at].Done = false
	case "reword":
		it.Checklist[at].Text = text1(change, "text")
	case "remove":
		it.Checklist = slices.Delete(it.Checklist, at, at+1)
		return true
	}
	return it.Checklist[at] != before
}

func (c *call) move() {
	i := c.itemAbout()
	if i == none {
		return
	}
	it, to := &c.Items[i], c.project(text1(c.args, "project"))
	c.stale(it.Version)
	if to == nil || to.Archived || to.Key == it.Project {
		c.invalid("/project")
	}
	if it.Parent != none {
		c.invalid("/item")
	}
	if len(c.faults) > 0 {
		return
	}
	from := c.project(it.Project)
	moved, created := []object{}, []string{}
	for _, n := range append([]int{i}, c.below(i, true)...) {
		one := &c.Items[n]
		slices.SortFunc(one.Labels, func(a, b int) int { return compareFolded(c.labelName(from.Key, a), c.labelName(from.Key, b)) })
		for k, serial := range one.Labels {
			name := c.labelName(from.Key, serial)
			l := c.label(to, name)
			if l == nil {
				old := from.Labels[slices.IndexFunc(from.Labels, func(l label) bool { return l.Serial == serial })]
				l = c.newLabel(to, name, old.Colour)
				created = append(created, name)
			}
			one.Labels[k] = l.Serial
		}
		was := one.key()
		to.Numbers++
		one.Keys, one.Project = append(one.Keys, fmt.Sprintf("%s-%d", to.Key, to.Numbers)), to.Key
		c.Items[n].Version++
		c.log(event{
			Kind: gone, Item: n, Key: was, Project: from.Key, Version: c.Items[n].Version,
			Action: "moved_away", Fields: []string{"key", "project"}, Other: one.key(),
		})
		c.Items[n].Version--
		c.changed(n, event{Action: "moved", Fields: []string{"key", "project"}, Other: was})
		moved = append(moved, object{"from": was, "to": one.key()})
	}
	c.receipt(i)
	c.answer["moved"], c.answer["labels_created"] = moved, created
}

func (c *call) merge() {
	i := c.itemAbout()
	if i == none {
		return
	}
	it := &c.Items[i]
	c.stale(it.Version)
	into := c.live(text1(c.args, "into"))
	if into == none {
		c.invalid("/into")
		return
	}
	if it.Merged == into {
		c.receipt(i)
		c.answer["into"], c.answer["subtasks"] = c.Items[into].key(), []string{}
		return
	}
	if c.mergedElsewhere(i) {
		c.refuse("conflict", "")
	}
	children, subtasks := c.children(i, true), []string{}
	levels, within := c.above(into, i)
	switch {
	case c.mergedElsewhere(into), within:
		c.invalid("/into")
	case len(children) > 0 && (it.Project != c.Items[into].Project || levels+1+c.height(i) > 16):
		c.invalid("/into")
	}
	if len(c.faults) > 0 {
		return
	}
	e := event{Action: "merged", Other: c.Items[into].key()}
	if l := (link{i, "duplicates", into}); !slices.Contains(c.Links, l) {
		c.Links = append(c.Links, l)
		e.Fields = append(e.Fields, "links")
	}
	for _, n := range children {
		c.Items[n].Parent = into
		c.changed(n, event{Action: "updated", Fields: []string{"parent"}})
		subtasks = append(subtasks, c.Items[n].key())
	}
	if it.Status != "cancelled" {
		it.Status, e.Status = "cancelled", "cancelled"
		e.Fields = append(e.Fields, "status")
	}
	it.Merged = into
	c.changed(i, e)
	c.receipt(i)
	c.answer["into"], c.answer["subtasks"] = c.Items[into].key(), subtasks
}

// mergedElsewhere reports whether an item was merged into one that is not gone for good.
func (c *call) mergedElsewhere(i int) bool {
	into := c.Items[i].Merged
	return into != none && !c.Items[into].Purged
}

func (c *call) remove() {
	i := c.find(text1(c.args, "item"))
	if i == none {
		c.refuse("not_found", "")
		return
	}
	c.stale(c.Items[i].Version)
	subtasks := []string{}
	if c.Items[i].Trashed == none {
		for _, n := range append([]int{i}, c.below(i, false)...) {
			c.Items[n].Trashed, c.Items[n].TrashedAt = i, c.Clock
			c.changed(n, event{Action: "removed"})
			if n != i {
				subtasks = append(subtasks, c.Items[n].key())
			}
		}
	}
	c.receipt(i)
	c.answer["subtasks"] = subtasks
}

// with answers what is in the trash because of an item, itself first.
func (c *call) with(i int) []int {
	all := []int{i}
	for n, it := range c.Items {
		if n != i && !it.Purged && it.Trashed == i {
			all = append(all, n)
		}
	}
	return all
}

func (c *call) restore() {
	i := c.find(text1(c.args, "item"))
	if i == none {
		c.refuse("not_found", "")
		return
	}
	subtasks := []string{}
	if it := &c.Items[i]; it.Trashed != none {
		if it.Trashed != i || it.Parent != none && c.Items[it.Parent].Trashed != none {
			c.refuse("conflict", "")
			return
		}
		for _, n := range c.with(i) {
			c.Items[n].Trashed = none
			c.changed(n, event{Action: "restored"})
			if n != i {
				subtasks = append(subtasks, c.Items[n].key())
			}
		}
	}
	c.receipt(i)
	c.answer["subtasks"] = subtasks
}

func (c *call) purge() {
	i := c.find(text1(c.args, "item"))
	if i == none {
		c.refuse("not_found", "")
		return
	}
	if c.Items[i].Trashed != i {
		c.refuse("conflict", "")
		return
	}
	subtasks, with := []string{}, c.with(i)
	for _, n := range with {
		it := &c.Items[n]
		it.Purged = true
		it.Version++
		c.happened(n, event{Action: "purged"})
		if n != i {
			subtasks = append(subtasks, it.key())
		}
	}
	for n := range c.Items {
		if p := c.Items[n].Parent; p != none && c.Items[p].Purged {
			c.Items[n].Parent = none
		}
	}
	c.Links = slices.DeleteFunc(c.Links, func(l link) bool { return c.Items[l.From].Purged || c.Items[l.To].Purged })
	c.answer = object{"key": c.Items[i].key(), "id": c.Items[i].ID, "subtasks": subtasks}
}
