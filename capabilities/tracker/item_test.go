package tracker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestCreateSaysWhomItWentTo(t *testing.T) {
	w := seeded(t)
	for _, c := range []struct{ name, in, key, status, why, id string }{
		{"nobody is named", `{"project":"WEB","title":"a"}`, "WEB-1", "triage", "nobody_named", ""},
		{"nobody, and a status", `{"project":"WEB","title":"a","status":"in_review"}`, "WEB-2", "in_review", "nobody_named", ""},
		{"somebody", `{"project":"WEB","title":"a","assignee":"zoe"}`, "WEB-3", "todo", "named_in_call", "zoe"},
		{"the project's default", `{"project":"APP","title":"a"}`, "APP-1", "todo", "project_default", "kim"},
		{"somebody else than that", `{"project":"APP","title":"a","assignee":"zoe","status":"done"}`, "APP-2", "done", "named_in_call", "zoe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := w.do("create_work_item", c.in)
			want := map[string]any{"why": c.why}
			if c.id != "" {
				want["id"] = c.id
			}
			if out["key"] != c.key || out["status"] != c.status || out["version"] != 1.0 || !cmp.Equal(out["assignee"], any(want)) {
				t.Errorf("answered %v", out)
			}
			got := w.do("get_work_item", `{"item":"`+out["id"].(string)+`"}`)
			if got["key"] != c.key || got["status"] != c.status || (got["assignee"] != any(c.id) && c.id != "") {
				t.Errorf("get_work_item answers %v", got)
			}
		})
	}
	w.refused("create_work_item", `{"title":"a"}`, capabilities.Invalid, "/project")
}

