package model_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// directed are sequences of writes in which rules of the tracker meet each other: what a
// random sequence comes by in an hour. Nothing says what they answer, the model does. The
// version "now" is that of what the call is about, and "another" is none.
var directed = []struct{ name, steps string }{
	{"what a tree takes into the trash and out of it", `
		remove_work_item {"item":"WEB-2"}
		restore_work_item {"item":"WEB-3"}
		comment_on_work_item {"item":"WEB-3","body":"Hello."}
		restore_work_item {"item":"WEB-2"}
		restore_work_item {"item":"WEB-2"}
		remove_work_item {"item":"WEB-3"}
		remove_work_item {"item":"WEB-1"}
		remove_work_item {"item":"WEB-1"}
		restore_work_item {"item":"WEB-3"}
		restore_work_item {"item":"WEB-1"}
		restore_work_item {"item":"WEB-3"}`},
	{"a move with what is in the trash, there and back", `
		create_label {"project":"APP","name":"BUG","colour":"#00ff00"}
		update_work_item {"item":"WEB-3","add_labels":["area/ui"],"labels_create_missing":true}
		remove_work_item {"item":"WEB-3"}
		move_work_item {"item":"WEB-2","project":"APP"}
		move_work_item {"item":"WEB-1","project":"WEB"}
		move_work_item {"item":"WEB-1","project":"APP","if_match":"another"}
		move_work_item {"item":"WEB-1","project":"APP","if_match":"now"}
		comment_on_work_item {"item":"WEB-1","body":"@ana under its old key"}
		restore_work_item {"item":"WEB-3"}
		create_work_item {"project":"WEB","title":"safari again"}
		create_work_item {"project":"APP","title":"safari there"}
		move_work_item {"item":"WEB-1","project":"WEB"}
		update_work_item {"item":"APP-2","title":"ZEBRA"}
		move_work_item {"item":"WEB-4","project":"APP"}`},
	{"what is purged, and what stays", `
		create_work_item {"project":"WEB","title":"form-field","parent":"WEB-3"}
		remove_work_item {"item":"WEB-5"}
		remove_work_item {"item":"WEB-2","if_match":"another"}
		purge_work_item {"item":"WEB-2"}
		remove_work_item {"item":"WEB-2","if_match":"now"}
		purge_work_item {"item":"WEB-3"}
		purge_work_item {"item":"WEB-2"}
		purge_work_item {"item":"WEB-2"}
		restore_work_item {"item":"WEB-5"}
		move_work_item {"item":"WEB-5","project":"APP"}
		create_work_item {"project":"WEB","title":"a number of its own"}
		remove_work_item {"item":"WEB-4"}
		update_work_item {"item":"WEB-1","remove_links":[{"kind":"relates","item":"WEB-4"}]}
		purge_work_item {"item":"WEB-4"}
		update_work_item {"item":"WEB-1","add_links":[{"kind":"relates","item":"WEB-4"}]}`},
	{"merging, and working on after it", `
		create_work_item {"project":"WEB","title":"login twice","parent":"WEB-4","labels":["bug"]}
		remove_work_item {"item":"WEB-3"}
		merge_work_item {"item":"WEB-1","into":"WEB-2"}
		merge_work_item {"item":"WEB-2","into":"WEB-2"}
		merge_work_item {"item":"WEB-2","into":"WEB-4","if_match":"another"}
		merge_work_item {"item":"WEB-2","into":"WEB-4","if_match":"now"}
		merge_work_item {"item":"WEB-2","into":"WEB-4"}
		merge_work_item {"item":"WEB-2","into":"WEB-5"}
		merge_work_item {"item":"WEB-5","into":"WEB-2"}
		restore_work_item {"item":"WEB-3"}
		update_work_item {"item":"WEB-2","status":"cancelled"}
		update_work_item {"item":"WEB-2","title":"still merged"}
		update_work_item {"item":"WEB-2","status":"in_progress"}
		merge_work_item {"item":"WEB-4","into":"APP-1"}
		merge_work_item {"item":"WEB-2","into":"APP-1"}
		remove_work_item {"item":"APP-1"}
		merge_work_item {"item":"WEB-3","into":"APP-1"}
		restore_work_item {"item":"APP-1"}`},
	{"labels and the items that have them", `
		create_label {"project":"WEB","name":"Bug"}
		create_label {"project":"WEB","name":"über"}
		create_label {"project":"WEB","name":"ÜBER"}
		update_label {"project":"WEB","label":"bug","name":"Bug","if_match":"another"}
		update_label {"project":"WEB","label":"bug","name":"Bug"}
		update_label {"project":"WEB","label":"bug","name":"über"}
		update_label {"project":"WEB","label":"bug","colour":"#00ff00","if_match":1}
		update_label {"project":"WEB","label":"bug","colour":"#00ff00","if_match":2}
		update_label {"project":"WEB","label":"bug","colour":"#00ff00"}
		update_work_item {"item":"WEB-4","add_labels":["BUG","über"]}
		update_work_item {"item":"WEB-4","add_labels":["bug"]}
		remove_work_item {"item":"WEB-4"}
		remove_label {"project":"WEB","name":"BUG"}
		remove_label {"project":"WEB","name":"BUG"}
		restore_work_item {"item":"WEB-4"}
		create_label {"project":"WEB","name":"bug"}
		update_work_item {"item":"WEB-1","remove_labels":["bug"]}
		update_work_item {"item":"WEB-1","add_labels":["nowhere"]}
		update_work_item {"item":"WEB-1","add_labels":["bug"],"remove_labels":["BUG"]}`},
	{"a project that is closed", `
		update_project {"project":"WEB","archived":true,"if_match":"another"}
		update_project {"project":"WEB","archived":true,"if_match":"now"}
		update_project {"project":"WEB","archived":true}
		create_work_item {"project":"WEB","title":"too late"}
		update_work_item {"item":"WEB-1","title":"too late"}
		comment_on_work_item {"item":"WEB-1","body":"too late"}
		create_label {"project":"WEB","name":"late"}
		write_project_file {"project":"WEB","path":"late","text":"x"}
		remove_project_file {"project":"WEB","path":"a/b"}
		move_work_item {"item":"APP-1","project":"WEB"}
		move_work_item {"item":"WEB-4","project":"APP"}
		remove_work_item {"item":"WEB-3"}
		restore_work_item {"item":"WEB-3"}
		update_project {"project":"WEB","title":"Closed"}
		update_project {"project":"WEB","archived":false,"title":"Open"}
		update_work_item {"item":"WEB-1","title":"in time"}`},
	{"files and their versions", `
		write_project_file {"project":"WEB","path":"a/b","text":"same"}
		write_project_file {"project":"WEB","path":"a/b","text":"other","if_version":0}
		write_project_file {"project":"WEB","path":"a/b","text":"other","if_version":1}
		write_project_file {"project":"WEB","path":"a/b","text":"same","if_version":1}
		write_project_file {"project":"WEB","path":"a/b","text":"same","type":"text/markdown"}
		write_project_file {"project":"APP","path":"a/b","text":"same","if_version":0}
		write_project_file {"project":"WEB","path":"a","text":""}
		write_project_file {"project":"WEB","path":"a-b","text":"same"}
		remove_project_file {"project":"WEB","path":"a/b","if_version":1}
		remove_project_file {"project":"WEB","path":"a/b"}
		remove_project_file {"project":"WEB","path":"a/b"}
		remove_project_file {"project":"WEB","path":"a-b"}
		write_project_file {"project":"WEB","path":"a/b","text":"again","if_version":3}
		write_project_file {"project":"WEB","path":"a/b","text":"again","if_version":0}`},
	{"questions and their answers", `
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":1,"choice":"never"}
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":1}
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":9,"choice":"now"}
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":1,"choice":"now"}
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":1,"choice":"now"}
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":2}
		comment_on_work_item {"item":"APP-1","body":"@kim","ask":"kim"}
		comment_on_work_item {"item":"APP-1","body":"@kim","ask":"kim","answers":3}
		comment_on_work_item {"item":"APP-1","body":"Hello.","answers":3,"choice":"now"}
		comment_on_work_item {"item":"APP-1","body":"@ana and @kim","answers":3}
		update_work_item {"item":"APP-1","assignee":"ana","reason":"@ana knows"}
		update_work_item {"item":"APP-1","assignee":"ana","reason":"twice"}
		move_work_item {"item":"APP-1","project":"WEB"}
		comment_on_work_item {"item":"APP-1","body":"Hello."}`},
	{"checklists, whose numbers are given out once", `
		update_work_item {"item":"WEB-2","checklist":{"do":"check","id":1}}
		update_work_item {"item":"WEB-2","checklist":{"do":"check","id":1}}
		update_work_item {"item":"WEB-2","checklist":{"do":"remove","id":2}}
		update_work_item {"item":"WEB-2","checklist":{"do":"add","text":"third"}}
		update_work_item {"item":"WEB-2","checklist":{"do":"reword","id":3,"text":"third again"}}
		update_work_item {"item":"WEB-2","checklist":{"do":"reword","id":2,"text":"gone"}}
		update_work_item {"item":"WEB-2","checklist":{"do":"uncheck","id":1},"title":"over two fields"}
		update_work_item {"item":"WEB-4","checklist":{"do":"add","text":"first"}}
		update_work_item {"item":"WEB-4","checklist":{"do":"remove","id":1}}
		update_work_item {"item":"WEB-4","checklist":{"do":"add","text":"second"}}`},
	{"parents and circles", `
		update_work_item {"item":"WEB-1","parent":"WEB-3"}
		update_work_item {"item":"WEB-1","parent":"WEB-1"}
		update_work_item {"item":"WEB-4","parent":"APP-1"}
		update_work_item {"item":"WEB-4","parent":"WEB-2"}
		update_work_item {"item":"WEB-4","parent":"WEB-2"}
		update_work_item {"item":"WEB-2","parent":null}
		update_work_item {"item":"WEB-2","parent":"WEB-4"}
		create_work_item {"project":"APP","title":"elsewhere","parent":"WEB-1"}
		remove_work_item {"item":"WEB-2"}
		update_work_item {"item":"WEB-1","parent":"WEB-2"}
		update_work_item {"item":"WEB-2","title":"in the trash"}
		restore_work_item {"item":"WEB-2"}`},
	{"what changes nothing, and what is stale", `
		update_work_item {"item":"WEB-1","title":"login","status":"triage"}
		update_work_item {"item":"WEB-1","title":"login","if_match":"another"}
		update_work_item {"item":"WEB-1","title":"Login","if_match":"now"}
		update_work_item {"item":"WEB-1","title":"login","if_match":"another"}
		update_work_item {"item":"WEB-1","description":"naïve 日本"}
		update_work_item {"item":"WEB-1","description":"don't","title":"שלום"}
		update_work_item {"item":"WEB-1","description":""}
		update_work_item {"item":"WEB-1","status":"done","priority":"urgent"}
		update_work_item {"item":"WEB-1","priority":"none"}
		update_work_item {"item":"WEB-1","assignee":"kim"}
		update_work_item {"item":"WEB-1","assignee":null}
		update_work_item {"item":"WEB-1","assignee":null}
		update_project {"project":"APP","lead":"kim","default_assignee":null}
		update_project {"project":"APP","lead":"kim"}
		create_work_item {"project":"APP","title":"nobody's"}
		create_project {"key":"APP","title":"Twice"}`},
	{"links from both ends", `
		update_work_item {"item":"WEB-2","add_links":[{"kind":"blocks","item":"APP-1"}]}
		update_work_item {"item":"APP-1","add_links":[{"kind":"blocked_by","item":"WEB-2"}]}
		update_work_item {"item":"WEB-4","add_links":[{"kind":"relates","item":"WEB-1"}]}
		update_work_item {"item":"WEB-1","add_links":[{"kind":"relates","item":"WEB-4"},{"kind":"duplicates","item":"WEB-4"}]}
		update_work_item {"item":"WEB-1","add_links":[{"kind":"blocks","item":"WEB-1"}]}
		remove_work_item {"item":"APP-1"}
		update_work_item {"item":"WEB-2","remove_links":[{"kind":"blocks","item":"APP-1"}]}
		restore_work_item {"item":"APP-1"}
		move_work_item {"item":"APP-1","project":"WEB"}
		update_work_item {"item":"APP-1","remove_links":[{"kind":"blocked_by","item":"WEB-2"}]}
		update_work_item {"item":"WEB-1","remove_links":[{"kind":"relates","item":"WEB-4"}]}`},
}

