package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RemoveLabel removes a label for good.
var RemoveLabel = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "remove_label",
	Title:    "Remove label",
	Summary:  "Remove a label of a project for good, from all its work items. For the lead of the project.",
	Effect:   capabilities.Destroy(capabilities.Shared),
	Route:    "POST /projects/{project}/labels/remove",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a label", In: `{"project":"WEB","name":"obsolete"}`},
		{Name: "a label that does not exist", In: `{"project":"WEB","name":"nonesuch"}`, Refuses: capabilities.NotFound},
	},
}, removeLabel)

// RemoveLabelInput names a label.
type RemoveLabelInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The label, by name or id.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
}

func removeLabel(ctx context.Context, d Deps, in RemoveLabelInput) (LabelReceipt, error) {
	return store.Write(ctx, d.Store, func(t *store.Tx) (LabelReceipt, error) {
		p, err := projectAbout(&t.Reader, in.Project)
		if err != nil {
			return LabelReceipt{}, err
		}
		l, err := labelAbout(&t.Reader, p.Key, in.Name)
		if err != nil {
			return LabelReceipt{}, err
		}
		if err := d.lead(ctx, p, "removing labels of "+p.Key); err != nil {
			return LabelReceipt{}, err
		}
		for _, statement := range []string{deleteLabelOfItems, deleteLabel} {
			if _, err := t.Exec(statement, l.ID); err != nil {
				return LabelReceipt{}, err
			}
		}
		l.Version++
		return l.receipt(), l.log(t, event{Action: removed})
	})
}
