package model_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// undoing is how a write that declares an undo is called and undone: the arguments of
// the call that brings the earlier state back, from those of the write and its answer.
var undoing = map[string]func(args, answer object) object{
	"create_label":      func(args, answer object) object { return object{"project": args["project"], "name": answer["id"]} },
	"remove_work_item":  func(_, answer object) object { return object{"item": answer["id"]} },
	"restore_work_item": func(_, answer object) object { return object{"item": answer["id"]} },
}

// passing are the fields that an undo does not bring back: what counts changes and
// says when they were made, and the record of them.
var passing = []string{"version", "updated_at", "updated_by", "removed_at", "removed_by", "history", "more_history"}

// TestUndoBringsBackWhatWas: on the seed and on random states, every capability that
// declares an undo is called and undone, and then every read answers what it did.
func TestUndoBringsBackWhatWas(t *testing.T) {
	onEach(t, func(t *testing.T, open func(*testing.T) holotype.Options) {
		tools := map[string]inputs.Tool{}
		rapid.Check(t, func(rt *rapid.T) {
			m := newMachine(t, rt, serve(t, open(t), tools))
			defer func() { m.running.Stop(t) }()
			m.brief = true
			undo := m.undos()
			if rapid.Bool().Draw(rt, "on the seed") {
				m.seed()
			} else {
				m.begin()
			}
			names := slices.Sorted(maps.Keys(rules))
			for range rapid.IntRange(0, 8).Draw(rt, "writes") {
				name := pick(rt, names, "write")
				m.write(name, m.draw(rt, name), "", false)
			}
			m.write("create_work_item", object{"project": m.s.Projects[0].Key, "title": "login"}, "", false)
			reads := slices.DeleteFunc(m.s.views(), func(v view) bool {
				return v.name == "list_work_item_history" || v.name == "get_work_item_text"
			})
			before := m.answers(reads)
			for _, name := range slices.Sorted(maps.Keys(undo)) {
				m.undone(rt, name, undo[name], reads, before)
			}
		})
	})
}

// undos answers which capability undoes which. One that declares an undo and is not
// known here fails the test.
func (m *machine) undos() map[string]string {
	m.t.Helper()
	type row struct {
		Name   string
		Effect struct{ Undo string }
	}
	all := map[string]string{}
	for _, r := range parse[struct{ Items []row }](m.t, m.running.Get(m.t, "/api/v1/tools?limit=1000")).Items {
		if r.Effect.Undo == "" {
			continue
		}
		all[r.Name] = r.Effect.Undo
		if undoing[r.Name] == nil || rules[r.Name] == nil || rules[r.Effect.Undo] == nil {
			m.t.Errorf("%s says that %s undoes it, and this test does not know how to call them", r.Name, r.Effect.Undo)
		}
	}
	if len(all) < len(undoing) {
		m.t.Errorf("only %d capabilities declare an undo: %v", len(all), all)
	}
	return all
}

// undone makes a write that changes something, undoes it and compares.
func (m *machine) undone(rt *rapid.T, name, undo string, reads []view, before map[string]any) {
	m.t.Helper()
	for range 5 { // until one is not refused, and changes something
		done, log := len(m.done), len(m.s.Log)
		args := m.draw(rt, name)
		m.write(name, args, "", false)
		if len(m.done) == done || len(m.s.Log) == log {
			continue
		}
		answer, _ := m.done[done].answer.(object)
		back := undoing[name](args, answer)
		m.write(undo, back, "", false)
		if diff := cmp.Diff(before, m.answers(reads)); diff != "" {
			m.rt.Fatalf("%s %s, undone by %s %s (-before +after):\n%s", name, text2(m.t, args), undo, text2(m.t, back), diff)
		}
		return
	}
}

// answers reads everything, without what passes.
func (m *machine) answers(reads []view) map[string]any {
	m.t.Helper()
	all := map[string]any{}
	w := m.ways[0]
	for _, v := range reads {
		args := maps.Clone(v.args)
		if v.whole == nil && v.refused == nil {
			args["limit"] = int64(100)
		}
		got, refused, _ := w.send(v.name, args, "", false)
		if refused != nil {
			all[v.key()] = *refused
			continue
		}
		answer := lasting(m.plain(got))
		if o, ok := answer.(object); ok && v.anyway { // those that are as good as each other stand in no order
			answer = byKey(o["items"])
		}
		all[v.key()] = answer
	}
	return all
}

// lasting takes what passes out of an answer.
func lasting(v any) any {
	switch v := v.(type) {
	case object:
		for _, key := range passing {
			delete(v, key)
		}
		for key := range v {
			v[key] = lasting(v[key])
		}
	case []any:
		for i := range v {
			v[i] = lasting(v[i])
		}
	}
	return v
}

// seed makes the calls of the seed on both sides.
func (m *machine) seed() {
	m.t.Helper()
	raw, err := os.ReadFile("../../capabilities/tracker/testdata/seed.json")
	if err != nil {
		m.t.Fatal(err)
	}
	for _, c := range parse[[]struct {
		Name      string
		Arguments object
	}](m.t, raw) {
		args, _ := drawn(c.Arguments).(object)
		m.write(c.Name, args, "", false)
	}
}

// drawn answers JSON as the types that arguments are drawn in.
func drawn(v any) any {
	switch v := v.(type) {
	case object:
		for key := range v {
			v[key] = drawn(v[key])
		}
	case float64:
		return int64(v)
	case []any:
		texts, objects := []string{}, []object{}
		for _, one := range v {
			if s, ok := one.(string); ok {
				texts = append(texts, s)
				continue
			}
			o, _ := drawn(one).(object)
			objects = append(objects, o)
		}
		if len(objects) > 0 {
			return objects
		}
		return texts
	}
	return v
}
