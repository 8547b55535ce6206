package tracker_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
)

func TestMove(t *testing.T) {
	w := seeded(t)
	w.do("create_label", `{"project":"APP","name":"Bug","colour":"#123456"}`)
	w.do("create_work_item", `{"project":"APP","title":"first"}`)
	w.do("create_work_item", `{"project":"WEB","title":"zebra","labels":["bug","odd"],"labels_create_missing":true}`)
	w.do("create_work_item", `{"project":"WEB","title":"below","parent":"WEB-1"}`)
	w.do("create_work_item", `{"project":"WEB","title":"below that","parent":"WEB-2"}`)
	w.do("create_work_item", `{"project":"WEB","title":"in the trash","parent":"WEB-1"}`)
	w.do("remove_work_item", `{"item":"WEB-4"}`)
	w.refused("move_work_item", `{"item":"WEB-2","project":"APP"}`, capabilities.Invalid, "/item")
	w.refused("move_work_item", `{"item":"WEB-1","project":"APP","if_match":9}`, capabilities.StaleVersion, "")
	out := w.do("move_work_item", `{"item":"WEB-1","project":"APP","if_match":1}`)
	if out["key"] != "APP-2" || out["version"] != 2.0 || !cmp.Equal(out["labels_created"], any([]any{"odd"})) {
		t.Errorf("move_work_item answers %v", out)
	}
	var moved []string
	for _, m := range out["moved"].([]any) {
		moved = append(moved, at(t, m, "from").(string)+">"+at(t, m, "to").(string))
	}
	if !slices.Equal(moved, []string{"WEB-1>APP-2", "WEB-2>APP-3", "WEB-4>APP-4", "WEB-3>APP-5"}) {
		t.Errorf("moved are %v", moved)
	}
	for _, key := range []string{"WEB-1", "APP-2"} {
		got := w.do("get_work_item", `{"item":"`+key+`"}`)
		if got["key"] != "APP-2" || got["project"] != "APP" || !cmp.Equal(got["labels"], any([]any{"Bug", "odd"})) || !cmp.Equal(got["former_keys"], any([]any{"WEB-1"})) {
			t.Errorf("%s is %v", key, got)
		}
	}
	if got := w.do("get_work_item", `{"item":"WEB-3"}`); got["key"] != "APP-5" || got["parent"] != "APP-3" {
		t.Errorf("the subtask of the subtask is %v", got)
	}
	if got := w.all("list_work_items", `{"project":"WEB"}`, "key"); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
	if got := w.do("search_work_items", `{"query":"zebra","project":"APP"}`); at(t, got, "items", 0, "key") != "APP-2" {
		t.Errorf("the search in the new project finds %v", got)
	}
	if got := w.do("create_work_item", `{"project":"WEB","title":"next"}`); got["key"] != "WEB-5" {
		t.Errorf("a number was given out again: %v", got)
	}
	w.do("restore_work_item", `{"item":"WEB-4"}`)
	if back := w.do("move_work_item", `{"item":"WEB-1","project":"WEB"}`); back["key"] != "WEB-6" {
		t.Errorf("moved back it is %v", back)
	}
	if got := w.do("get_work_item", `{"item":"APP-2"}`); !cmp.Equal(got["former_keys"], any([]any{"WEB-1", "APP-2"})) {
		t.Errorf("moved twice it had %v", got["former_keys"])
	}
}