// selections are lists of every filter and of some pairs.
var selections = []string{
	`{"project":"WEB"}`, `{"status":["triage","done"]}`, `{"assignee":"kim"}`, `{"unassigned":true}`, `{"priority":"urgent"}`,
	`{"project":"WEB","label":"bug"}`, `{"parent":"WEB-1"}`, `{"project":"APP","status":["triage"]}`, `{"unassigned":true,"assignee":"kim"}`,
	`{"project":"WEB","unassigned":true,"status":["triage","todo"]}`, `{"label":"bug"}`, `{"project":"NONE"}`,
}

// TestSequencesAreAsTheModel: every sequence on a tracker as it is at the beginning, a
// part of its steps rehearsed first; and then all of it once more, after a restart, as
// repeats that change nothing.
func TestSequencesAreAsTheModel(t *testing.T) {
	onEach(t, func(t *testing.T, open func(*testing.T) holotype.Options) {
		tools, changed := map[string]inputs.Tool{}, map[string]int{}
		all := !strings.HasSuffix(t.Name(), "postgres") || os.Getenv(soakVariable) != ""
		ran := 0
		for n, d := range directed {
			if !all && n%4 != 0 {
				continue // the handlers are the same; make soak has them all
			}
			t.Run(d.name, func(t *testing.T) {
				ran++
				m := newMachine(t, t, serve(t, open(t), tools))
				m.changed = changed
				defer func() { m.running.Stop(t) }()
				m.brief = true
				m.begin()
				seen := m.s
				for i, line := range strings.Split(strings.TrimSpace(d.steps), "\n") {
					name, in, _ := strings.Cut(strings.TrimSpace(line), " ")
					m.clock.Add(int64(i%3) * 700)
					args := m.arguments(in)
					if (i+n)%3 == 0 {
						m.write(name, args, "", true)
					}
					m.write(name, args, []string{"", name + "-" + text2(t, i)}[i%2], false)
					if i%3 == 2 {
						m.compareChanged(seen)
						seen = m.s
					}
				}
				for _, s := range selections {
					m.compare(m.s.listView(m.arguments(s)))
				}
				for i := range m.s.Items { // at the very time of a change
					m.compare(m.s.listView(object{"updated_since": stamp(m.s.Items[i].Updated)}))
				}
				if n%4 == 0 {
					m.restart()
				}
				for _, d := range m.done {
					m.again(d)
				}
				m.compareAll()
			})
		}
		for name := range rules {
			if ran == len(directed) && changed[name] == 0 {
				t.Errorf("%s never changed anything: there is too little to try", name)
			}
		}
	})
}

// arguments answers the arguments of a call as draws make them.
func (m *machine) arguments(in string) object {
	m.t.Helper()
	a, _ := drawn(parse[any](m.t, []byte(in))).(object)
	if word, ok := a["if_match"].(string); ok {
		version := int64(1)
		if i := m.s.find(text1(a, "item")); i != none {
			version = m.s.Items[i].Version
		} else if p := m.s.project(text1(a, "project")); p != nil {
			version = p.Version
		}
		switch {
		case word == "now":
		case version == 1:
			version++
		default:
			version--
		}
		a["if_match"] = version
	}
	return a
}
