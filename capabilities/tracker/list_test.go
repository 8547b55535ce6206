package tracker_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Items of the list test: every third is high, every second is kim's, every fifth has a
// label, every seventh is done.
func TestListsNeitherRepeatNorHide(t *testing.T) {
	w := seeded(t)
	w.do("create_label", `{"project":"WEB","name":"five"}`)
	type row struct {
		key                string
		high, kim, five    bool
		status             string
		project, parentKey string
	}
	var rows []row
	counts := map[string]int{}
	for i := range 40 {
		r := row{high: i%3 == 0, kim: i%2 == 0, five: i%5 == 0, status: "todo", project: "WEB"}
		if i%7 == 0 {
			r.status = "done"
		}
		if i%4 == 3 {
			r.project, r.five = "APP", false
		}
		counts[r.project]++
		r.key = fmt.Sprintf("%s-%d", r.project, counts[r.project])
		in := map[string]any{"project": r.project, "title": r.key, "status": r.status, "assignee": "zoe"}
		if r.high {
			in["priority"] = "high"
		}
		if r.kim {
			in["assignee"] = "kim"
		}
		if r.five {
			in["labels"] = []string{"five"}
		}
		if r.project == "WEB" && i > 20 {
			r.parentKey = "WEB-2"
			in["parent"] = r.parentKey
		}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if out := w.do("create_work_item", string(raw)); out["key"] != r.key {
			t.Fatalf("filed as %v, want %s", out["key"], r.key)
		}
		rows = append(rows, r)
	}
	slices.Reverse(rows) // the newest first
	for _, c := range []struct {
		in   string
		keep func(row) bool
	}{
		{`{}`, func(row) bool { return true }},
		{`{"project":"WEB"}`, func(r row) bool { return r.project == "WEB" }},
		{`{"project":"WEB","status":["done"]}`, func(r row) bool { return r.project == "WEB" && r.status == "done" }},
		{`{"status":["done","todo","done"]}`, func(row) bool { return true }},
		{`{"status":["cancelled"]}`, func(row) bool { return false }},
		{`{"assignee":"kim"}`, func(r row) bool { return r.kim }},
		{`{"assignee":"kim","status":["todo","in_review"],"priority":"high"}`, func(r row) bool { return r.kim && r.high && r.status == "todo" }},
		{`{"priority":"none"}`, func(r row) bool { return !r.high }},
		{`{"priority":"high"}`, func(r row) bool { return r.high }},
		{`{"unassigned":true}`, func(row) bool { return false }},
		{`{"project":"WEB","label":"FIVE"}`, func(r row) bool { return r.five }},
		{`{"project":"WEB","label":"five","status":["todo","done"]}`, func(r row) bool { return r.five }},
		{`{"parent":"WEB-2"}`, func(r row) bool { return r.parentKey != "" }},
		{`{"parent":"WEB-2","assignee":"zoe"}`, func(r row) bool { return r.parentKey != "" && !r.kim }},
	} {
		want := []string{}
		for _, r := range rows {
			if c.keep(r) {
				want = append(want, r.key)
			}
		}
		for _, limit := range []int{1, 7, 1000} {
			in := fmt.Sprintf(`{"limit":%d,%s`, limit, c.in[1:])
			if c.in == `{}` {
				in = fmt.Sprintf(`{"limit":%d}`, limit)
			}
			got := w.all("list_work_items", in, "key")
			if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", in, diff)
			}
			slices.Reverse(got)
		}
	}
	since := w.do("get_work_item", `{"item":"WEB-10"}`)["updated_at"].(string)
	for _, limit := range []int{1, 1000} {
		got := w.all("list_work_items", fmt.Sprintf(`{"updated_since":%q,"limit":%d,"status":["todo","done"]}`, since, limit), "key")
		i := slices.Index(got, "WEB-10")
		if i < 0 || got[len(got)-1] != rows[0].key || len(got) < 20 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
			t.Errorf("changed since %s: %v", since, got)
		}
	}
}

// An item that is filed while somebody turns pages is not seen, and moves nothing.
func TestPagesWhileItemsComeAndGo(t *testing.T) {
	w := seeded(t)
	for range 6 {
		w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	}
	page := w.do("list_work_items", `{"limit":2}`)
	w.do("create_work_item", `{"project":"WEB","title":"new"}`)
	w.do("remove_work_item", `{"item":"WEB-5"}`)
	w.do("update_work_item", `{"item":"WEB-2","status":"done"}`)
	next := w.do("list_work_items", fmt.Sprintf(`{"limit":9,"cursor":%q}`, page["next_cursor"]))
	var keys []string
	for _, it := range next["items"].([]any) {
		keys = append(keys, at(t, it, "key").(string))
	}
	if !slices.Equal(keys, []string{"WEB-4", "WEB-3", "WEB-2", "WEB-1"}) {
		t.Errorf("the second page is %v", keys)
	}
	w.refused("list_work_items", fmt.Sprintf(`{"updated_since":"2020-01-01T00:00:00Z","cursor":%q}`, page["next_cursor"]), capabilities.Invalid, "/cursor")
	w.refused("list_trash", fmt.Sprintf(`{"cursor":%q}`, page["next_cursor"]), capabilities.Invalid, "/cursor")
}

