package tracker_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// What shows nothing is no name of anything, whatever characters it has.
func TestWhatShowsNothingIsBlank(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.do("comment_on_work_item", `{"item":"WEB-1","body":"x","ask":"kim"}`)
	for name, blank := range map[string]string{
		"zero-width space": "\u200b", "word joiner": "\u2060", "byte order mark": "\ufeff", "soft hyphen": "\u00ad", "variation selector": "\ufe0f",
		"Hangul filler": "\u3164", "empty Braille": "\u2800", "Mongolian separator": "\u180e", "joiners among spaces": " \u200d \u200c ",
		"grapheme joiner": "\u034f", "tag": "\U000e0041", "white space": " \u00a0\u3000",
	} {
		text, err := json.Marshal(blank)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ capability, in, pointer string }{
			{"create_project", `{"key":"OPS","title":%s}`, "/title"},
			{"update_project", `{"project":"WEB","title":%s}`, "/title"},
			{"create_work_item", `{"project":"WEB","title":%s}`, "/title"},
			{"update_work_item", `{"item":"WEB-1","title":%s}`, "/title"},
			{"update_work_item", `{"item":"WEB-1","assignee":"kim","reason":%s}`, "/reason"},
			{"create_work_item", `{"project":"WEB","title":"b","checklist":["c",%s]}`, "/checklist/1"},
			{"update_work_item", `{"item":"WEB-1","checklist":{"do":"add","text":%s}}`, "/checklist/text"},
			{"create_work_item", `{"project":"WEB","title":"b","labels_create_missing":true,"labels":[%s]}`, "/labels/0"},
			{"create_label", `{"project":"WEB","name":%s}`, "/name"},
			{"comment_on_work_item", `{"item":"WEB-1","body":%s}`, "/body"},
			{"comment_on_work_item", `{"item":"WEB-1","body":"b","ask":"kim","decision":{"options":["c",%s]}}`, "/decision/options/1"},
			{"write_project_file", `{"project":"WEB","path":%s,"text":"a"}`, "/path"},
		} {
			if _, err := w.call(c.capability, fmt.Sprintf(c.in, text)); !refusedAt(err, c.pointer) {
				t.Errorf("%s with a %s: %v", c.capability, name, err)
			}
		}
	}
	w.refused("write_project_file", `{"project":"WEB","path":"notes/\u200b/plan.md","text":"a"}`, capabilities.Invalid, "/path")
	w.do("create_work_item", `{"project":"WEB","title":"\u2764\ufe0f"}`)
	w.do("create_label", `{"project":"WEB","name":"bug"}`)
	w.refused("create_label", `{"project":"WEB","name":"b\u200bug"}`, capabilities.Exists, "")
}

func refusedAt(err error, pointer string) bool {
	e, ok := capabilities.AsError(err)
	return ok && e.Code == capabilities.Invalid && len(e.Violations) > 0 && e.Violations[0].Pointer == pointer
}

