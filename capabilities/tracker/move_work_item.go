package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// MoveWorkItem moves a work item to another project.
var MoveWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "move_work_item",
	Title:    "Move work item",
	Summary:  "Move a work item and its subtasks to another project: new keys, and the old ones still work. For the lead of its project.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "POST /work-items/{item}/move",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "to another project", In: `{"item":"WEB-3","project":"APP"}`},
		{Name: "where it is already", In: `{"item":"WEB-1","project":"WEB"}`, Refuses: capabilities.Invalid},
	},
}, moveWorkItem)

// MoveWorkItemInput says what to move where.
type MoveWorkItemInput struct {
	// The item, by key or id; one at the top, not a subtask.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
	// The key of the project to move it to.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// Move it only when this is its version.
	IfMatch int64 `json:"if_match,omitempty" jsonschema:"minimum=1"`
}

// MoveWorkItemOutput is the receipt of a move.
type MoveWorkItemOutput struct {
	WorkItemReceipt
	// Every item that moved, the item itself first.
	Moved []Rekeyed `json:"moved"`
	// The names of the labels that the project did not have and has now.
	LabelsCreated []string `json:"labels_created"`
}

// Rekeyed is an item with the key it had and the one it has.
type Rekeyed struct {
	// The key it had; it still names the item.
	From string `json:"from"`
	// The key it has.
	To string `json:"to"`
}

func moveWorkItem(ctx context.Context, d Deps, in MoveWorkItemInput) (MoveWorkItemOutput, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (out MoveWorkItemOutput, err error) {
		it, err := itemAbout(&t.Reader, in.Item)
		if err != nil {
			return out, err
		}
		here, err := projectNamed(&t.Reader, "/item", it.Project)
		if err != nil {
			return out, err
		}
		if err := d.lead(ctx, here, "moving work items out of "+here.Key); err != nil {
			return out, err
		}
		if err := it.fresh(in.IfMatch); err != nil {
			return out, err
		}
		there, err := it.destination(&t.Reader, in.Project)
		if err != nil {
			return out, err
		}
		m := move{t: t, to: there.Key, labels: map[string]*label{}}
		below, err := it.descendants(&t.Reader, selectChildren)
		if err != nil {
			return out, err
		}
		for _, one := range append([]*item{it}, below...) {
			if err := m.one(one); err != nil {
				return out, err
			}
		}
		return MoveWorkItemOutput{WorkItemReceipt: it.receipt(), Moved: m.moved, LabelsCreated: m.created}, nil
	})
}

// destination answers the project that an item can be moved to.
func (it *item) destination(r *store.Reader, key string) (*project, error) {
	there, err := projectNamed(r, "/project", key)
	if err != nil {
		return nil, err
	}
	if there.Key == it.Project {
		return nil, violates("/project", "not", "is where "+it.key()+" is already: name another project")
	}
	if it.ParentID != nil {
		return nil, violates("/item", "not", "names "+it.key()+", a subtask, which is where its parent is: move the parent, or take it out first (update_work_item with parent null)")
	}
	return there, there.closed("/project")
}

// move is a move of items on its way.
type move struct {
	t       *store.Tx
	to      string
	labels  map[string]*label // of the project they come from, by id: those of the other
	moved   []Rekeyed
	created []string
}

// one gives an item a key of the other project and labels of it.
func (m *move) one(it *item) error {
	was, from := it.Project, it.key()
	if err := m.relabel(it); err != nil {
		return err
	}
	num, seq, err := numbers(m.t, m.to)
	if err != nil {
		return err
	}
	it.Project, it.Num = m.to, num
	if _, err := m.t.Exec(insertKey, it.Project, it.Num, it.ID, seq); err != nil {
		return err
	}
	if err := it.amended(m.t); err != nil {
		return err
	}
	if !it.trashed() {
		if err := it.reindex(m.t); err != nil {
			return err
		}
	}
	m.moved = append(m.moved, Rekeyed{From: from, To: it.key()})
	if err := it.logGone(m.t, was, from); err != nil {
		return err
	}
	return it.log(m.t, event{Action: moved, Fields: []string{"key", "project"}, Other: from})
}

// relabel puts labels of the other project in the place of those of the item. A name
// that the other project does not have becomes a label of it.
func (m *move) relabel(it *item) error {
	var now []*label
	if err := m.t.Select(&now, selectItemLabels, it.ID); err != nil {
		return err
	}
	if len(now) == 0 {
		return nil
	}
	if _, err := m.t.Exec(deleteItemLabels, it.ID); err != nil {
		return err
	}
	for _, l := range now {
		there, err := m.label(l)
		if err != nil {
			return err
		}
		if _, err := m.t.Exec(insertItemLabel, there.ID, it.Seq, it.ID); err != nil {
			return err
		}
	}
	return nil
}

// label answers the label of the other project that has the name.
func (m *move) label(l *label) (*label, error) {
	if there, ok := m.labels[l.ID]; ok {
		return there, nil
	}
	there, err := labelByName(&m.t.Reader, m.to, l.Name)
	if err != nil {
		return nil, err
	}
	if there == nil {
		there = &label{Project: m.to, Name: l.Name, Colour: l.Colour}
		if err := there.insert(m.t); err != nil {
			return nil, err
		}
		m.created = append(m.created, l.Name)
	}
	m.labels[l.ID] = there
	return there, nil
}
