package model_test

import (
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// drawer draws the arguments of calls: mostly of what is there, and sometimes not.
type drawer struct {
	rt *rapid.T
	s  *state
}

var (
	keys       = []string{"WEB", "APP", "B2B"}
	people     = []string{"ana", "kim", "seat:7"}
	labelNames = []string{"bug", "Bug", "über", "ÜBER", "area/ui", "x y"}
	colours    = []string{"#808080", "#cc0000", "#00ff00"}
	statuses   = []string{"triage", "todo", "in_progress", "in_review", "done", "cancelled"}
	priorities = []string{"urgent", "high", "medium", "low", "none"}
	paths      = []string{"a", "a/b", "a/b/c", "a-b", "notes/plan.md", "日本/語", "\U0010FFFF", "..a"}
	badLines   = []string{" ", "a\nb", "a\x00b", "a\u202eb"}
)

// evenly draws a number of ten bits: the numbers of rapid are small more often than not.
var evenly = rapid.Custom(func(t *rapid.T) (n int) {
	for range 10 {
		n <<= 1
		if rapid.Bool().Draw(t, "bit") {
			n |= 1
		}
	}
	return n
})

// pick draws one of a list.
func pick[T any](rt *rapid.T, all []T, label string) T { return all[evenly.Draw(rt, label)%len(all)] }

func sampled(all []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return pick(t, all, "one") })
}

// one reports whether something happens that happens once in n times.
func (d drawer) one(n int) bool { return evenly.Draw(d.rt, "once")%n == n-1 }

func (d drawer) of(all []string, label string) string { return pick(d.rt, all, label) }

// maybe gives an argument once in n times.
func (d drawer) maybe(a object, key string, n int, draw func() any) {
	if d.one(n) {
		a[key] = draw()
	}
}

func (d drawer) project() string {
	switch {
	case d.one(40) || len(d.s.Projects) == 0:
		return d.of([]string{"NONE", "web", "?"}, "no project")
	default:
		return pick(d.rt, d.s.Projects, "project").Key
	}
}

// label answers a project and the name of a label, mostly of that project.
func (d drawer) label() (project, name string) {
	project, name = d.project(), d.of(labelNames, "label")
	if p := d.s.project(project); p != nil && len(p.Labels) > 0 && !d.one(4) {
		l := pick(d.rt, p.Labels, "its label")
		if name = l.Name; d.one(3) {
			name = d.s.LabelIDs[l.Serial]
		}
	}
	return project, name
}

// item answers how an item is named: one that lives, or now and then any.
func (d drawer) item() string {
	var all []int
	anyway := d.one(12)
	for i := range d.s.Items {
		if anyway || !d.s.Items[i].Purged && d.s.Items[i].Trashed == none {
			all = append(all, i)
		}
	}
	return d.named(all)
}

func (d drawer) named(all []int) string {
	if len(all) == 0 || d.one(60) {
		return d.of([]string{"WEB-999", "nonsense", "wi_00000000000000000000000000"}, "no item")
	}
	it := &d.s.Items[pick(d.rt, all, "item")]
	switch evenly.Draw(d.rt, "how") % 6 {
	case 0:
		return it.ID
	case 1:
		return it.Keys[0]
	case 2:
		return strings.ToLower(it.key())
	}
	return it.key()
}

// gone answers how something of the trash is named: mostly what went there on its own.
func (d drawer) gone() string {
	var all []int
	with := d.one(6)
	for i := range d.s.Items {
		if it := &d.s.Items[i]; !it.Purged && (it.Trashed == i || with && it.Trashed != none) {
			all = append(all, i)
		}
	}
	if len(all) == 0 || d.one(10) {
		return d.item()
	}
	return d.named(all)
}

func (d drawer) title() any {
	if d.one(30) {
		return d.of(badLines, "bad")
	}
	return d.prose(1, 3)
}

func (d drawer) prose(low, high int) string {
	return strings.Join(rapid.SliceOfN(sampled(dictionary), low, high).Draw(d.rt, "words"), " ")
}

