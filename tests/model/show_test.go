package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// object is a JSON object, of an answer or of arguments.
type object = map[string]any

// put sets what is there and leaves out what is not.
func put(o object, key, value string) {
	if value != "" {
		o[key] = value
	}
}

func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func (p *project) show() object {
	o := object{
		"key": p.Key, "version": p.Version, "title": p.Title, "summary": p.Summary, "archived": p.Archived,
		"created_at": stamp(p.Created), "created_by": owner, "updated_at": stamp(p.Updated), "updated_by": owner,
	}
	put(o, "lead", p.Lead)
	put(o, "default_assignee", p.Default)
	return o
}

func (s *state) showLabel(p *project, l *label) object {
	return object{
		"name": l.Name, "id": s.LabelIDs[l.Serial], "version": l.Version, "project": p.Key, "colour": l.Colour, "created_at": stamp(l.Created), "created_by": owner,
	}
}

// showItem answers an item as lists show it.
func (s *state) showItem(i int) object {
	it := &s.Items[i]
	names := []string{}
	for _, serial := range it.Labels {
		names = append(names, s.labelName(it.Project, serial))
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	o := object{
		"key": it.key(), "id": it.ID, "version": it.Version, "project": it.Project, "title": it.text().Title, "status": it.Status,
		"priority": it.Priority, "labels": names,
		"created_at": stamp(it.Created), "created_by": owner, "updated_at": stamp(it.Updated), "updated_by": owner,
	}
	put(o, "assignee", it.Assignee)
	if it.Parent != none {
		o["parent"] = s.Items[it.Parent].key()
	}
	return o
}

func (s *state) showItems(all []int) []object {
	rows := []object{}
	for _, i := range all {
		rows = append(rows, s.showItem(i))
	}
	return rows
}

// showDetail answers an item as get_work_item shows it.
func (s *state) showDetail(i int) object {
	it := &s.Items[i]
	o := s.showItem(i)
	o["description"], o["text_version"] = it.text().Description, it.text().Version
	o["former_keys"], o["checklist"], o["links"] = list(it.Keys[:len(it.Keys)-1]), list(it.Checklist), s.showLinks(i)
	if it.Merged != none && !s.Items[it.Merged].Purged {
		o["merged_into"] = s.Items[it.Merged].key()
	}
	subtasks := s.children(i, false)
	o["more_subtasks"] = len(subtasks) > 100
	o["subtasks"] = s.showItems(subtasks[:min(100, len(subtasks))])
	thread := s.showThread(i)
	o["more_thread"] = len(thread) > 50
	o["thread"] = thread[max(0, len(thread)-50):]
	history := s.showHistory(i)
	o["more_history"] = len(history) > 20
	o["history"] = history[:min(20, len(history))]
	return o
}

var linkKinds = []string{"blocks", "blocked_by", "duplicates", "duplicated_by", "relates"}

func inverse(kind string) string {
	switch kind {
	case "blocks":
		return "blocked_by"
	case "blocked_by":
		return "blocks"
	case "duplicates":
		return "duplicated_by"
	case "duplicated_by":
		return "duplicates"
	}
	return kind
}

// showLinks answers the links to what is not in the trash, by kind and age.
func (s *state) showLinks(i int) []object {
	rows := []object{}
	for _, kind := range linkKinds {
		for other := range s.Items {
			it := &s.Items[other]
			linked := slices.ContainsFunc(s.Links, func(l link) bool {
				return l.From == i && l.To == other && l.Kind == kind || l.To == i && l.From == other && inverse(l.Kind) == kind
			})
			if linked && it.Trashed == none {
				rows = append(rows, object{"kind": kind, "key": it.key(), "title": it.text().Title, "status": it.Status})
			}
		}
	}
	return rows
}

func (s *state) showThread(i int) []object {
	thread := s.Items[i].Thread
	rows := []object{}
	for n, c := range thread {
		o := object{
			"number": n + 1, "kind": c.Kind, "body": c.Body, "at": stamp(c.At), "by": owner, "mentions": list(c.Mentions),
		}
		put(o, "asked", c.Asked)
		put(o, "choice", c.Choice)
		if len(c.Options) > 0 {
			o["options"] = c.Options
		}
		if c.Answers != 0 {
			o["answers"] = c.Answers
		}
		for m, a := range thread {
			if a.Answers == int64(n)+1 {
				o["answered_by"] = m + 1
			}
		}
		rows = append(rows, o)
	}
	return rows
}

// showEvent answers a row of the log; its number stands in for its position.
func (s *state) showEvent(n int) object {
	e := s.Log[n]
	o := object{
		"kind": e.Kind, "id": e.ID, "project": e.Project, "action": e.Action, "fields": list(e.Fields), "version": e.Version,
		"at": stamp(e.At), "by": owner, "position": n + 1,
	}
	put(o, "key", e.Key)
	put(o, "status", e.Status)
	put(o, "other", e.Other)
	switch e.Kind {
	case "work_item", gone:
		o["kind"], o["id"] = "work_item", s.Items[e.Item].ID
	case "label":
		o["id"] = s.LabelIDs[e.Label]
	}
	return o
}

// showHistory answers what happened to an item, the newest first.
func (s *state) showHistory(i int) []object {
	rows := []object{}
	for n := range slices.Backward(s.Log) {
		if e := s.Log[n]; e.Kind == "work_item" && e.Item == i {
			rows = append(rows, s.showEvent(n))
		}
	}
	return rows
}

func (s *state) showActivity(project string, after int) []object {
	rows := []object{}
	for n, e := range s.Log {
		if n >= after && (project == "" && e.Kind != gone || e.Project == project) {
			rows = append(rows, s.showEvent(n))
		}
	}
	return rows
}

func (s *state) showTrash(project string) []object {
	rows := []object{}
	for i := range slices.Backward(s.Items) {
		it := &s.Items[i]
		if !it.Purged && it.Trashed == i && (project == "" || it.Project == project) {
			rows = append(rows, object{
				"key": it.key(), "id": it.ID, "project": it.Project, "title": it.text().Title, "removed_at": stamp(it.TrashedAt), "removed_by": owner,
			})
		}
	}
	return rows
}

func (c *content) digest() string {
	sum := sha256.Sum256(c.Data)
	return hex.EncodeToString(sum[:])
}

func (f *file) newest() *content { return &f.Versions[len(f.Versions)-1] }

func (f *file) show() object {
	c := f.newest()
	return object{
		"path": f.Path, "version": f.Version, "size": len(c.Data), "type": c.Type, "digest": c.digest(),
		"created_at": stamp(f.Created), "created_by": owner, "updated_at": stamp(c.At), "updated_by": owner,
	}
}

func (f *file) showVersions() []object {
	rows := []object{}
	for i := range slices.Backward(f.Versions) {
		c := &f.Versions[i]
		rows = append(rows, object{"version": c.Version, "size": len(c.Data), "type": c.Type, "digest": c.digest(), "at": stamp(c.At), "by": owner})
	}
	return rows
}

// words answers the words of a text, whatever their case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// says reports whether an item holds every word of a query.
func (it *item) says(query string) bool {
	has := words(it.text().Title + " " + it.text().Description)
	for _, w := range words(query) {
		if !slices.Contains(has, w) {
			return false
		}
	}
	return len(words(query)) > 0
}