func TestThreadAndHistoryPages(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	for i := range 60 {
		w.do("comment_on_work_item", fmt.Sprintf(`{"item":"WEB-1","body":"remark %d"}`, i+1))
	}
	got := w.do("get_work_item", `{"item":"WEB-1"}`)
	if got["more_thread"] != true || got["more_history"] != true || at(t, got, "thread", 0, "number") != 11.0 || at(t, got, "thread", 49, "number") != 60.0 {
		t.Errorf("the item shows %v", got["thread"])
	}
	bodies := w.all("list_comments", `{"item":"WEB-1","limit":7}`, "body")
	if len(bodies) != 60 || bodies[0] != "remark 1" || bodies[59] != "remark 60" {
		t.Errorf("the thread is %v", bodies)
	}
	history := w.all("list_work_item_history", `{"item":"WEB-1","limit":9}`, "position")
	if len(history) != 61 || len(slices.Compact(slices.Sorted(slices.Values(history)))) != 61 {
		t.Errorf("the history has %d rows: %v", len(history), history)
	}
}

func TestActivityGoesOnAfterAPosition(t *testing.T) {
	w := seeded(t)
	first := w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.do("create_work_item", `{"project":"APP","title":"b"}`)
	second := w.do("comment_on_work_item", `{"item":"WEB-1","body":"x"}`)
	got := w.do("list_activity", fmt.Sprintf(`{"after":%q}`, first["position"]))["items"]
	if len(got.([]any)) != 2 || at(t, got, 0, "key") != "APP-1" || at(t, got, 1, "position") != second["position"] {
		t.Errorf("after the first item: %v", got)
	}
	got = w.do("list_activity", fmt.Sprintf(`{"after":%q,"project":"WEB"}`, first["position"]))["items"]
	if len(got.([]any)) != 1 || at(t, got, 0, "action") != "commented" || at(t, got, 0, "project") != "WEB" {
		t.Errorf("after the first item in WEB: %v", got)
	}
	if got := w.all("list_activity", `{"limit":1}`, "action"); !slices.Equal(got, []string{"created", "created", "created", "created", "commented"}) {
		t.Errorf("everything, one at a time: %v", got)
	}
}

func TestSearch(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"Zebra crossing","description":"near the harbour"}`)
	w.do("create_work_item", `{"project":"APP","title":"Harbour view","description":"no stripes"}`)
	w.do("update_work_item", `{"item":"APP-1","description":"stripes like a zebra"}`)
	found := func(in string) []string {
		t.Helper()
		var keys []string
		for _, it := range w.do("search_work_items", in)["items"].([]any) {
			keys = append(keys, at(t, it, "key").(string))
		}
		return keys
	}
	if got := found(`{"query":"ZEBRA harbour"}`); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	if got := found(`{"query":"zebra","project":"APP"}`); !slices.Equal(got, []string{"APP-1"}) {
		t.Errorf("found in APP %v", got)
	}
	if got := found(`{"query":"stripes no"}`); len(got) != 0 {
		t.Errorf("the text of before is found: %v", got)
	}
	for _, query := range []string{`zebra"`, `"`, `zebra AND`, `NOT zebra`, `title:zebra`, `zebra*`, `(zebra`, `NEAR(zebra)`, `*`, `' OR 1=1 --`, `^zebra`, `-zebra`, `{a b}`} {
		raw, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		w.do("search_work_items", string(raw))
	}
	first := w.do("search_work_items", `{"query":"zebra","limit":1}`)
	second := w.do("search_work_items", fmt.Sprintf(`{"query":"zebra","limit":1,"offset":%v}`, first["next_offset"]))
	if at(t, first, "items", 0, "key") == at(t, second, "items", 0, "key") || second["next_offset"] != nil {
		t.Errorf("the pages are %v and %v", first, second)
	}
	out := w.do("search_work_items", `{"query":"zebra","mode":"semantic"}`)
	if out["mode"] != "keyword" || out["degraded"] == nil || first["degraded"] != nil {
		t.Errorf("a mode that is not served answers %v", out)
	}
}

// Every writer reads, adds one to the title and writes back what it read the version of.
func TestTwoWritersLoseNoUpdate(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"0"}`)
	const callers, each = 16, 3
	var lost atomic.Int64
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for done := 0; done < each; {
				got, err := w.call("get_work_item", `{"item":"WEB-1"}`)
				if err != nil {
					t.Error(err)
					return
				}
				var n int
				if _, err := fmt.Sscan(got["title"].(string), &n); err != nil {
					t.Error(err)
					return
				}
				_, err = w.call("update_work_item", fmt.Sprintf(`{"item":"WEB-1","title":"%d","if_match":%v}`, n+1, got["version"]))
				e, refused := capabilities.AsError(err)
				switch {
				case err == nil:
					done++
				case refused && (e.Code == capabilities.StaleVersion || e.Code == capabilities.Conflict):
					lost.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if got := w.do("get_work_item", `{"item":"WEB-1"}`); got["title"] != fmt.Sprint(callers*each) || got["version"] != float64(callers*each+1) {
		t.Errorf("after %d updates and %d refusals: title %v, version %v", callers*each, lost.Load(), got["title"], got["version"])
	}
}

// Numbers are given out once, whoever files at the same time.
func TestManyCallersFileAtOnce(t *testing.T) {
	w := seeded(t)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 5 {
				if _, err := w.call("create_work_item", `{"project":"WEB","title":"a","labels":["same"],"labels_create_missing":true}`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	keys := w.all("list_work_items", `{"project":"WEB","label":"same","limit":9}`, "key")
	if len(keys) != 80 || keys[0] != "WEB-80" || keys[79] != "WEB-1" {
		t.Errorf("filed are %d: %v", len(keys), keys)
	}
}