func (d drawer) description() any { return d.prose(0, 4) }

func (d drawer) body() any {
	return d.of([]string{"Hello.", "@ana and @kim", "line one\n\nline *two*", "@ana @ana", "no@body"}, "body")
}

func (d drawer) person() any { return d.of(people, "person") }

func (d drawer) labels() any {
	return rapid.SliceOfN(sampled(labelNames), 1, 3).Draw(d.rt, "labels")
}

func (d drawer) links() any {
	all := []object{}
	for range rapid.IntRange(1, 2).Draw(d.rt, "links") {
		all = append(all, object{"kind": d.of(linkKinds, "kind"), "item": d.item()})
	}
	return all
}

func (d drawer) decision() any { return object{"options": []string{"now", "later"}} }

func (d drawer) status() any { return d.of(statuses, "status") }

func (d drawer) priority() any { return d.of(priorities, "priority") }

func (d drawer) version(now int64) func() any {
	return func() any {
		if d.one(4) {
			now--
		}
		return max(1, now)
	}
}

// the answers the version of an item, to send back.
func (d drawer) the(ref string) int64 {
	if i := d.s.find(ref); i != none {
		return d.s.Items[i].Version
	}
	return 1
}

func (d drawer) yes() any { return true }

// draws are the arguments of every write.
var draws = map[string]func(drawer) object{
	"create_project": func(d drawer) object {
		a := object{"key": d.of(keys, "key"), "title": d.title()}
		d.maybe(a, "summary", 3, d.description)
		d.maybe(a, "lead", 2, d.person)
		d.maybe(a, "default_assignee", 3, d.person)
		return a
	},
	"update_project": func(d drawer) object {
		a := object{"project": d.project()}
		d.maybe(a, "title", 3, d.title)
		d.maybe(a, "summary", 3, d.description)
		d.maybe(a, "lead", 3, d.person)
		d.maybe(a, "default_assignee", 3, func() any { return nil })
		d.maybe(a, "archived", 6, func() any { return rapid.Bool().Draw(d.rt, "archived") })
		if p := d.s.project(text1(a, "project")); p != nil {
			d.maybe(a, "if_match", 3, d.version(p.Version))
			if p.Archived {
				a["archived"] = false // or it is over soon
			}
		}
		return a
	},
	"create_label": func(d drawer) object {
		a := object{"project": d.project(), "name": d.of(labelNames, "name")}
		d.maybe(a, "colour", 2, func() any { return d.of(colours, "colour") })
		return a
	},
	"update_label": func(d drawer) object {
		project, name := d.label()
		a := object{"project": project, "label": name}
		d.maybe(a, "name", 2, func() any { return d.of(labelNames, "name") })
		d.maybe(a, "colour", 2, func() any { return d.of(colours, "colour") })
		d.maybe(a, "if_match", 4, d.version(1))
		return a
	},
	"remove_label": func(d drawer) object {
		project, name := d.label()
		return object{"project": project, "name": name}
	},
	"create_work_item":     drawItem,
	"update_work_item":     drawUpdate,
	"comment_on_work_item": drawComment,
	"move_work_item": func(d drawer) object {
		a := object{"item": d.item(), "project": d.project()}
		if i := d.s.live(text1(a, "item")); i != none && !d.one(8) { // mostly what can be moved
			for d.s.Items[i].Parent != none {
				i = d.s.Items[i].Parent
			}
			a["item"] = d.s.Items[i].key()
			for _, p := range d.s.Projects {
				if p.Key != d.s.Items[i].Project && !p.Archived {
					a["project"] = p.Key
				}
			}
		}
		d.maybe(a, "if_match", 4, d.version(d.the(text1(a, "item"))))
		return a
	},
	"merge_work_item": func(d drawer) object {
		a := object{"item": d.item(), "into": d.item()}
		if i := d.s.live(text1(a, "item")); i != none && !d.one(4) {
			if into := d.parent(d.s.Items[i].Project); into != nil {
				a["into"] = into
			}
		}
		d.maybe(a, "if_match", 4, d.version(d.the(text1(a, "item"))))
		return a
	},
	"remove_work_item": func(d drawer) object {
		a := object{"item": d.item()}
		d.maybe(a, "if_match", 4, d.version(d.the(text1(a, "item"))))
		return a
	},
	"restore_work_item":   func(d drawer) object { return object{"item": d.gone()} },
	"purge_work_item":     func(d drawer) object { return object{"item": d.gone()} },
	"write_project_file":  drawFile,
	"remove_project_file": drawRemovedFile,
}

