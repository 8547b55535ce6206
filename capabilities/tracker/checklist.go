package tracker

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxEntries is how many entries a checklist has at most, and maxEntry how long each is.
const (
	maxEntries = 100
	maxEntry   = 300
)

// ChecklistChange is one change of a checklist.
type ChecklistChange struct {
	// What to do: add an entry, check, uncheck, reword or remove one.
	Do ChecklistVerb `json:"do"`
	// The number of the entry; not with add.
	ID int64 `json:"id,omitempty" jsonschema:"minimum=1"`
	// The text of the entry in one line; with add and reword alone.
	Text string `json:"text,omitempty" jsonschema:"maxLength=300"`
}

// ChecklistVerb is what to do with a checklist.
type ChecklistVerb string

// The closed set of changes of a checklist.
const (
	AddEntry     ChecklistVerb = "add"
	CheckEntry   ChecklistVerb = "check"
	UncheckEntry ChecklistVerb = "uncheck"
	RewordEntry  ChecklistVerb = "reword"
	RemoveEntry  ChecklistVerb = "remove"
)

// SchemaEnum lists the members.
func (ChecklistVerb) SchemaEnum() []string {
	return []string{string(AddEntry), string(CheckEntry), string(UncheckEntry), string(RewordEntry), string(RemoveEntry)}
}

// entry judges the text of an entry of a checklist.
func (f *faults) entry(pointer, text string) {
	if n := utf8.RuneCountInString(text); n > maxEntry {
		f.add(pointer, "maxLength", fmt.Sprintf("has %d characters, at most %d are taken: send less", n, maxEntry))
		return
	}
	f.line(pointer, text)
}

// judge judges a change by itself.
func (c *ChecklistChange) judge(f *faults) {
	if c == nil {
		return
	}
	worded := c.Do == AddEntry || c.Do == RewordEntry
	switch {
	case worded:
		f.entry("/checklist/text", c.Text)
	case c.Text != "":
		f.add("/checklist/text", "not", fmt.Sprintf("does not go with %s: leave it out", c.Do))
	}
	switch {
	case c.Do != AddEntry && c.ID == 0:
		f.add("/checklist/id", "required", "is missing: send the number of an entry, as get_work_item shows it")
	case c.Do == AddEntry && c.ID != 0:
		f.add("/checklist/id", "not", "does not go with add: the entry gets a number of its own")
	}
}

// apply changes the checklist of the item and reports whether anything is different.
func (c *ChecklistChange) apply(it *item) (changed bool, err error) {
	all, err := it.entries()
	if err != nil {
		return false, err
	}
	before := slices.Clone(all)
	if c.Do == AddEntry {
		if len(all) >= maxEntries {
			return false, violates("/checklist", "maxItems", fmt.Sprintf("has %d entries already, and that is the most: remove one first", len(all)))
		}
		it.Checks++
		return true, it.setEntries(append(all, ChecklistEntry{ID: it.Checks, Text: c.Text}))
	}
	i := slices.IndexFunc(all, func(e ChecklistEntry) bool { return e.ID == c.ID })
	if i < 0 {
		return false, violates("/checklist/id", "reference", "names no entry of the checklist: get_work_item shows their numbers")
	}
	switch c.Do {
	case CheckEntry:
		all[i].Done = true
	case UncheckEntry:
		all[i].Done = false
	case RewordEntry:
		all[i].Text = c.Text
	case RemoveEntry:
		all = slices.Delete(all, i, i+1)
	case AddEntry: // above
	}
	if slices.Equal(before, all) {
		return false, nil
	}
	return true, it.setEntries(all)
}
