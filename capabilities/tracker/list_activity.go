package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ListActivity lists what happened.
var ListActivity = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_activity",
	Title:   "List activity",
	Summary: "List what happened in a project or in all, in the order in which it happened, from the start or after a position.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /activity",
	Examples: []capabilities.Example{
		{Name: "a project from the start", In: `{"project":"WEB","limit":10}`},
		{Name: "a position made up", In: `{"after":"yesterday"}`, Refuses: capabilities.Invalid},
	},
}, listActivity)

// ListActivityInput selects what happened.
type ListActivityInput struct {
	capabilities.PageInput
	// Only what happened in this project, by its key.
	Project string `json:"project,omitempty" jsonschema:"minLength=1,maxLength=10"`
	// Only what happened after this position, as a receipt or this list has it.
	After string `json:"after,omitempty" jsonschema:"minLength=1,maxLength=200"`
}

func listActivity(ctx context.Context, d Deps, in ListActivityInput) (out capabilities.Page[Activity], err error) {
	after, err := d.after(in.After)
	if err != nil {
		return out, err
	}
	at, err := from(in.PageInput, after)
	if err != nil {
		return out, err
	}
	err = store.Read(ctx, d.Store, func(r *store.Reader) (err error) {
		query, args := selectChanges, []any{at[0], limitOf(in.PageInput) + 1}
		if in.Project != "" {
			if _, err := projectNamed(r, "/project", in.Project); err != nil {
				return err
			}
			query, args = selectProjectChanges, append([]any{in.Project}, args...)
		}
		var rows []*change
		if err := r.Select(&rows, query, args...); err != nil {
			return err
		}
		out, err = activityPage(d, rows, in.PageInput)
		return err
	})
	return out, err
}

// after answers the number of a position of this store; 0 where there is none.
func (d Deps) after(position string) (int64, error) {
	if position == "" {
		return 0, nil
	}
	p, err := store.ParsePosition(position)
	if err != nil {
		return 0, violates("/after", "format", "is no position: send one of a receipt or of this list, or none")
	}
	if p.Stream != "main" {
		return 0, violates("/after", "reference", "names a stream of the log that this database does not have: send a position of a receipt or of this list")
	}
	if p.Incarnation != d.Store.Incarnation() {
		return 0, violates("/after", "reference", "is of an earlier life of this database, which was restored since: begin without it")
	}
	return p.Seq, nil
}
