package model_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// state is everything the tracker holds, as its doc comments say it behaves. It is
// plain data, so that a copy is a round trip through JSON.
type state struct {
	Clock    int64 // milliseconds
	Projects []project
	Items    []item // by age; what is purged leaves its place
	Links    []link
	Log      []event
	LabelIDs map[int]string // by serial, once they are known
}

type project struct {
	Key, Title, Summary, Lead, Default string
	Archived                           bool
	Version                            int64
	Created, Updated                   int64
	Numbers                            int64 // how many keys were given out
	Labels                             []label
	Files                              []file
}

type label struct {
	Serial       int // names it here: the server makes up the id
	Name, Colour string
	Version      int64
	Created      int64
}

type item struct {
	ID        string   // once it is known
	Keys      []string // the last is the one it has
	Project   string
	Version   int64
	Texts     []text // the last is the one it has
	Status    string
	Priority  string
	Assignee  string
	Labels    []int // serials
	Parent    int   // an index of Items, none for the top
	Merged    int   // an index of Items
	Trashed   int   // the item it went to the trash with
	TrashedAt int64
	Created   int64
	Updated   int64
	Checklist []entry
	Entries   int64 // how many numbers of entries were given out
	Thread    []comment
	Purged    bool
}

type text struct {
	Version            int64
	Title, Description string
	At                 int64
}

type entry struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
	Done bool   `json:"done"`
}

type comment struct {
	Kind, Body, Asked, Choice string
	At                        int64
	Mentions, Options         []string
	Answers                   int64
}

type link struct {
	From int
	Kind string // blocks, duplicates or relates
	To   int
}

type file struct {
	Path     string
	Version  int64
	Removed  bool
	Created  int64
	Versions []content
}

type content struct {
	Version int64
	Data    []byte
	Type    string
	At      int64
}

type event struct {
	Kind                     string
	Item                     int // of a work item
	Label                    int // of a label: its serial
	ID, Key, Project, Action string
	Fields                   []string
	Status, Other            string
	Version, At              int64
}

const (
	none  = -1
	owner = "owner"
	// gone is the kind of what the project that an item left has in the log.
	gone = "work_item_gone"
)

func (s *state) clone(t *testing.T) *state {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	c := &state{}
	if err := json.Unmarshal(raw, c); err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *state) project(key string) *project {
	for i := range s.Projects {
		if s.Projects[i].Key == key {
			return &s.Projects[i]
		}
	}
	return nil
}

// find answers the index of the item that a key, present or former, or an id names, in
// the trash or not.
func (s *state) find(ref string) int {
	for i := range s.Items {
		it := &s.Items[i]
		if !it.Purged && (it.ID == ref || slices.Contains(it.Keys, strings.ToUpper(ref))) {
			return i
		}
	}
	return none
}

// live is find for what is not in the trash.
func (s *state) live(ref string) int {
	if i := s.find(ref); i != none && s.Items[i].Trashed == none {
		return i
	}
	return none
}

func (it *item) key() string { return it.Keys[len(it.Keys)-1] }

func (it *item) text() text { return it.Texts[len(it.Texts)-1] }

// children answers the subtasks of an item by age, those in the trash too where that
// is asked for.
func (s *state) children(of int, trashed bool) (all []int) {
	for i, it := range s.Items {
		if !it.Purged && it.Parent == of && (trashed || it.Trashed == none) {
			all = append(all, i)
		}
	}
	return all
}

// below answers all subtasks of all levels, one level after the other.
func (s *state) below(of int, trashed bool) (all []int) {
	for level := []int{of}; len(level) > 0; {
		var next []int
		for _, i := range level {
			next = append(next, s.children(i, trashed)...)
		}
		all = append(all, next...)
		level = next
	}
	return all
}

// above answers how many levels stand over an item, and whether other is among them or
// is the item itself.
func (s *state) above(i, other int) (levels int, within bool) {
	for within = i == other; s.Items[i].Parent != none; levels++ {
		i = s.Items[i].Parent
		within = within || i == other
	}
	return levels, within
}

// height answers how many levels of subtasks are below an item.
func (s *state) height(i int) (levels int) {
	for _, c := range s.children(i, true) {
		levels = max(levels, 1+s.height(c))
	}
	return levels
}

// same reports whether two names of labels are the same, whatever the case.
func same(a, b string) bool { return strings.ToLower(a) == strings.ToLower(b) } //nolint:staticcheck // EqualFold also takes letters for the same that lower case tells apart

// label answers a label of a project by its name or its id.
func (s *state) label(p *project, ref string) *label {
	for i := range p.Labels {
		if same(p.Labels[i].Name, ref) {
			return &p.Labels[i]
		}
	}
	for i := range p.Labels {
		if s.LabelIDs[p.Labels[i].Serial] == ref {
			return &p.Labels[i]
		}
	}
	return nil
}

func (p *project) file(path string) *file {
	for i := range p.Files {
		if p.Files[i].Path == path {
			return &p.Files[i]
		}
	}
	return nil
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *state) log(e event) {
	e.At = s.Clock
	s.Log = append(s.Log, e)
}

// changed counts a change of an item itself and says so in the log.
func (s *state) changed(i int, e event) {
	it := &s.Items[i]
	it.Version++
	it.Updated = s.Clock
	s.happened(i, e)
}

func (s *state) happened(i int, e event) {
	it := &s.Items[i]
	e.Kind, e.Item, e.Key, e.Project, e.Version = "work_item", i, it.key(), it.Project, it.Version
	s.log(e)
}

// newLabel makes a label of a project.
func (s *state) newLabel(p *project, name, colour string) *label {
	serial := 1
	for _, p := range s.Projects {
		for _, l := range p.Labels {
			serial = max(serial, l.Serial+1)
		}
	}
	for _, e := range s.Log {
		serial = max(serial, e.Label+1)
	}
	p.Labels = append(p.Labels, label{Serial: serial, Name: name, Colour: colour, Version: 1, Created: s.Clock})
	s.log(event{Kind: "label", Label: serial, Project: p.Key, Action: "created", Version: 1})
	return &p.Labels[len(p.Labels)-1]
}

func (s *state) labelName(project string, serial int) string {
	for _, l := range s.project(project).Labels {
		if l.Serial == serial {
			return l.Name
		}
	}
	return ""
}
