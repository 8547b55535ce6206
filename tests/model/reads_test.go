package model_test

import (
	"fmt"
	"slices"
	"strings"
)

// view is one read and what it has to answer: an object, the rows of a list, or a
// refusal.
type view struct {
	name    string
	args    object
	whole   object
	rows    []object
	anyway  bool // the rows stand in no order that the model knows
	refused []refusal
}

func (v view) key() string { return v.name + fmt.Sprint(v.args) }

// dictionary are words that titles and descriptions are made of.
var dictionary = []string{"login", "safari", "Icon", "ZEBRA", "über", "naïve", "日本", "שלום", "12", "form-field", "don't"}

// views answers every read of everything there is.
func (s *state) views() (all []view) {
	open, every := []object{}, []object{}
	sorted := slices.SortedFunc(slices.Values(s.Projects), func(a, b project) int { return strings.Compare(a.Key, b.Key) })
	for i := range sorted {
		p := &sorted[i]
		every = append(every, p.show())
		if !p.Archived {
			open = append(open, p.show())
		}
		all = append(all, view{name: "get_project", args: object{"project": p.Key}, whole: p.show()})
		all = append(all, s.projectViews(p)...)
	}
	all = append(all,
		view{name: "list_projects", args: object{}, rows: open},
		view{name: "list_projects", args: object{"archived": true}, rows: every},
		view{name: "list_trash", args: object{}, rows: s.showTrash("")},
		view{name: "list_work_items", args: object{}, rows: s.showItems(s.selected(object{}))},
	)
	for _, w := range dictionary {
		all = append(all, s.searchView(object{"query": w}))
	}
	for i := range s.Items {
		all = append(all, s.itemViews(i)...)
	}
	return all
}

func (s *state) projectViews(p *project) (all []view) {
	labels := []object{}
	for _, l := range slices.SortedFunc(slices.Values(p.Labels), func(a, b label) int { return compareFolded(a.Name, b.Name) }) {
		labels = append(labels, s.showLabel(p, &l))
	}
	files := []object{}
	for _, f := range slices.SortedFunc(slices.Values(p.Files), func(a, b file) int { return strings.Compare(a.Path, b.Path) }) {
		about := object{"project": p.Key, "path": f.Path}
		if f.Removed {
			gone := []refusal{{"not_found", ""}}
			all = append(all, view{name: "list_project_file_versions", args: about, refused: gone}, view{name: "read_project_file", args: about, refused: gone})
			continue
		}
		files = append(files, f.show())
		all = append(all, view{name: "list_project_file_versions", args: about, rows: f.showVersions()})
		for i := range f.Versions {
			all = append(all, f.reading(p.Key, &f.Versions[i]))
		}
	}
	here := object{"project": p.Key}
	return append(all,
		view{name: "list_labels", args: here, rows: labels},
		view{name: "list_project_files", args: here, rows: files},
		view{name: "list_trash", args: here, rows: s.showTrash(p.Key)},
		view{name: "list_work_items", args: here, rows: s.showItems(s.selected(here))},
	)
}

// reading is one version of a file, read as the bytes it is.
func (f *file) reading(project string, c *content) view {
	return view{
		name: "read_project_file", args: object{"project": project, "path": f.Path, "version": c.Version, "encoding": "base64"},
		whole: object{
			"path": f.Path, "version": c.Version, "type": c.Type, "size": len(c.Data), "offset": 0, "encoding": "base64", "content": c.Data,
		},
	}
}

func (s *state) itemViews(i int) (all []view) {
	it := &s.Items[i]
	about := object{"item": it.key()}
	if it.Purged || it.Trashed != none {
		for _, name := range []string{"get_work_item", "list_comments", "list_work_item_history"} {
			all = append(all, view{name: name, args: about, refused: []refusal{{"not_found", ""}}})
		}
		return all
	}
	for n, t := range it.Texts {
		version := it.Version // the newest stays to the last one
		if n+1 < len(it.Texts) {
			version = it.Texts[n+1].Version - 1
		}
		all = append(all, view{
			name: "get_work_item_text", args: object{"item": it.key(), "version": version},
			whole: object{"version": t.Version, "title": t.Title, "description": t.Description, "at": stamp(t.At), "by": owner},
		})
	}
	for _, key := range it.Keys[:len(it.Keys)-1] {
		all = append(all, view{name: "get_work_item", args: object{"item": key}, whole: s.showDetail(i)})
	}
	return append(all,
		view{name: "get_work_item", args: about, whole: s.showDetail(i)},
		view{name: "list_comments", args: about, rows: s.showThread(i)},
		view{name: "list_work_item_history", args: about, rows: s.showHistory(i)},
	)
}

func compareFolded(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }

// selected answers the items that every filter of list_work_items is true of, in its
// order.
func (s *state) selected(a object) (all []int) {
	for i := range slices.Backward(s.Items) {
		it := &s.Items[i]
		statuses := texts(a, "status")
		keep := !it.Purged && it.Trashed == none &&
			(!given(a, "project") || it.Project == a["project"]) &&
			(len(statuses) == 0 || slices.Contains(statuses, it.Status)) &&
			(!given(a, "assignee") || it.Assignee == a["assignee"]) &&
			(a["unassigned"] != true || it.Assignee == "") &&
			(!given(a, "priority") || it.Priority == a["priority"]) &&
			(!given(a, "updated_since") || stamp(it.Updated) >= text1(a, "updated_since"))
		if keep && given(a, "label") {
			keep = slices.Contains(it.Labels, s.label(s.project(text1(a, "project")), text1(a, "label")).Serial)
		}
		if keep && given(a, "parent") {
			keep = it.Parent == s.find(text1(a, "parent"))
		}
		if keep {
			all = append(all, i)
		}
	}
	if given(a, "updated_since") {
		slices.Reverse(all)
		slices.SortStableFunc(all, func(x, y int) int { return int(s.Items[x].Updated - s.Items[y].Updated) })
	}
	return all
}

// listView answers what list_work_items has to answer.
func (s *state) listView(a object) view {
	v := view{name: "list_work_items", args: a}
	p := s.project(text1(a, "project"))
	switch {
	case given(a, "project") && p == nil:
		v.refused = append(v.refused, refusal{"invalid", "/project"})
	case given(a, "label") && p == nil:
		v.refused = append(v.refused, refusal{"invalid", "/project"})
	case given(a, "label") && s.label(p, text1(a, "label")) == nil:
		v.refused = append(v.refused, refusal{"invalid", "/label"})
	}
	if given(a, "assignee") && a["unassigned"] == true {
		v.refused = append(v.refused, refusal{"invalid", "/unassigned"})
	}
	if given(a, "parent") && s.live(text1(a, "parent")) == none {
		v.refused = append(v.refused, refusal{"invalid", "/parent"})
	}
	if v.refused == nil {
		v.rows = s.showItems(s.selected(a))
	}
	return v
}

// searchView answers what a search has to find, in whatever order.
func (s *state) searchView(a object) view {
	v := view{name: "search_work_items", args: a, anyway: true, rows: []object{}}
	if given(a, "project") && s.project(text1(a, "project")) == nil {
		return view{name: v.name, args: a, refused: []refusal{{"invalid", "/project"}}}
	}
	for i := range s.Items {
		it := &s.Items[i]
		if !it.Purged && it.Trashed == none && (!given(a, "project") || it.Project == a["project"]) && it.says(text1(a, "query")) {
			v.rows = append(v.rows, s.showItem(i))
		}
	}
	return v
}