func TestMerge(t *testing.T) {
	w := seeded(t)
	for _, in := range []string{
		`{"project":"WEB","title":"keeps"}`, `{"project":"WEB","title":"duplicate"}`, `{"project":"WEB","title":"sub","parent":"WEB-2"}`,
		`{"project":"APP","title":"elsewhere"}`, `{"project":"WEB","title":"third"}`,
	} {
		w.do("create_work_item", in)
	}
	w.refused("merge_work_item", `{"item":"WEB-2","into":"WEB-2"}`, capabilities.Invalid, "/into")
	w.refused("merge_work_item", `{"item":"WEB-2","into":"WEB-3"}`, capabilities.Invalid, "/into")
	w.refused("merge_work_item", `{"item":"WEB-2","into":"APP-1"}`, capabilities.Invalid, "/into")
	w.refused("merge_work_item", `{"item":"WEB-2","into":"WEB-1","if_match":2}`, capabilities.StaleVersion, "")
	out := w.do("merge_work_item", `{"item":"WEB-2","into":"WEB-1"}`)
	if out["key"] != "WEB-2" || out["version"] != 2.0 || out["into"] != "WEB-1" || !cmp.Equal(out["subtasks"], any([]any{"WEB-3"})) {
		t.Errorf("merge_work_item answers %v", out)
	}
	dup, keeps := w.do("get_work_item", `{"item":"WEB-2"}`), w.do("get_work_item", `{"item":"WEB-1"}`)
	if dup["status"] != "cancelled" || dup["merged_into"] != "WEB-1" || at(t, dup, "links", 0, "kind") != "duplicates" {
		t.Errorf("the duplicate is %v", dup)
	}
	if at(t, keeps, "links", 0, "kind") != "duplicated_by" || at(t, keeps, "subtasks", 0, "key") != "WEB-3" || keeps["version"] != 1.0 {
		t.Errorf("the survivor is %v", keeps)
	}
	if out := w.do("merge_work_item", `{"item":"WEB-2","into":"WEB-1"}`); out["outcome"] != "unchanged" || out["version"] != 2.0 {
		t.Errorf("the same again answers %v", out)
	}
	w.refused("merge_work_item", `{"item":"WEB-2","into":"WEB-4"}`, capabilities.Conflict, "")
	w.refused("merge_work_item", `{"item":"WEB-4","into":"WEB-2"}`, capabilities.Invalid, "/into")
	w.do("update_work_item", `{"item":"WEB-2","status":"todo"}`)
	if got := w.do("get_work_item", `{"item":"WEB-2"}`); got["merged_into"] != nil {
		t.Errorf("worked on again, it is %v", got)
	}
	w.do("merge_work_item", `{"item":"WEB-2","into":"WEB-4"}`)
}

