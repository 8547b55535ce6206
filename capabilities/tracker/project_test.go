package tracker_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestProjects(t *testing.T) {
	w := open(t, nil)
	out := w.do("create_project", `{"key":"WEB","title":"Web","summary":"All of it","lead":"ana"}`)
	if out["key"] != "WEB" || out["version"] != 1.0 || out["outcome"] != "applied" || out["position"] == nil {
		t.Errorf("create_project answers %v", out)
	}
	p := w.do("get_project", `{"project":"WEB"}`)
	if p["title"] != "Web" || p["summary"] != "All of it" || p["lead"] != "ana" || p["archived"] != false || p["created_by"] != "owner" {
		t.Errorf("get_project answers %v", p)
	}
	out = w.do("update_project", `{"project":"WEB","title":"Shop","lead":null,"default_assignee":"kim","if_match":1}`)
	if out["version"] != 2.0 || out["outcome"] != "applied" {
		t.Errorf("update_project answers %v", out)
	}
	if out = w.do("update_project", `{"project":"WEB","title":"Shop"}`); out["version"] != 2.0 || out["outcome"] != "unchanged" {
		t.Errorf("the same again answers %v", out)
	}
	p = w.do("get_project", `{"project":"WEB"}`)
	if p["title"] != "Shop" || p["lead"] != nil || p["default_assignee"] != "kim" {
		t.Errorf("after the update get_project answers %v", p)
	}
	for _, key := range []string{"ZOO", "APP", "B2B"} {
		w.do("create_project", `{"key":"`+key+`","title":"x"}`)
	}
	w.do("update_project", `{"project":"B2B","archived":true}`)
	if got := w.all("list_projects", `{"limit":1}`, "key"); !slices.Equal(got, []string{"APP", "WEB", "ZOO"}) {
		t.Errorf("the open projects are %v", got)
	}
	if got := w.all("list_projects", `{"limit":3,"archived":true}`, "key"); !slices.Equal(got, []string{"APP", "B2B", "WEB", "ZOO"}) {
		t.Errorf("all projects are %v", got)
	}
	w.refused("create_project", `{"key":"WEB","title":"x"}`, capabilities.Exists, "")
	for _, key := range []string{"W", "web", "1WEB", "WEB-1", "ABCDEFGHIJK", "WÉB"} {
		w.refused("create_project", `{"key":"`+key+`","title":"x"}`, capabilities.Invalid, "/key")
	}
	w.refused("create_project", `{"key":"NEW","title":" "}`, capabilities.Invalid, "/title")
	w.refused("create_project", `{"key":"NEW","title":"x","lead":"no such id!"}`, capabilities.Invalid, "/lead")
	w.refused("update_project", `{"project":"WEB","title":"y","if_match":1}`, capabilities.StaleVersion, "")
	w.refused("update_project", `{"project":"NONE","title":"y"}`, capabilities.NotFound, "")
	w.refused("get_project", `{"project":"web"}`, capabilities.NotFound, "")
}

func TestArchivedProjectTakesNothingNew(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"APP","title":"There"}`)
	w.do("update_project", `{"project":"WEB","archived":true}`)
	w.refused("create_work_item", `{"project":"WEB","title":"x"}`, capabilities.Invalid, "/project")
	w.refused("move_work_item", `{"item":"APP-1","project":"WEB"}`, capabilities.Invalid, "/project")
	w.refused("create_label", `{"project":"WEB","name":"x"}`, capabilities.Conflict, "")
	w.refused("write_project_file", `{"project":"WEB","path":"x","text":"x"}`, capabilities.Conflict, "")
}

func TestLabels(t *testing.T) {
	w := seeded(t)
	w.do("create_label", `{"project":"WEB","name":"Bug","colour":"#cc0000"}`)
	w.do("create_label", `{"project":"WEB","name":"area/ui"}`)
	w.do("create_label", `{"project":"APP","name":"bug"}`)
	w.do("create_work_item", `{"project":"WEB","title":"a","labels":["BUG","area/ui","bug"]}`)
	if got := w.all("list_labels", `{"project":"WEB","limit":1}`, "name"); !slices.Equal(got, []string{"area/ui", "Bug"}) {
		t.Errorf("the labels are %v", got)
	}
	if got := w.do("get_work_item", `{"item":"WEB-1"}`)["labels"]; !cmp.Equal(got, []any{"area/ui", "Bug"}) {
		t.Errorf("the item has the labels %v", got)
	}
	w.refused("create_label", `{"project":"WEB","name":"bUG"}`, capabilities.Exists, "")
	w.refused("create_label", `{"project":"NONE","name":"x"}`, capabilities.NotFound, "")
	w.refused("create_label", `{"project":"WEB","name":" x"}`, capabilities.Invalid, "/name")
	w.refused("create_label", `{"project":"WEB","name":"x","colour":"red"}`, capabilities.Invalid, "/colour")
	w.refused("update_label", `{"project":"WEB","label":"bug","name":"AREA/ui"}`, capabilities.Exists, "")
	w.refused("update_label", `{"project":"WEB","label":"none","name":"x"}`, capabilities.NotFound, "")
	w.refused("update_label", `{"project":"WEB","label":"bug","name":"x","if_match":7}`, capabilities.StaleVersion, "")
	out := w.do("update_label", `{"project":"WEB","label":"bug","name":"defect"}`)
	if out["name"] != "defect" || out["version"] != 2.0 {
		t.Errorf("update_label answers %v", out)
	}
	if out = w.do("update_label", `{"project":"WEB","label":"defect","colour":"#cc0000"}`); out["outcome"] != "unchanged" {
		t.Errorf("the colour it has answers %v", out)
	}
	if got := w.all("list_work_items", `{"project":"WEB","label":"defect"}`, "key"); !slices.Equal(got, []string{"WEB-1"}) {
		t.Errorf("items with the renamed label: %v", got)
	}
	w.do("remove_label", `{"project":"WEB","name":"defect"}`)
	w.refused("remove_label", `{"project":"WEB","name":"defect"}`, capabilities.NotFound, "")
	w.refused("list_work_items", `{"project":"WEB","label":"defect"}`, capabilities.Invalid, "/label")
	w.refused("list_work_items", `{"label":"bug"}`, capabilities.Invalid, "/project")
	if got := w.do("get_work_item", `{"item":"WEB-1"}`)["labels"]; !cmp.Equal(got, []any{"area/ui"}) {
		t.Errorf("after the removal the item has the labels %v", got)
	}
}