func drawItem(d drawer) object {
	a := object{"project": d.project(), "title": d.title()}
	d.maybe(a, "description", 2, d.description)
	d.maybe(a, "status", 4, d.status)
	d.maybe(a, "priority", 4, d.priority)
	d.maybe(a, "assignee", 4, d.person)
	d.maybe(a, "labels", 3, d.labels)
	if given(a, "labels") {
		a["labels_create_missing"] = !d.one(4)
	}
	if p := text1(a, "project"); d.s.project(p) != nil {
		d.maybe(a, "parent", 2, func() any { return d.parent(p) })
		if a["parent"] == nil {
			delete(a, "parent")
		}
	}
	d.maybe(a, "links", 5, d.links)
	d.maybe(a, "checklist", 4, func() any { return []string{"first", "second"} })
	d.maybe(a, "ask", 6, d.person)
	if given(a, "ask") || d.one(30) {
		d.maybe(a, "decision", 2, d.decision)
	}
	return a
}

func drawUpdate(d drawer) object {
	a := object{"item": d.item()}
	it := item{Project: "NONE"}
	i := d.s.live(text1(a, "item"))
	if i != none {
		it = d.s.Items[i]
	}
	fields := map[string]func(){
		"title":       func() { a["title"] = d.title() },
		"description": func() { a["description"] = d.description() },
		"status":      func() { a["status"] = d.status() },
		"priority":    func() { a["priority"] = d.priority() },
		"assignee": func() {
			a["assignee"] = d.person()
			d.maybe(a, "reason", 2, d.body)
			d.maybe(a, "assignee", 4, func() any { return nil })
		},
		"add_labels": func() {
			a["add_labels"] = d.labels()
			a["labels_create_missing"] = !d.one(4)
		},
		"remove_labels": func() {
			a["remove_labels"] = d.labels()
			if len(it.Labels) > 0 && !d.one(6) {
				a["remove_labels"] = []string{d.s.labelName(it.Project, pick(d.rt, it.Labels, "its label"))}
			}
		},
		"add_links":    func() { a["add_links"] = d.links() },
		"remove_links": func() { a["remove_links"] = d.linked(i) },
		"parent":       func() { a["parent"] = d.parent(it.Project) },
		"checklist":    func() { a["checklist"] = d.change(it) },
	}
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range rapid.SliceOfNDistinct(sampled(names), 1, 3, rapid.ID).Draw(d.rt, "fields") {
		fields[name]()
	}
	d.maybe(a, "if_match", 4, d.version(d.the(text1(a, "item"))))
	return a
}

// linked answers the links of an item, to be removed: mostly some that it has.
func (d drawer) linked(i int) any {
	for _, l := range d.s.Links {
		switch {
		case l.From == i && d.s.Items[l.To].Trashed == none:
			return []object{{"kind": l.Kind, "item": d.s.Items[l.To].key()}}
		case l.To == i && d.s.Items[l.From].Trashed == none:
			return []object{{"kind": inverse(l.Kind), "item": d.s.Items[l.From].key()}}
		}
	}
	return d.links()
}

// parent answers what an item of a project may go under, or null.
func (d drawer) parent(project string) any {
	var all []int
	for i, it := range d.s.Items {
		if it.Project == project && it.Trashed == none && !it.Purged {
			all = append(all, i)
		}
	}
	switch {
	case d.one(3):
		return nil
	case d.one(6):
		return d.item()
	}
	return d.named(all)
}

