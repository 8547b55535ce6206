package tracker_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// What follows was found by comparing the pack with the model of tests/model: the
// shortest sequence of calls that showed each.

func TestLinksStandByKindAndAge(t *testing.T) {
	w := seeded(t)
	for _, title := range []string{"a", "b", "c"} {
		w.do("create_work_item", `{"project":"WEB","title":"`+title+`"}`)
	}
	w.do("update_work_item", `{"item":"WEB-2","add_links":[{"kind":"relates","item":"WEB-3"},{"kind":"relates","item":"WEB-1"},
		{"kind":"blocked_by","item":"WEB-3"},{"kind":"blocks","item":"WEB-3"},{"kind":"duplicated_by","item":"WEB-1"}]}`)
	var got []string
	for _, l := range w.do("get_work_item", `{"item":"WEB-2"}`)["links"].([]any) {
		got = append(got, fmt.Sprint(at(t, l, "kind"), " ", at(t, l, "key")))
	}
	want := []string{"blocks WEB-3", "blocked_by WEB-3", "duplicated_by WEB-1", "relates WEB-1", "relates WEB-3"}
	if !slices.Equal(got, want) {
		t.Errorf("the links are %v, want %v", got, want)
	}
}

func TestDuplicateOfWhatIsGoneForGood(t *testing.T) {
	w := seeded(t)
	for range 4 {
		w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	}
	w.do("merge_work_item", `{"item":"WEB-1","into":"WEB-2"}`)
	w.do("remove_work_item", `{"item":"WEB-2"}`)
	w.refused("merge_work_item", `{"item":"WEB-1","into":"WEB-3"}`, capabilities.Conflict, "")
	w.do("purge_work_item", `{"item":"WEB-2"}`)
	w.do("merge_work_item", `{"item":"WEB-4","into":"WEB-1"}`)
	if out := w.do("merge_work_item", `{"item":"WEB-1","into":"WEB-3"}`); out["outcome"] != "applied" || out["into"] != "WEB-3" {
		t.Errorf("merged again it answers %v", out)
	}
}

func TestMergeSaysWhatChanged(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"keeps"}`)
	w.do("create_work_item", `{"project":"WEB","title":"duplicate","status":"cancelled","links":[{"kind":"duplicates","item":"WEB-1"}]}`)
	w.do("merge_work_item", `{"item":"WEB-2","into":"WEB-1"}`)
	newest := at(t, w.do("list_work_item_history", `{"item":"WEB-2"}`), "items", 0).(map[string]any)
	if newest["action"] != "merged" || newest["status"] != nil || len(newest["fields"].([]any)) != 0 {
		t.Errorf("the history says %v", newest)
	}
}

func TestLinkIsAddedOrRemoved(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.do("create_work_item", `{"project":"WEB","title":"b","links":[{"kind":"blocks","item":"WEB-1"}]}`)
	w.refused("update_work_item", `{"item":"WEB-1","remove_links":[{"kind":"relates","item":"WEB-2"},{"kind":"blocked_by","item":"WEB-2"}],
		"add_links":[{"kind":"blocked_by","item":"web-2"}]}`, capabilities.Invalid, "/remove_links/1")
	w.do("update_work_item", `{"item":"WEB-1","remove_links":[{"kind":"blocked_by","item":"WEB-2"}],"add_links":[{"kind":"blocks","item":"WEB-2"}]}`)
}

func TestArchivedProjectTakesNoNewLabel(t *testing.T) {
	w := seeded(t)
	w.do("create_label", `{"project":"WEB","name":"there"}`)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.do("update_project", `{"project":"WEB","archived":true}`)
	w.refused("update_work_item", `{"item":"WEB-1","add_labels":["new"],"labels_create_missing":true}`, "unknown_label", "/add_labels/0")
	w.do("update_work_item", `{"item":"WEB-1","add_labels":["there"],"labels_create_missing":true}`)
}

func TestLastPathThereIsIsListed(t *testing.T) {
	w := seeded(t)
	w.do("write_project_file", `{"project":"WEB","path":"\udbff\udfff/\udbff\udfff","text":"x"}`)
	if got := w.all("list_project_files", `{"project":"WEB"}`, "path"); !slices.Equal(got, []string{"\U0010FFFF/\U0010FFFF"}) {
		t.Errorf("listed are %q", got)
	}
}

func TestNamesAreComparedComposed(t *testing.T) {
	w := seeded(t)
	w.do("create_label", `{"project":"WEB","name":"\u0130stanbul"}`)
	w.refused("create_label", `{"project":"WEB","name":"I\u0307stanbul"}`, capabilities.Exists, "")
	w.do("create_project", `{"key":"OPS","title":"Operations"}`)
	w.do("create_work_item", `{"project":"OPS","title":"a"}`)
	w.do("get_work_item", `{"item":"opS-1"}`)
	w.refused("get_work_item", `{"item":"OP\u017f-1"}`, capabilities.NotFound, "")
}

func TestWhatIsBlankOrNoType(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.refused("update_work_item", `{"item":"WEB-1","assignee":"kim","reason":" \n "}`, capabilities.Invalid, "/reason")
	for _, kind := range []string{"text", "attachment; filename=x", "text/", "/plain", "text/plain; a", "text/plain, text/html"} {
		w.refused("write_project_file", `{"project":"WEB","path":"x","text":"a","type":"`+kind+`"}`, capabilities.Invalid, "/type")
	}
	w.do("write_project_file", `{"project":"WEB","path":"x","text":"a","type":"application/vnd.api+json;charset=utf-8"}`)
}

func TestPositionOfAnotherStream(t *testing.T) {
	w := seeded(t)
	position := w.do("create_work_item", `{"project":"WEB","title":"a"}`)["position"].(string)
	w.do("list_activity", `{"after":"`+position+`"}`)
	w.refused("list_activity", `{"after":"`+w.db.Incarnation()+`.other.1"}`, capabilities.Invalid, "/after")
	if diff := cmp.Diff([]any{}, w.do("list_activity", `{"after":"`+position+`"}`)["items"]); diff != "" {
		t.Errorf("after the newest (-want +got):\n%s", diff)
	}
}
