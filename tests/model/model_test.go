// Package model_test compares the tracker with a model of it. The model is written from
// what the doc comments and the descriptions of the tools say, as plain data and plain
// loops; written and random sequences of every write are made on both, over HTTP and over MCP in
// turn, with dry runs, repeats and restarts between. After every step every read that
// could answer something else is made and compared: there is never a difference.
package model_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// soakVariable makes the test long, and different every time: make soak sets it.
const soakVariable = "HOLOTYPE_MODEL_SOAK"

// TestMain bounds the test, where its flags do not say how much there is to try.
func TestMain(m *testing.M) {
	bounds := map[string]string{"rapid.checks": "2", "rapid.steps": "40", "rapid.seed": "20260131", "rapid.nofailfile": "true", "rapid.shrinktime": "10s"}
	if os.Getenv(soakVariable) != "" {
		bounds = map[string]string{"rapid.checks": "100", "rapid.steps": "150", "rapid.nofailfile": "true"}
	}
	for name, value := range bounds { // those of the command line come after
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func TestTrackerIsAsTheModel(t *testing.T) {
	onEach(t, func(t *testing.T, open func(*testing.T) holotype.Options) {
		tools, changed := map[string]inputs.Tool{}, map[string]int{}
		rapid.Check(t, func(rt *rapid.T) {
			n := len(t.Name()) // every engine has sequences of its own
			rapid.SliceOfN(rapid.Byte(), n, n).Draw(rt, "engine")
			m := newMachine(t, rt, serve(t, open(t), tools))
			m.changed = changed
			defer func() { m.running.Stop(t) }()
			m.brief = true
			m.begin()
			m.brief = false
			rt.Repeat(m.actions())
			m.rt = rt
			m.compareAll()
		})
		t.Logf("writes that changed something: %v", changed)
	})
}

// begin makes what much can be done with.
func (m *machine) begin() {
	m.t.Helper()
	for _, c := range []struct {
		name string
		args object
	}{
		{"create_project", object{"key": "WEB", "title": "Web", "lead": "ana"}},
		{"create_project", object{"key": "APP", "title": "App", "default_assignee": "kim"}},
		{"create_label", object{"project": "WEB", "name": "bug", "colour": "#cc0000"}},
		{"create_work_item", object{"project": "WEB", "title": "login", "labels": []string{"BUG"}}},
		{"create_work_item", object{"project": "WEB", "title": "safari login", "parent": "WEB-1", "checklist": []string{"first", "second"}}},
		{"create_work_item", object{"project": "WEB", "title": "Icon", "parent": "WEB-2"}},
		{"create_work_item", object{"project": "WEB", "title": "12 ZEBRA", "links": []object{{"kind": "relates", "item": "WEB-1"}}}},
		{"create_work_item", object{"project": "APP", "title": "Icon", "ask": "ana", "decision": object{"options": []string{"now", "later"}}}},
		{"write_project_file", object{"project": "WEB", "path": "a/b", "text": "same"}},
	} {
		m.write(c.name, c.args, "", false)
	}
}

// often are the writes that much follows from: they are made more often.
var often = map[string]int{
	"create_work_item": 3, "update_work_item": 7, "comment_on_work_item": 2, "merge_work_item": 3, "move_work_item": 3, "remove_work_item": 4,
	"restore_work_item": 5, "purge_work_item": 3, "write_project_file": 2,
	"create_label": 2, "update_label": 3, "remove_label": 2, "remove_project_file": 2, "update_project": 2,
}

// actions answers the one step there is, which draws what to do.
func (m *machine) actions() map[string]func(*rapid.T) {
	all := []func(*rapid.T){m.dryRun, m.dryRun, m.repeat, m.repeat, m.repeatOther, m.restarted, m.lists, m.lists, m.searches}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		for range max(1, often[name]) {
			all = append(all, func(rt *rapid.T) { m.step(rt, name) })
		}
	}
	return map[string]func(*rapid.T){"step": func(rt *rapid.T) { pick(rt, all, "action")(rt) }}
}

// step makes one write.
func (m *machine) step(rt *rapid.T, name string) {
	m.rt = rt
	key := ""
	if rapid.Bool().Draw(rt, "keyed") {
		key = fmt.Sprintf("key-%d", m.turn)
	}
	m.clock.Add(pick(rt, []int64{0, 1, 1500}, "time"))
	m.write(name, m.draw(rt, name), key, false)
}

func (m *machine) draw(rt *rapid.T, name string) object { return draws[name](drawer{rt, m.s}) }

func (m *machine) dryRun(rt *rapid.T) {
	m.rt = rt
	name := pick(rt, slices.Sorted(maps.Keys(rules)), "write")
	m.write(name, m.draw(rt, name), "", true)
}

// repeat makes a call once more, by whatever way.
func (m *machine) repeat(rt *rapid.T) {
	m.rt = rt
	if len(m.done) == 0 {
		rt.Skip("nothing was done")
	}
	m.again(pick(rt, m.done, "done"))
	m.still()
}

// again makes a call once more, which answers what it did.
func (m *machine) again(d done) {
	w := m.next()
	got, refused, sentence := w.send(d.name, d.args, d.key, false)
	if refused != nil {
		m.rt.Fatalf("%s %s with the key %s again, %s: refused with %v: %s", d.name, text2(m.t, d.args), d.key, w.name, *refused, sentence)
	}
	if got["replayed"] != true {
		m.rt.Fatalf("%s %s with the key %s again, %s: answered %v, and not as a repeat", d.name, text2(m.t, d.args), d.key, w.name, got)
	}
	delete(got, "replayed")
	if diff := cmp.Diff(d.answer, m.plain(got)); diff != "" {
		m.rt.Fatalf("%s %s with the key %s again, %s: the answer differs (-first +repeat):\n%s", d.name, text2(m.t, d.args), d.key, w.name, diff)
	}
}

// repeatOther sends the key of a call with another one.
func (m *machine) repeatOther(rt *rapid.T) {
	m.rt = rt
	if len(m.done) == 0 {
		rt.Skip("nothing was done")
	}
	d := pick(rt, m.done, "done")
	name := pick(rt, slices.Sorted(maps.Keys(rules)), "write")
	args := m.draw(rt, name)
	if name == d.name && cmp.Equal(plain(m.t, m.incarnation, args), plain(m.t, m.incarnation, d.args)) {
		rt.Skip("it is the same call")
	}
	w := m.next()
	got, refused, sentence := w.send(name, args, d.key, false)
	if refused == nil || refused.Code != "op_id_invalid" {
		rt.Fatalf("%s %s with the key of %s, %s: answered %v, refused with %v: %s", name, text2(m.t, args), d.name, w.name, got, refused, sentence)
	}
	m.still()
}

func (m *machine) restarted(rt *rapid.T) {
	m.rt = rt
	if !(drawer{rt, m.s}).one(3) {
		rt.Skip("restarts are slow")
	}
	m.restart()
	m.compareAll()
}

func (m *machine) lists(rt *rapid.T) {
	m.rt = rt
	for range 4 {
		m.compare(m.s.listView(drawer{rt, m.s}.filters()))
	}
}

func (m *machine) searches(rt *rapid.T) {
	m.rt = rt
	d := drawer{rt, m.s}
	a := object{"query": d.prose(1, 2)}
	d.maybe(a, "project", 3, func() any { return d.project() })
	m.compare(m.s.searchView(a))
}
