package tracker

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/unseen"
)

// Label is a label of a project.
type Label struct {
	// The name, unique in its project whatever the case.
	Name string `json:"name"`
	// The id, which stays when the name changes.
	ID string `json:"id"`
	// The version to send as if_match with a change.
	Version int64 `json:"version"`
	// The key of its project.
	Project string `json:"project"`
	// The colour, as # and six hexadecimal digits.
	Colour string `json:"colour"`
	// When it was created, as RFC 3339.
	CreatedAt string `json:"created_at"`
	// Who created it.
	CreatedBy string `json:"created_by"`
}

// LabelReceipt is what a write of a label answers.
type LabelReceipt struct {
	capabilities.Receipt
	// The label's name after the call.
	Name string `json:"name"`
	// The label's id.
	ID string `json:"id"`
	// The label's version after the call.
	Version int64 `json:"version"`
}

// label is a row of tracker_labels.
type label struct {
	ID        string `db:"id"`
	Project   string `db:"project"`
	Folded    string `db:"folded"`
	Name      string `db:"name"`
	Colour    string `db:"colour"`
	Version   int64  `db:"version"`
	CreatedMS int64  `db:"created_ms"`
	CreatedBy string `db:"created_by"`
}

// plainColour is that of a label that was given none.
const plainColour = "#808080"

// maxLabels is how many labels an item has at most.
const maxLabels = 32

func (l *label) show() Label {
	return Label{
		Name: l.Name, ID: l.ID, Version: l.Version, Project: l.Project, Colour: l.Colour,
		CreatedAt: stamp(l.CreatedMS), CreatedBy: l.CreatedBy,
	}
}

func (l *label) receipt() LabelReceipt {
	return LabelReceipt{Name: l.Name, ID: l.ID, Version: l.Version}
}

// fold answers what two names of labels are compared by: what people see, whatever the
// case. Composed first, so that a letter has one lower case however it was spelled.
func fold(name string) string {
	seen := strings.Map(func(r rune) rune {
		if unseen.Shapeless(r) {
			return -1
		}
		return r
	}, name)
	return norm.NFC.String(strings.ToLower(norm.NFC.String(seen)))
}

// insert adds the label as a row of its project.
func (l *label) insert(t *store.Tx) error {
	l.ID, l.Folded, l.Version = store.NewID("lb", t.Now()), fold(l.Name), 1
	if l.Colour == "" {
		l.Colour = plainColour
	}
	if _, err := t.Exec(insertLabel, l.ID, l.Project, l.Folded, l.Name, l.Colour, l.Version, t.Now().UnixMilli(), t.Who().ID); err != nil {
		return err
	}
	return l.log(t, event{Action: created})
}

func (l *label) log(t *store.Tx, e event) error {
	return t.Change(store.Change{Kind: kindLabel, ID: l.ID, Scope: l.Project, Version: l.Version, Body: e})
}

// labelByName answers a label of the project by its name, whatever the case, or nil.
func labelByName(r *store.Reader, project, name string) (*label, error) {
	return oneLabel(r, selectLabelByName, project, fold(name))
}

// findLabel answers a label of the project by its name or its id, or nil.
func findLabel(r *store.Reader, project, ref string) (*label, error) {
	if l, err := labelByName(r, project, ref); l != nil || err != nil {
		return l, err
	}
	return oneLabel(r, selectLabelByID, project, ref)
}

func oneLabel(r *store.Reader, query, project, by string) (*label, error) {
	var l label
	err := r.Get(&l, query, project, by)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // no row is no error, and the callers tell what it means
	}
	return &l, err
}

// labelAbout answers the label that a call is about.
func labelAbout(r *store.Reader, project, ref string) (*label, error) {
	l, err := findLabel(r, project, ref)
	if err == nil && l == nil {
		return nil, capabilities.Refuse(capabilities.NotFound, "project %s has no label %.64q: list_labels has the names", project, ref)
	}
	return l, err
}

// labelsNamed answers the labels that the argument at pointer names, each once. A name
// that the project does not have is refused with [UnknownLabel], or made to a label of
// it where the caller asked for that and the project is open.
func labelsNamed(t *store.Tx, pointer, project string, refs []string, create bool) ([]*label, error) {
	var all []*label
	unknown := fmt.Sprintf("names no label of %s: send one of list_labels, or labels_create_missing", project)
	if create {
		p, err := findProject(&t.Reader, project)
		if err != nil {
			return nil, err
		}
		if p.Archived {
			create, unknown = false, fmt.Sprintf("names no label of %s, which is archived and takes no new ones: send one of list_labels", project)
		}
	}
	var missing []capabilities.Violation
	seen := map[string]bool{}
	for i, ref := range refs {
		at := fmt.Sprintf("%s/%d", pointer, i)
		l, err := findLabel(&t.Reader, project, ref)
		switch {
		case err != nil:
			return nil, err
		case l == nil && create:
			l = &label{Project: project, Name: ref}
			if err := l.insert(t); err != nil {
				return nil, err
			}
		case l == nil:
			missing = append(missing, capabilities.Violation{Pointer: at, Keyword: "reference", Message: unknown})
			continue
		}
		if !seen[l.ID] {
			seen[l.ID] = true
			all = append(all, l)
		}
	}
	if len(missing) > 0 {
		e := capabilities.Violates(missing...)
		e.Code = UnknownLabel
		return nil, e
	}
	return all, nil
}

// labelsOf answers the names of the labels of the items, by the items' ids.
func labelsOf(r *store.Reader, items []*item) (map[string][]string, error) {
	of := map[string][]string{}
	for len(items) > 0 {
		some := items[:min(len(items), labelsAtOnce)]
		items = items[len(some):]
		var rows []struct {
			ItemID string `db:"item_id"`
			Name   string `db:"name"`
		}
		args := make([]any, labelsAtOnce)
		for i := range args {
			args[i] = some[min(i, len(some)-1)].ID
		}
		if err := r.Select(&rows, selectLabelsOf, args...); err != nil {
			return nil, err
		}
		for _, row := range rows {
			of[row.ItemID] = append(of[row.ItemID], row.Name)
		}
	}
	return of, nil
}

// shown answers the items as a list shows them.
func shown(r *store.Reader, items []*item) ([]WorkItem, error) {
	labels, err := labelsOf(r, items)
	if err != nil {
		return nil, err
	}
	all := make([]WorkItem, len(items))
	for i, it := range items {
		all[i] = it.show(labels[it.ID])
	}
	return all, nil
}

// maxLabelName is how long the name of a label is.
const maxLabelName = 64

// labelName judges the name of a label.
func (f *faults) labelName(pointer, name string) {
	if n := len([]rune(name)); n > maxLabelName {
		f.add(pointer, "maxLength", fmt.Sprintf("has %d characters, at most %d are taken: send a shorter name", n, maxLabelName))
		return
	}
	f.name(pointer, name)
}
