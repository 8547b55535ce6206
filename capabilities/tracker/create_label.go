package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// CreateLabel creates a label of a project.
var CreateLabel = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "create_label",
	Title:    "Create label",
	Summary:  "Create a label of a project, for its work items.",
	Effect:   capabilities.Append(capabilities.Shared),
	Route:    "POST /projects/{project}/labels",
	Delivers: delivers,
	Undo:     "remove_label",
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.Exists, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "a label", In: `{"project":"WEB","name":"accessibility","colour":"#3366cc"}`},
		{Name: "a name that is taken, whatever the case", In: `{"project":"WEB","name":"Bug"}`, Refuses: capabilities.Exists},
	},
}, createLabel)

// CreateLabelInput describes the new label.
type CreateLabelInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The name, unique in the project whatever the case.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// The colour, as # and six hexadecimal digits in lower case.
	Colour string `json:"colour,omitempty" jsonschema:"pattern=^#[0-9a-f]{6}$,default=#808080"`
}

func createLabel(ctx context.Context, d Deps, in CreateLabelInput) (LabelReceipt, error) {
	var f faults
	f.labelName("/name", in.Name)
	if err := f.err(); err != nil {
		return LabelReceipt{}, err
	}
	return store.Write(ctx, d.Store, func(t *store.Tx) (LabelReceipt, error) {
		p, err := projectAbout(&t.Reader, in.Project)
		if err != nil {
			return LabelReceipt{}, err
		}
		if err := p.closedItself(); err != nil {
			return LabelReceipt{}, err
		}
		if err := freeLabelName(&t.Reader, p.Key, in.Name, ""); err != nil {
			return LabelReceipt{}, err
		}
		l := &label{Project: p.Key, Name: in.Name, Colour: in.Colour}
		if err := l.insert(t); err != nil {
			return LabelReceipt{}, err
		}
		return l.receipt(), nil
	})
}

// freeLabelName refuses a name that a label of the project other than the one of the id has.
func freeLabelName(r *store.Reader, project, name, id string) error {
	there, err := labelByName(r, project, name)
	if err == nil && there != nil && there.ID != id {
		return capabilities.Refuse(capabilities.Exists, "project %s has a label %q already: use that one, or choose another name", project, there.Name)
	}
	return err
}