func TestTrash(t *testing.T) {
	w := seeded(t)
	for _, in := range []string{
		`{"project":"WEB","title":"walrus top"}`, `{"project":"WEB","title":"walrus sub","parent":"WEB-1"}`, `{"project":"WEB","title":"walrus low","parent":"WEB-2"}`,
		`{"project":"WEB","title":"walrus other","links":[{"kind":"relates","item":"WEB-1"}]}`,
	} {
		w.do("create_work_item", in)
	}
	w.do("comment_on_work_item", `{"item":"WEB-1","body":"kept"}`)
	w.do("remove_work_item", `{"item":"WEB-3"}`)
	w.refused("remove_work_item", `{"item":"WEB-1","if_match":5}`, capabilities.StaleVersion, "")
	before := w.do("get_work_item", `{"item":"WEB-1"}`)
	out := w.do("remove_work_item", `{"item":"WEB-1"}`)
	if out["version"] != 2.0 || !cmp.Equal(out["subtasks"], any([]any{"WEB-2"})) {
		t.Errorf("remove_work_item answers %v", out)
	}
	if out := w.do("remove_work_item", `{"item":"WEB-1"}`); out["outcome"] != "unchanged" || out["version"] != 2.0 {
		t.Errorf("removed again answers %v", out)
	}
	w.refused("get_work_item", `{"item":"WEB-2"}`, capabilities.NotFound, "")
	if got := w.all("list_work_items", `{"project":"WEB"}`, "key"); !slices.Equal(got, []string{"WEB-4"}) {
		t.Errorf("listed are %v", got)
	}
	if got := w.do("search_work_items", `{"query":"walrus"}`)["items"].([]any); len(got) != 1 {
		t.Errorf("found are %v", got)
	}
	if got := w.do("get_work_item", `{"item":"WEB-4"}`)["links"].([]any); len(got) != 0 {
		t.Errorf("links to the trash are shown: %v", got)
	}
	if got := w.all("list_trash", `{"limit":1}`, "key"); !slices.Equal(got, []string{"WEB-3", "WEB-1"}) {
		t.Errorf("the trash holds %v", got)
	}
	for _, c := range []struct {
		name, in string
		code     capabilities.Code
		says     string
	}{
		{"restore_work_item", `{"item":"WEB-2"}`, capabilities.Conflict, "restore_work_item of WEB-1, which it went there with, brings it back"},
		{"restore_work_item", `{"item":"WEB-3"}`, capabilities.Conflict, "in the trash below WEB-2: restore WEB-1, which it is below, with restore_work_item first"},
		{"purge_work_item", `{"item":"WEB-2"}`, capabilities.Conflict, "purge_work_item of WEB-1 takes it along"},
		{"get_work_item", `{"item":"WEB-1"}`, capabilities.NotFound, "restore_work_item brings it back"},
		{"get_work_item", `{"item":"WEB-2"}`, capabilities.NotFound, "restore_work_item of WEB-1"},
		{"get_work_item", `{"item":"WEB-3"}`, capabilities.NotFound, "restore WEB-1"},
		{"create_work_item", `{"project":"WEB","title":"a","parent":"WEB-2"}`, capabilities.Invalid, "restore_work_item of WEB-1"},
	} {
		if e := w.refused(c.name, c.in, c.code, ""); !strings.Contains(e.Message, c.says) {
			t.Errorf("%s %s says %q, want %q in it", c.name, c.in, e.Message, c.says)
		}
	}
	w.refused("purge_work_item", `{"item":"WEB-4"}`, capabilities.Conflict, "")
	if out := w.do("restore_work_item", `{"item":"WEB-1"}`); out["version"] != 3.0 || !cmp.Equal(out["subtasks"], any([]any{"WEB-2"})) {
		t.Errorf("restore_work_item answers %v", out)
	}
	if out := w.do("restore_work_item", `{"item":"WEB-1"}`); out["outcome"] != "unchanged" {
		t.Errorf("restored again answers %v", out)
	}
	after := w.do("get_work_item", `{"item":"WEB-1"}`)
	for _, changing := range []string{"version", "updated_at", "history", "subtasks"} {
		delete(before, changing)
		delete(after, changing)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("removed and restored it differs (-before +after):\n%s", diff)
	}
	if got := w.do("search_work_items", `{"query":"walrus sub"}`)["items"].([]any); len(got) != 1 {
		t.Errorf("the restored subtask is found as %v", got)
	}
	w.do("remove_work_item", `{"item":"WEB-1"}`)
	if out := w.do("purge_work_item", `{"item":"WEB-1"}`); out["key"] != "WEB-1" || !cmp.Equal(out["subtasks"], any([]any{"WEB-2"})) {
		t.Errorf("purge_work_item answers %v", out)
	}
	for _, name := range []string{"get_work_item", "restore_work_item", "purge_work_item", "remove_work_item"} {
		w.refused(name, `{"item":"WEB-1"}`, capabilities.NotFound, "")
	}
	w.do("restore_work_item", `{"item":"WEB-3"}`)
	if got := w.do("get_work_item", `{"item":"WEB-3"}`); got["parent"] != nil {
		t.Errorf("the orphan is %v", got)
	}
	w.do("create_work_item", `{"project":"WEB","title":"below the orphan","parent":"WEB-3"}`)
	if got := w.do("create_work_item", `{"project":"WEB","title":"next"}`); got["key"] != "WEB-6" {
		t.Errorf("a number was given out again: %v", got)
	}
}

// roster knows ana and two people called Kim, and acts for whoever has the id.
type roster struct{}

func (roster) Find(text string) []string {
	return map[string][]string{"ana": {"ana"}, "Ana": {"ana"}, "Kim": {"kim1", "kim2"}, "kim1": {"kim1"}}[text]
}

func (roster) Project(p *capabilities.Principal) string {
	return map[string]string{"ana": "WEB"}[p.ID]
}

func (roster) Acts(p *capabilities.Principal, id string) bool { return p.ID == id }

