package tracker_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// What has ended since stays ended, and what had ended before does not count when it is
// open again.
func TestItemsThatEnd(t *testing.T) {
	w := seeded(t)
	for name, c := range map[string]struct {
		before, after []string // calls, with ID for the item's id
		want          bool
	}{
		"open":                    {nil, []string{`update_work_item {"item":"ID","status":"in_review"}`, `comment_on_work_item {"item":"ID","body":"x"}`}, false},
		"done":                    {nil, []string{`update_work_item {"item":"ID","status":"done"}`}, true},
		"cancelled":               {nil, []string{`update_work_item {"item":"ID","status":"cancelled"}`}, true},
		"done and opened again":   {nil, []string{`update_work_item {"item":"ID","status":"done"}`, `update_work_item {"item":"ID","status":"todo"}`}, true},
		"opened again before":     {[]string{`update_work_item {"item":"ID","status":"done"}`, `update_work_item {"item":"ID","status":"todo"}`}, nil, false},
		"done before":             {[]string{`update_work_item {"item":"ID","status":"done"}`}, nil, true},
		"in the trash":            {nil, []string{`remove_work_item {"item":"ID"}`}, true},
		"restored":                {nil, []string{`remove_work_item {"item":"ID"}`, `restore_work_item {"item":"ID"}`}, true},
		"removed for good":        {nil, []string{`remove_work_item {"item":"ID"}`, `purge_work_item {"item":"ID"}`}, true},
		"moved":                   {nil, []string{`move_work_item {"item":"ID","project":"APP"}`}, false},
		"moved, and done there":   {nil, []string{`move_work_item {"item":"ID","project":"APP"}`, `update_work_item {"item":"ID","status":"done"}`}, true},
		"a duplicate":             {nil, []string{`merge_work_item {"item":"ID","into":"APP-1"}`}, true},
		"a duplicate, open again": {nil, []string{`merge_work_item {"item":"ID","into":"APP-1"}`, `update_work_item {"item":"ID","status":"todo"}`}, true},
	} {
		if w.all("list_work_items", `{"project":"APP"}`, "key") == nil {
			w.do("create_work_item", `{"project":"APP","title":"what survives"}`)
		}
		id := w.do("create_work_item", `{"project":"WEB","title":"x"}`)["id"].(string)
		w.runs(c.before, id)
		after := w.db.Head()
		w.runs(c.after, id)
		ended := func(id string) (is bool) {
			err := store.Read(t.Context(), w.db, func(r *store.Reader) (err error) {
				is, err = tracker.EndedAfter(r, id, after)
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return is
		}
		if got := ended(id); got != c.want {
			t.Errorf("%s: it has ended: %t, want %t", name, got, c.want)
		}
		if !ended("itm_none") {
			t.Error("an item that never was is open")
		}
	}
}

// runs makes calls that have to be answered, each a name and arguments.
func (w *world) runs(calls []string, id string) {
	w.t.Helper()
	for _, call := range calls {
		name, in, _ := strings.Cut(call, " ")
		w.do(name, strings.ReplaceAll(in, "ID", id))
	}
}
