package tracker

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// SearchWorkItems finds work items by what they say.
var SearchWorkItems = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "search_work_items",
	Title:   "Search work items",
	Summary: "Find work items by the words of their titles and descriptions, the best first. All words have to be there.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /search/work-items",
	Examples: []capabilities.Example{
		{Name: "two words", In: `{"query":"login safari"}`},
		{Name: "within a project", In: `{"query":"icon","project":"APP","limit":5}`},
		{Name: "a mode there is not", In: `{"query":"login","mode":"psychic"}`, Refuses: capabilities.Invalid},
	},
}, searchWorkItems)

// SearchWorkItemsInput says what to look for.
type SearchWorkItemsInput struct {
	// Words, whatever their case. No character has a meaning of its own. Of more than 2000 items that have them, the newest 2000 are looked at.
	Query string `json:"query" jsonschema:"minLength=1,maxLength=1000"`
	// Only items of this project, by its key.
	Project string `json:"project,omitempty" jsonschema:"minLength=1,maxLength=10"`
	// How to rank. What cannot be served is served by keyword, and degraded says so.
	Mode SearchMode `json:"mode,omitempty" jsonschema:"default=keyword"`
	// How many items at most.
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100,default=20"`
	// How many of the best to leave out.
	Offset int `json:"offset,omitempty" jsonschema:"minimum=0,maximum=2000"`
}

// SearchMode is how a search ranks: by keyword, by meaning (semantic), or by both (hybrid).
type SearchMode string

// The closed set of modes.
const (
	KeywordSearch  SearchMode = "keyword"
	SemanticSearch SearchMode = "semantic"
	HybridSearch   SearchMode = "hybrid"
)

// SchemaEnum lists the members.
func (SearchMode) SchemaEnum() []string {
	return []string{string(KeywordSearch), string(SemanticSearch), string(HybridSearch)}
}

// SearchWorkItemsOutput is what was found.
type SearchWorkItemsOutput struct {
	// The items, the best first.
	Items []WorkItem `json:"items"`
	// The mode that was served.
	Mode SearchMode `json:"mode"`
	// What the answer lacks, in a sentence; absent where it is what was asked for.
	Degraded string `json:"degraded,omitempty"`
	// The offset of the next page; absent on the last one.
	NextOffset int `json:"next_offset,omitempty"`
}

func searchWorkItems(ctx context.Context, d Deps, in SearchWorkItemsInput) (out SearchWorkItemsOutput, err error) {
	q := store.Query{Text: in.Query, Kinds: []string{kindItem}, Limit: in.Limit + 1, Offset: in.Offset}
	if in.Project != "" {
		q.Scopes = []string{in.Project}
	}
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		if in.Project != "" {
			if _, err := projectNamed(r, "/project", in.Project); err != nil {
				return err
			}
		}
		found, err := r.Search(q)
		if err != nil {
			return err
		}
		out.Mode, out.Degraded = SearchMode(found.Mode), found.Degraded
		if out.Degraded == "" && out.Mode != in.Mode {
			out.Degraded = "this server ranks by keyword alone, so that an item that says the same in other words is not found"
		}
		hits := found.Hits
		if len(hits) > in.Limit {
			hits, out.NextOffset = hits[:in.Limit], in.Offset+in.Limit
		}
		items := make([]*item, 0, len(hits))
		for _, hit := range hits {
			var it item
			if err := r.Get(&it, selectItem, hit.ID); err != nil {
				return err
			}
			items = append(items, &it)
		}
		out.Items, err = shown(r, items)
		return err
	})
	return out, err
}
