package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// UpdateLabel renames or recolours a label.
var UpdateLabel = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "update_label",
	Title:    "Update label",
	Summary:  "Rename or recolour a label of a project. Its work items keep it.",
	Effect:   capabilities.Amend(capabilities.Shared),
	Route:    "PATCH /projects/{project}/labels",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.Exists, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "another name and colour", In: `{"project":"WEB","label":"design","name":"ux","colour":"#aa33cc"}`},
		{Name: "a label that does not exist", In: `{"project":"WEB","label":"nonesuch","name":"x"}`, Refuses: capabilities.NotFound},
	},
}, updateLabel)

// UpdateLabelInput says what to change; what is absent stays.
type UpdateLabelInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The label, by name or id.
	Label string `json:"label" jsonschema:"minLength=1,maxLength=64"`
	// The new name, unique in the project whatever the case.
	Name *string `json:"name,omitempty" jsonschema:"minLength=1,maxLength=64"`
	// The new colour, as # and six hexadecimal digits in lower case.
	Colour *string `json:"colour,omitempty" jsonschema:"pattern=^#[0-9a-f]{6}$"`
	// Change it only when this is its version.
	IfMatch int64 `json:"if_match,omitempty" jsonschema:"minimum=1"`
}

func updateLabel(ctx context.Context, d Deps, in UpdateLabelInput) (LabelReceipt, error) {
	var f faults
	if in.Name != nil {
		f.labelName("/name", *in.Name)
	}
	if err := f.err(); err != nil {
		return LabelReceipt{}, err
	}
	return store.Write(ctx, d.Store, func(t *store.Tx) (LabelReceipt, error) {
		if _, err := projectAbout(&t.Reader, in.Project); err != nil {
			return LabelReceipt{}, err
		}
		l, err := labelAbout(&t.Reader, in.Project, in.Label)
		if err != nil {
			return LabelReceipt{}, err
		}
		if in.IfMatch != 0 && in.IfMatch != l.Version {
			return LabelReceipt{}, stale("label "+l.Name, l.Version, in.IfMatch, "list_labels")
		}
		if in.Name != nil {
			if err := freeLabelName(&t.Reader, in.Project, *in.Name, l.ID); err != nil {
				return LabelReceipt{}, err
			}
		}
		var c changes
		set(&c, "name", &l.Name, in.Name)
		set(&c, "colour", &l.Colour, in.Colour)
		if len(c) == 0 {
			return l.receipt(), nil
		}
		l.Version++
		if _, err := t.Exec(updateLabelRow, fold(l.Name), l.Name, l.Colour, l.Version, l.ID); err != nil {
			return LabelReceipt{}, err
		}
		return l.receipt(), l.log(t, event{Action: updated, Fields: c})
	})
}