func TestBadTextIsRefused(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a","checklist":["x"]}`)
	quote := func(s string) string {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, c := range []struct {
		name, title string
	}{
		{"blank", " \u00a0 "},
		{"a null character", "a\x00b"},
		{"a line feed", "a\nb"},
		{"a line separator", "a\u2028b"},
		{"turns the direction", "invoice\u202Efdp.exe"},
		{"isolates", "a\u2066b"},
		{"two megabytes", strings.Repeat("x", 2<<20)},
		{"301 characters", strings.Repeat("é", 301)},
	} {
		t.Run(c.name, func(*testing.T) {
			w.refused("create_work_item", `{"project":"WEB","title":`+quote(c.title)+`}`, capabilities.Invalid, "/title")
			w.refused("update_work_item", `{"item":"WEB-1","title":`+quote(c.title)+`}`, capabilities.Invalid, "/title")
			w.refused("create_work_item", `{"project":"WEB","title":"x","checklist":[`+quote(c.title)+`]}`, capabilities.Invalid, "/checklist/0")
			w.refused("create_work_item", `{"project":"WEB","title":"x","labels":[`+quote(c.title)+`],"labels_create_missing":true}`, capabilities.Invalid, "/labels/0")
		})
	}
	w.refused("create_work_item", `{"project":"WEB","title":"x","description":"a\u0000"}`, capabilities.Invalid, "/description")
	w.refused("create_work_item", `{"project":"WEB","title":"x","description":"a\u001b[2J"}`, capabilities.Invalid, "/description")
	w.refused("create_work_item", `{"project":"WEB","title":"x","description":`+quote(strings.Repeat("x", 256<<10+1))+`}`, capabilities.TooLarge, "")
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":`+quote(strings.Repeat("é", 128<<10+1))+`}`, capabilities.TooLarge, "")
	w.do("create_work_item", `{"project":"WEB","title":`+quote(strings.Repeat("é", 300))+`,"description":`+quote("a\n\tb\u200f"+strings.Repeat("x", 1000))+`}`)
}

func TestArgumentsThatNameSomethingMissing(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.do("create_work_item", `{"project":"WEB","title":"gone"}`)
	w.do("remove_work_item", `{"item":"WEB-2"}`)
	for _, c := range []struct{ capability, in, pointer string }{
		{"create_work_item", `{"project":"NONE","title":"a"}`, "/project"},
		{"create_work_item", `{"project":"WEB","title":"a","parent":"WEB-9"}`, "/parent"},
		{"create_work_item", `{"project":"WEB","title":"a","parent":"WEB-2"}`, "/parent"},
		{"create_work_item", `{"project":"APP","title":"a","parent":"WEB-1"}`, "/parent"},
		{"create_work_item", `{"project":"WEB","title":"a","status":"open"}`, "/status"},
		{"create_work_item", `{"project":"WEB","title":"a","links":[{"kind":"blocks","item":"WEB-9"}]}`, "/links/0/item"},
		{"create_work_item", `{"project":"WEB","title":"a","assignee":"not an id"}`, "/assignee"},
		{"create_work_item", `{"project":"WEB","title":"a","decision":{"options":["a","b"]}}`, "/ask"},
		{"update_work_item", `{"item":"WEB-1","parent":"nonsense"}`, "/parent"},
		{"update_work_item", `{"item":"WEB-1","status":"open"}`, "/status"},
		{"update_work_item", `{"item":"WEB-1","add_links":[{"kind":"relates","item":"WEB-1"}]}`, "/add_links/0/item"},
		{"update_work_item", `{"item":"WEB-1","remove_links":[{"kind":"relates","item":"WEB-2"}]}`, "/remove_links/0/item"},
		{"update_work_item", `{"item":"WEB-1","reason":"because"}`, "/reason"},
		{"update_work_item", `{"item":"WEB-1","assignee":null,"reason":"because"}`, "/reason"},
		{"update_work_item", `{"item":"WEB-1","checklist":{"do":"check","id":4}}`, "/checklist/id"},
		{"update_work_item", `{"item":"WEB-1","checklist":{"do":"check"}}`, "/checklist/id"},
		{"update_work_item", `{"item":"WEB-1","checklist":{"do":"add"}}`, "/checklist/text"},
		{"merge_work_item", `{"item":"WEB-1","into":"WEB-9"}`, "/into"},
		{"move_work_item", `{"item":"WEB-1","project":"NONE"}`, "/project"},
		{"move_work_item", `{"item":"WEB-1","project":"WEB"}`, "/project"},
		{"comment_on_work_item", `{"item":"WEB-1","body":"x","answers":1}`, "/answers"},
		{"comment_on_work_item", `{"item":"WEB-1","body":"x","ask":"?"}`, "/ask"},
		{"comment_on_work_item", `{"item":"WEB-1","body":" \n "}`, "/body"},
		{"list_work_items", `{"project":"NONE"}`, "/project"},
		{"list_work_items", `{"parent":"WEB-9"}`, "/parent"},
		{"list_work_items", `{"assignee":"kim","unassigned":true}`, "/unassigned"},
		{"list_work_items", `{"updated_since":"yesterday"}`, "/updated_since"},
		{"list_work_items", `{"cursor":"abc"}`, "/cursor"},
		{"list_trash", `{"project":"NONE"}`, "/project"},
		{"search_work_items", `{"query":"a","project":"NONE"}`, "/project"},
		{"list_activity", `{"project":"NONE"}`, "/project"},
		{"list_activity", `{"after":"a.b.c"}`, "/after"},
		{"list_activity", `{"after":"other.main.1"}`, "/after"},
	} {
		t.Run(c.capability+" "+c.in, func(*testing.T) {
			w.refused(c.capability, c.in, capabilities.Invalid, c.pointer)
		})
	}
	w.refused("create_work_item", `{"project":"WEB","title":"a","labels":["none"]}`, "unknown_label", "/labels/0")
	w.refused("update_work_item", `{"item":"WEB-1","add_labels":["none"]}`, "unknown_label", "/add_labels/0")
	for _, item := range []string{"WEB-9", "WEB-2", "WEB-0", "WEB-01", "nonsense", "wi_00000000000000000000000000", "' OR 1=1 --"} {
		for _, name := range []string{"get_work_item", "list_work_item_history", "list_comments"} {
			w.refused(name, `{"item":"`+item+`"}`, capabilities.NotFound, "")
		}
		w.refused("update_work_item", `{"item":"`+item+`","status":"done"}`, capabilities.NotFound, "")
		w.refused("comment_on_work_item", `{"item":"`+item+`","body":"x"}`, capabilities.NotFound, "")
		w.refused("move_work_item", `{"item":"`+item+`","project":"APP"}`, capabilities.NotFound, "")
		w.refused("merge_work_item", `{"item":"`+item+`","into":"WEB-1"}`, capabilities.NotFound, "")
	}
}

func TestUpdate(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a","description":"first","checklist":["one","two"]}`)
	w.do("create_work_item", `{"project":"WEB","title":"b"}`)
	out := w.do("update_work_item", `{"item":"web-1","title":"A","description":"second","status":"in_progress","priority":"urgent",
		"assignee":"kim","reason":"You know it.","add_labels":["new"],"labels_create_missing":true,
		"add_links":[{"kind":"blocked_by","item":"WEB-2"}],"checklist":{"do":"check","id":2},"if_match":1}`)
	want := []any{"title", "description", "status", "priority", "assignee", "labels", "links", "checklist"}
	if !cmp.Equal(out["changed"], any(want)) || out["version"] != 2.0 || out["outcome"] != "applied" {
		t.Fatalf("answered %v", out)
	}
	got := w.do("get_work_item", `{"item":"WEB-1"}`)
	for field, want := range map[string]any{
		"title": "A", "description": "second", "status": "in_progress", "priority": "urgent", "assignee": "kim", "version": 2.0, "text_version": 2.0,
		"labels":    []any{"new"},
		"links":     []any{map[string]any{"kind": "blocked_by", "key": "WEB-2", "title": "b", "status": "triage"}},
		"checklist": []any{map[string]any{"id": 1.0, "text": "one", "done": false}, map[string]any{"id": 2.0, "text": "two", "done": true}},
	} {
		if diff := cmp.Diff(want, got[field]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
	if c := at(t, got, "thread", 0); at(t, c, "kind") != "reason" || at(t, c, "body") != "You know it." {
		t.Errorf("the reason is posted as %v", c)
	}
	if other := w.do("get_work_item", `{"item":"WEB-2"}`); at(t, other, "links", 0, "kind") != "blocks" || other["version"] != 1.0 {
		t.Errorf("the other end of the link is %v", other)
	}
	same := w.do("update_work_item", `{"item":"WEB-1","title":"A","description":"second","status":"in_progress","priority":"urgent","assignee":"kim",
		"add_labels":["NEW"],"add_links":[{"kind":"blocked_by","item":"WEB-2"}],"checklist":{"do":"check","id":2}}`)
	if same["outcome"] != "unchanged" || same["version"] != 2.0 || len(same["changed"].([]any)) != 0 {
		t.Errorf("the same again answers %v", same)
	}
	w.refused("update_work_item", `{"item":"WEB-1","status":"done","if_match":1}`, capabilities.StaleVersion, "")
	w.do("update_work_item", `{"item":"WEB-1","assignee":null,"priority":"none","remove_labels":["new"],"remove_links":[{"kind":"blocked_by","item":"WEB-2"}],
		"checklist":{"do":"remove","id":2}}`)
	w.do("update_work_item", `{"item":"WEB-1","checklist":{"do":"add","text":"three"}}`)
	got = w.do("get_work_item", `{"item":"WEB-1"}`)
	if got["assignee"] != nil || got["priority"] != "none" || len(got["labels"].([]any)) != 0 || len(got["links"].([]any)) != 0 || at(t, got, "checklist", 1, "id") != 3.0 {
		t.Errorf("after the second update: %v", got)
	}
	for version, want := range map[int]string{1: "first", 2: "second", 3: "second", 4: "second"} {
		if text := w.do("get_work_item_text", fmt.Sprintf(`{"item":"WEB-1","version":%d}`, version)); text["description"] != want {
			t.Errorf("the text of version %d is %v", version, text)
		}
	}
	w.refused("get_work_item_text", `{"item":"WEB-1","version":5}`, capabilities.NotFound, "")
}

func TestHistoryDescribesAndDoesNotQuote(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"SECRETWORD","description":"SECRETWORD","checklist":["SECRETWORD"]}`)
	w.do("update_work_item", `{"item":"WEB-1","title":"SECRETWORD 2","description":"SECRETWORD 2","status":"done"}`)
	w.do("comment_on_work_item", `{"item":"WEB-1","body":"SECRETWORD"}`)
	w.do("write_project_file", `{"project":"WEB","path":"a.md","text":"SECRETWORD"}`)
	page := w.do("list_activity", `{"project":"WEB"}`)
	raw, err := json.Marshal(page)
	if err != nil || strings.Contains(string(raw), "SECRETWORD") {
		t.Errorf("the feed quotes (%v): %s", err, raw)
	}
	history := w.do("list_work_item_history", `{"item":"WEB-1"}`)
	var actions []string
	for _, a := range history["items"].([]any) {
		actions = append(actions, at(t, a, "action").(string))
	}
	if !slices.Equal(actions, []string{"commented", "updated", "created"}) {
		t.Errorf("the history is %v", actions)
	}
	updated := at(t, history, "items", 1)
	if !cmp.Equal(at(t, updated, "fields"), any([]any{"title", "description", "status"})) || at(t, updated, "status") != "done" || at(t, updated, "by") != "owner" {
		t.Errorf("the update is described as %v", updated)
	}
}

func TestParents(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"top"}`)
	for i := 1; i < 16; i++ {
		w.do("create_work_item", fmt.Sprintf(`{"project":"WEB","title":"below","parent":"WEB-%d"}`, i))
	}
	w.refused("create_work_item", `{"project":"WEB","title":"too deep","parent":"WEB-16"}`, capabilities.Invalid, "/parent")
	w.refused("update_work_item", `{"item":"WEB-1","parent":"WEB-1"}`, capabilities.Invalid, "/parent")
	w.refused("update_work_item", `{"item":"WEB-1","parent":"WEB-16"}`, capabilities.Invalid, "/parent")
	w.refused("update_work_item", `{"item":"WEB-2","parent":"WEB-3"}`, capabilities.Invalid, "/parent")
	w.do("create_work_item", `{"project":"WEB","title":"another top"}`)
	w.refused("update_work_item", `{"item":"WEB-1","parent":"WEB-17"}`, capabilities.Invalid, "/parent")
	w.do("update_work_item", `{"item":"WEB-3","parent":"WEB-17"}`)
	if got := w.do("get_work_item", `{"item":"WEB-17"}`); at(t, got, "subtasks", 0, "key") != "WEB-3" {
		t.Errorf("the new parent is %v", got)
	}
	w.do("update_work_item", `{"item":"WEB-3","parent":null}`)
	if got := w.do("get_work_item", `{"item":"WEB-3"}`); got["parent"] != nil {
		t.Errorf("taken out, the item is %v", got)
	}
}

func TestQuestions(t *testing.T) {
	w := seeded(t)
	out := w.do("create_work_item", `{"project":"WEB","title":"Which?","ask":"ana","decision":{"options":["red","blue"]}}`)
	if out["question"] != 1.0 {
		t.Fatalf("answered %v", out)
	}
	w.do("comment_on_work_item", `{"item":"WEB-1","body":"And when?","ask":"ana"}`)
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"green","answers":1,"choice":"green"}`, capabilities.Invalid, "/choice")
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"red","answers":1}`, capabilities.Invalid, "/choice")
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"now","answers":2,"choice":"now"}`, capabilities.Invalid, "/choice")
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"red","choice":"red"}`, capabilities.Invalid, "/choice")
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"?","answers":1,"ask":"kim"}`, capabilities.Invalid, "/ask")
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"?","ask":"kim","decision":{"options":["a","a"]}}`, capabilities.Invalid, "/decision/options/1")
	if out := w.do("comment_on_work_item", `{"item":"WEB-1","body":"The red one.","answers":1,"choice":"red"}`); out["number"] != 3.0 || out["version"] != 1.0 {
		t.Errorf("answered %v", out)
	}
	w.refused("comment_on_work_item", `{"item":"WEB-1","body":"No, blue.","answers":1,"choice":"blue"}`, "already_answered", "")
	thread := w.do("list_comments", `{"item":"WEB-1"}`)["items"]
	if q := at(t, thread, 0); at(t, q, "answered_by") != 3.0 || at(t, q, "asked") != "ana" || !cmp.Equal(at(t, q, "options"), any([]any{"red", "blue"})) {
		t.Errorf("the question is %v", q)
	}
	if a := at(t, thread, 2); at(t, a, "answers") != 1.0 || at(t, a, "choice") != "red" || at(t, a, "kind") != "answer" {
		t.Errorf("the answer is %v", a)
	}
}

func TestMentions(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	out := w.do("comment_on_work_item", `{"item":"WEB-1","body":"@ana, @kim. and (@zoe) but not me@example.com, `+"`@code`"+` or\n`+"```\\n@fenced\\n```"+`\n@ana"}`)
	if !cmp.Equal(out["mentions"], any([]any{"ana", "kim", "zoe"})) {
		t.Errorf("answered %v", out)
	}
	got := w.do("get_work_item", `{"item":"WEB-1"}`)
	if !cmp.Equal(at(t, got, "thread", 0, "mentions"), any([]any{"ana", "kim", "zoe"})) {
		t.Errorf("the thread is %v", got["thread"])
	}
}