// A cursor of any list goes on with that list alone, as it was asked for.
func TestCursorsAreRefusedWithOtherArguments(t *testing.T) {
	w := seeded(t)
	for i := range 6 {
		project := []string{"WEB", "APP"}[i%2]
		w.do("create_work_item", fmt.Sprintf(`{"project":%q,"title":"a%d","labels":["l%d"],"labels_create_missing":true}`, project, i, i))
	}
	for i := range 3 {
		w.do("comment_on_work_item", `{"item":"WEB-1","body":"x"}`)
		w.do("comment_on_work_item", `{"item":"WEB-2","body":"x"}`)
		w.do("write_project_file", fmt.Sprintf(`{"project":"WEB","path":"n/%d","text":"x%d"}`, i, i))
		w.do("write_project_file", fmt.Sprintf(`{"project":"WEB","path":"n/same","text":"x%d"}`, i))
	}
	w.do("update_project", `{"project":"APP","archived":true}`)
	for _, item := range []string{"WEB-3", "APP-2", "APP-3"} {
		w.do("remove_work_item", `{"item":"`+item+`"}`)
	}
	for _, c := range []struct {
		list  string
		first map[string]any
		other []map[string]any // what it is asked for instead; nil takes a filter away
	}{
		{"list_projects", map[string]any{"archived": true}, []map[string]any{{"archived": nil}}},
		{"list_work_items", map[string]any{"project": "WEB"}, []map[string]any{{"project": "APP"}, {"project": nil}, {"status": []string{"todo"}}, {"updated_since": "2020-01-01T00:00:00Z"}, {"priority": "high"}, {"assignee": "kim"}}},
		{"list_work_items", map[string]any{"updated_since": "2020-01-01T00:00:00Z"}, []map[string]any{{"updated_since": "2021-01-01T00:00:00Z"}, {"updated_since": nil}}},
		{"list_labels", map[string]any{"project": "WEB"}, []map[string]any{{"project": "APP"}}},
		{"list_comments", map[string]any{"item": "WEB-1"}, []map[string]any{{"item": "WEB-2"}}},
		{"list_work_item_history", map[string]any{"item": "WEB-1"}, []map[string]any{{"item": "WEB-2"}}},
		{"list_activity", map[string]any{"project": "WEB"}, []map[string]any{{"project": "APP"}, {"project": nil}, {"after": w.db.Incarnation() + ".main.1"}}},
		{"list_trash", map[string]any{"project": "APP"}, []map[string]any{{"project": "WEB"}, {"project": nil}}},
		{"list_project_files", map[string]any{"project": "WEB", "folder": "n"}, []map[string]any{{"project": "APP"}, {"folder": nil}}},
		{"list_project_file_versions", map[string]any{"project": "WEB", "path": "n/same"}, []map[string]any{{"path": "n/0"}}},
	} {
		args := maps.Clone(c.first)
		args["limit"] = 1
		page, err := w.call(c.list, text(t, args))
		if err != nil || page["next_cursor"] == nil {
			t.Errorf("%s %v has no second page: %v, %v", c.list, args, page, err)
			continue
		}
		args["cursor"], args["limit"] = page["next_cursor"], 1000
		if _, err := w.call(c.list, text(t, args)); err != nil {
			t.Errorf("%s goes not on: %v", c.list, err)
		}
		for _, change := range c.other {
			with := maps.Clone(args)
			maps.Copy(with, change)
			maps.DeleteFunc(with, func(_ string, v any) bool { return v == nil })
			if _, err := w.call(c.list, text(t, with)); !refusedAt(err, "/cursor") {
				t.Errorf("%s went on with %v: %v", c.list, change, err)
			}
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A move stands in the activity of both projects, once in that of all, and once in the
// history of the item.
func TestMoveIsActivityOfBothProjects(t *testing.T) {
	w := seeded(t)
	id := w.do("create_work_item", `{"project":"WEB","title":"a"}`)["id"]
	w.do("create_work_item", `{"project":"WEB","title":"b","parent":"WEB-1"}`)
	before := w.do("list_activity", `{}`)["items"].([]any)
	after := at(t, before, len(before)-1, "position").(string)
	w.do("move_work_item", `{"item":"WEB-1","project":"APP"}`)
	type row struct{ Action, Project, Key, Other string }
	of := func(list, in string) (rows []row) {
		for _, one := range w.do(list, in)["items"].([]any) {
			rows = append(rows, row{at(t, one, "action").(string), at(t, one, "project").(string), at(t, one, "key").(string), at(t, one, "other").(string)})
		}
		return rows
	}
	away := []row{{"moved_away", "WEB", "WEB-1", "APP-1"}, {"moved_away", "WEB", "WEB-2", "APP-2"}}
	here := []row{{"moved", "APP", "APP-1", "WEB-1"}, {"moved", "APP", "APP-2", "WEB-2"}}
	if diff := cmp.Diff(away, of("list_activity", `{"project":"WEB","after":"`+after+`"}`)); diff != "" {
		t.Errorf("the project it left (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(here, of("list_activity", `{"project":"APP","after":"`+after+`"}`)); diff != "" {
		t.Errorf("the project it came to (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(here, of("list_activity", `{"after":"`+after+`"}`)); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	history := w.all("list_work_item_history", `{"item":"APP-1"}`, "action")
	if !slices.Equal(history, []string{"moved", "created"}) {
		t.Errorf("the history is %v", history)
	}
	gone := w.do("list_activity", `{"project":"WEB","after":"`+after+`"}`)["items"]
	if at(t, gone, 0, "kind") != "work_item" || at(t, gone, 0, "id") != id {
		t.Errorf("what left is %v", gone)
	}
}

func TestUnknownProjectNamesWhatThereIs(t *testing.T) {
	w := open(t, nil)
	says := func(name, in string, code capabilities.Code, want string) {
		t.Helper()
		if e := w.refused(name, in, code, ""); !strings.Contains(e.Message, want) {
			t.Errorf("%s %s says %q, want %q in it", name, in, e.Message, want)
		}
	}
	says("get_project", `{"project":"WEB"}`, capabilities.NotFound, "create_project creates one")
	w.do("create_project", `{"key":"WEB","title":"Web"}`)
	w.do("create_project", `{"key":"APP","title":"App"}`)
	says("get_project", `{"project":"web"}`, capabilities.NotFound, `"web": did you mean WEB; list_projects`)
	says("get_project", `{"project":"NOPE"}`, capabilities.NotFound, "send one of APP, WEB")
	says("create_work_item", `{"project":"WEBB","title":"a"}`, capabilities.Invalid, "did you mean WEB")
	for i := range 8 {
		w.do("create_project", fmt.Sprintf(`{"key":"P%d","title":"Project"}`, i))
	}
	says("get_project", `{"project":"ZZZZZZ"}`, capabilities.NotFound, `"ZZZZZZ": list_projects has the keys`)
}