func TestRosterAndLead(t *testing.T) {
	w := open(t, tracker.Roster(roster{}))
	owner := w.as
	w.do("create_project", `{"key":"WEB","title":"Web","lead":"Ana"}`)
	w.do("create_project", `{"key":"APP","title":"App"}`)
	w.refused("create_project", `{"key":"NEW","title":"x","lead":"bob"}`, capabilities.Invalid, "/lead")
	e := w.refused("create_work_item", `{"project":"WEB","title":"x","assignee":"Kim"}`, capabilities.Invalid, "/assignee")
	if want := "/assignee: names more than one: send one of the ids kim1, kim2"; e.Message != want {
		t.Errorf("the refusal says %q, want %q", e.Message, want)
	}
	w.refused("create_work_item", `{"title":"no home"}`, capabilities.Invalid, "/project")
	w.as = &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"tracker:write"}}
	if out := w.do("create_work_item", `{"title":"at home"}`); out["key"] != "WEB-1" {
		t.Errorf("filed at home it is %v", out)
	}
	if out := w.do("comment_on_work_item", `{"item":"WEB-1","body":"@Ana @Kim @bob"}`); !cmp.Equal(out["mentions"], any([]any{"ana"})) || !cmp.Equal(out["unresolved"], any([]any{"Kim", "bob"})) {
		t.Errorf("mentions are %v", out)
	}
	w.do("create_work_item", `{"project":"APP","title":"of nobody"}`)
	w.do("write_project_file", `{"project":"WEB","path":"a","text":"x"}`)
	w.do("create_label", `{"project":"WEB","name":"l"}`)
	ana := w.as
	w.as = &capabilities.Principal{ID: "kim1", Kind: capabilities.Person, Scopes: []string{"tracker:write"}}
	for name, in := range map[string]string{
		"move_work_item": `{"item":"WEB-1","project":"APP"}`, "remove_work_item": `{"item":"WEB-1"}`, "restore_work_item": `{"item":"WEB-1"}`,
		"purge_work_item": `{"item":"WEB-1"}`, "remove_project_file": `{"project":"WEB","path":"a"}`, "remove_label": `{"project":"WEB","name":"l"}`,
		"update_project": `{"project":"WEB","title":"x"}`,
	} {
		w.refused(name, in, capabilities.Forbidden, "")
	}
	w.refused("remove_work_item", `{"item":"APP-1"}`, capabilities.Forbidden, "")
	w.as = ana
	w.refused("remove_work_item", `{"item":"APP-1"}`, capabilities.Forbidden, "")
	w.do("remove_work_item", `{"item":"WEB-1"}`)
	w.as = owner
	w.do("remove_work_item", `{"item":"APP-1"}`)
}

func TestTooManySubtasksForOneCall(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"top"}`)
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			for range 25 {
				if _, err := w.call("create_work_item", `{"project":"WEB","title":"sub","parent":"WEB-1"}`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	w.refused("remove_work_item", `{"item":"WEB-1"}`, capabilities.TooLarge, "")
	w.do("remove_work_item", `{"item":"WEB-2"}`)
	if out := w.do("remove_work_item", `{"item":"WEB-1"}`); len(out["subtasks"].([]any)) != 999 {
		t.Errorf("removed with it: %d", len(out["subtasks"].([]any)))
	}
}

// Without a roster the lead is who has a credential of the lead, and whoever may do
// everything: within a seat that is what the seat may do.
func TestLeadByCredential(t *testing.T) {
	w := seeded(t)
	for name, c := range map[string]struct {
		who  capabilities.Principal
		want capabilities.Code
	}{
		"the person":                  {capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: []string{"tracker:write"}}, ""},
		"the seat":                    {capabilities.Principal{ID: "ana", Kind: capabilities.Seat, Seat: "ana", Scopes: []string{"tracker:write"}}, ""},
		"a token":                     {capabilities.Principal{ID: "ana", Kind: capabilities.Operator, Scopes: []string{"tracker:write"}}, capabilities.Forbidden},
		"somebody else":               {capabilities.Principal{ID: "kim", Kind: capabilities.Person, Scopes: []string{"tracker:write"}}, capabilities.Forbidden},
		"who may do everything":       {capabilities.Principal{ID: "x", Kind: capabilities.Operator, Scopes: []string{"*"}}, ""},
		"everything within a seat":    {capabilities.Principal{ID: "kim", Kind: capabilities.Seat, Seat: "kim", Scopes: []string{"*", "admin"}, Within: []string{"tracker:write"}}, capabilities.Forbidden},
		"the owner within such a one": {capabilities.Principal{ID: "owner", Kind: capabilities.Owner, Seat: "kim", Scopes: []string{"*", "admin"}, Within: []string{"tracker:write"}}, capabilities.Forbidden},
	} {
		w.as = &c.who
		_, err := w.call("update_project", `{"project":"WEB","summary":"`+name+`"}`)
		var got capabilities.Code
		if e, ok := capabilities.AsError(err); ok {
			got = e.Code
		}
		if got != c.want {
			t.Errorf("%s: %q (%v), want %q", name, got, err, c.want)
		}
	}
}