// change answers a change of the checklist of an item.
func (d drawer) change(it item) any {
	o := object{"do": d.of([]string{"add", "check", "uncheck", "reword", "remove"}, "do")}
	if len(it.Checklist) == 0 && !d.one(4) {
		o["do"] = "add"
	}
	if o["do"] != "add" {
		o["id"] = pick(d.rt, []int64{1, 2, 3}, "entry")
		if len(it.Checklist) > 0 && !d.one(4) {
			o["id"] = pick(d.rt, it.Checklist, "its entry").ID
		}
	}
	if o["do"] == "add" || o["do"] == "reword" {
		o["text"] = d.prose(1, 2)
	}
	return o
}

func drawComment(d drawer) object {
	a := object{"item": d.item(), "body": d.body()}
	d.maybe(a, "ask", 4, d.person)
	if given(a, "ask") {
		d.maybe(a, "decision", 2, d.decision)
	}
	i := d.s.find(text1(a, "item"))
	if i == none || d.one(10) {
		d.maybe(a, "answers", 3, func() any { return pick(d.rt, []int64{1, 2, 3}, "answers") })
		d.maybe(a, "choice", 6, func() any { return "now" })
		return a
	}
	for n, q := range d.s.Items[i].Thread {
		if q.Kind == "question" && d.one(2) {
			a["answers"] = int64(n) + 1
			delete(a, "ask")
			delete(a, "decision")
			if len(q.Options) > 0 {
				a["choice"] = d.of([]string{"now", "later", "never"}, "choice")
			}
		}
	}
	return a
}

func drawFile(d drawer) object {
	a := object{"project": d.project(), "path": d.of(paths, "path")}
	if d.one(3) {
		a["base64"] = pick(d.rt, [][]byte{{}, {0, 1, 2}, {0xff, 0xfe}, []byte("same")}, "bytes")
	} else {
		a["text"] = d.of([]string{"", "same", "one line\r\nand another\n", "zürich 日本 🧑‍🚀"}, "text")
	}
	d.maybe(a, "type", 3, func() any { return d.of([]string{"text/markdown", "text/plain"}, "type") })
	d.maybe(a, "if_version", 4, func() any { return d.fileVersion(a) })
	return a
}

func (d drawer) fileVersion(a object) int64 {
	now := int64(0)
	if p := d.s.project(text1(a, "project")); p != nil {
		if f := p.file(text1(a, "path")); f != nil && !f.Removed {
			now = f.Version
		}
	}
	if d.one(4) {
		now--
	}
	return max(0, now)
}

func drawRemovedFile(d drawer) object {
	a := object{"project": d.project(), "path": d.of(paths, "path")}
	for _, p := range d.s.Projects {
		for _, f := range p.Files {
			if !f.Removed && d.one(3) {
				a = object{"project": p.Key, "path": f.Path}
			}
		}
	}
	d.maybe(a, "if_version", 4, func() any { return max(1, d.fileVersion(a)) })
	return a
}

// filters are the arguments of list_work_items.
func (d drawer) filters() object {
	a := object{}
	d.maybe(a, "project", 2, func() any { return d.project() })
	d.maybe(a, "status", 3, func() any { return rapid.SliceOfN(sampled(statuses), 1, 3).Draw(d.rt, "statuses") })
	d.maybe(a, "assignee", 4, d.person)
	d.maybe(a, "unassigned", 6, d.yes)
	d.maybe(a, "label", 4, func() any { return d.of(labelNames, "label") })
	d.maybe(a, "parent", 4, func() any { return d.item() })
	d.maybe(a, "priority", 4, d.priority)
	d.maybe(a, "updated_since", 4, func() any { return stamp(d.s.Clock - rapid.Int64Range(0, 20_000).Draw(d.rt, "ago")) })
	return a
}
