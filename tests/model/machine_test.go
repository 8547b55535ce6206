package model_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// machine is a server beside the model of it.
type machine struct {
	*server
	rt          failing // the run, and then the action that goes on
	s           *state
	incarnation string
	done        []done
	changed     map[string]int    // how often every write changed something
	had         map[string]string // what every read is expected to answer before a step
	brief       bool              // compare what writes answer, and not every read after
}

// failing is a run that ends with a difference.
type failing interface {
	Fatalf(format string, args ...any)
}

// done is a write that was answered: repeated, it is answered the same.
type done struct {
	name   string
	args   object
	key    string
	answer any
}

var (
	madeUp   = regexp.MustCompile(`^(wi|lb)_[0-9a-z]{26}$`)
	position = regexp.MustCompile(`^([^.]+)\.main\.[0-9]+$`)
)

func newMachine(t *testing.T, rt failing, s *server) *machine {
	t.Helper()
	return &machine{server: s, rt: rt, s: &state{Clock: s.clock.Load(), LabelIDs: map[int]string{}}}
}

// plain is [plain] for this store, whose incarnation the first position tells.
func (m *machine) plain(v any) any {
	m.t.Helper()
	if o, ok := v.(object); ok && m.incarnation == "" {
		if p, ok := o["position"].(string); ok {
			if found := position.FindStringSubmatch(p); found != nil {
				m.incarnation = found[1]
			}
		}
	}
	return plain(m.t, m.incarnation, v)
}

// write makes one write on both sides and compares what it answers and what every read
// answers that it could have changed.
func (m *machine) write(name string, args object, key string, dry bool) {
	m.t.Helper()
	next := m.s.clone(m.t)
	next.Clock = m.clock.Load()
	c := &call{state: next, args: args}
	rules[name](c)
	w := m.next()
	got, refused, sentence := w.send(name, args, key, dry)
	if refused != nil || len(c.faults) > 0 {
		m.refused(name, args, w, c.faults, got, refused, sentence)
		return
	}
	want := c.answer
	if id, ok := got["id"].(string); ok && want["id"] == "" {
		m.learn(next, name, id)
		want["id"] = id
	}
	opID, _ := got["op_id"].(string)
	want["outcome"] = "unchanged"
	if len(next.Log) > len(m.s.Log) {
		want["outcome"] = "applied"
	}
	if dry {
		want["dry_run"] = true
	} else {
		want["op_id"], want["position"] = key, len(next.Log)
		if key == "" {
			want["op_id"] = opID
		}
		if opID == "" {
			m.rt.Fatalf("%s %v, %s: the receipt has no op_id: %v", name, args, w.name, got)
		}
	}
	answer := m.plain(got)
	if diff := cmp.Diff(plain(m.t, m.incarnation, want), answer); diff != "" {
		m.rt.Fatalf("%s %s, %s: the answer differs (-want +got):\n%s", name, text2(m.t, args), w.name, diff)
	}
	if dry {
		m.still()
		return
	}
	before := m.s
	m.s = next
	if m.changed != nil && len(next.Log) > len(before.Log) {
		m.changed[name]++
	}
	m.done = append(m.done, done{name, args, opID, answer})
	m.learnLabels()
	if !m.brief {
		m.compareChanged(before)
	}
}

func (m *machine) refused(name string, args object, w way, faults []refusal, got object, refused *refusal, sentence string) {
	m.t.Helper()
	switch {
	case refused == nil:
		m.rt.Fatalf("%s %s, %s: answered %v, want a refusal of %v", name, text2(m.t, args), w.name, got, faults)
	case !slices.Contains(faults, *refused):
		m.rt.Fatalf("%s %s, %s: refused with %v (%s), want %v", name, text2(m.t, args), w.name, *refused, sentence, faults)
	}
	m.still()
}

// still compares that the log did not go on.
func (m *machine) still() {
	m.t.Helper()
	m.compare(m.activity(len(m.s.Log)))
}

// activity is the log after so many rows.
func (m *machine) activity(after int) view {
	v := view{name: "list_activity", args: object{}, rows: m.s.showActivity("", after)}
	if after > 0 && m.incarnation != "" {
		v.args["after"] = m.incarnation + ".main." + text2(m.t, after)
	}
	return v
}

// learn takes the id that the server made up for what a write created.
func (m *machine) learn(next *state, name, id string) {
	m.t.Helper()
	known := slices.Contains(slices.Collect(maps.Values(m.s.LabelIDs)), id) || m.s.find(id) != none
	if !madeUp.MatchString(id) || known {
		m.rt.Fatalf("%s made up the id %q", name, id)
	}
	if name == "create_work_item" {
		next.Items[len(next.Items)-1].ID = id
		return
	}
	next.LabelIDs[next.Log[len(next.Log)-1].Label] = id
}

// learnLabels looks up the ids of labels that came to be beside something else.
func (m *machine) learnLabels() {
	m.t.Helper()
	for i := range m.s.Projects {
		p := &m.s.Projects[i]
		if !slices.ContainsFunc(p.Labels, func(l label) bool { return m.s.LabelIDs[l.Serial] == "" }) {
			continue
		}
		page, refused, sentence := m.next().send("list_labels", object{"project": p.Key, "limit": 1000}, "", false)
		if refused != nil {
			m.rt.Fatalf("list_labels: %s", sentence)
		}
		rows, _ := page["items"].([]any)
		for _, row := range rows {
			o, _ := row.(object)
			name, id := text1(o, "name"), text1(o, "id")
			for _, l := range p.Labels {
				if l.Name == name && m.s.LabelIDs[l.Serial] == "" {
					m.s.LabelIDs[l.Serial] = id
				}
			}
		}
	}
}

// compareChanged compares what a step changed: every read that the model now expects
// another answer of.
func (m *machine) compareChanged(before *state) {
	m.t.Helper()
	if m.had == nil {
		m.had = map[string]string{}
		for _, v := range before.views() {
			m.had[v.key()] = text2(m.t, []any{v.whole, v.rows, v.refused})
		}
	}
	has := map[string]string{}
	for _, v := range m.s.views() {
		key := v.key()
		has[key] = text2(m.t, []any{v.whole, v.rows, v.refused})
		if m.had[key] != has[key] {
			m.compare(v)
		}
	}
	m.had = has
	m.compare(m.activity(len(before.Log)))
}

// compareAll compares everything there is.
func (m *machine) compareAll() {
	m.t.Helper()
	for _, v := range m.s.views() {
		m.compare(v)
	}
	m.compare(m.activity(0))
	for _, p := range m.s.Projects {
		m.compare(view{name: "list_activity", args: object{"project": p.Key}, rows: m.s.showActivity(p.Key, 0)})
	}
}

// compare makes one read and compares its answer; lists are read to their end.
func (m *machine) compare(v view) {
	m.t.Helper()
	w := m.next()
	if v.refused != nil {
		got, refused, sentence := w.send(v.name, v.args, "", false)
		if refused == nil || !slices.Contains(v.refused, *refused) {
			m.rt.Fatalf("%s %s, %s: answered %v, refused with %v (%s), want %v", v.name, text2(m.t, v.args), w.name, got, refused, sentence, v.refused)
		}
		return
	}
	var want, got any
	if v.whole != nil {
		want, got = v.whole, m.read(w, v.name, v.args)
	} else {
		want, got = v.rows, m.pages(w, v)
	}
	wanted := plain(m.t, m.incarnation, want)
	if v.anyway {
		wanted, got = byKey(wanted), byKey(got)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		m.rt.Fatalf("%s %s, %s: the answer differs (-want +got):\n%s", v.name, text2(m.t, v.args), w.name, diff)
	}
}

// byKey answers rows by their keys.
func byKey(rows any) map[string]any {
	all := map[string]any{}
	list, _ := rows.([]any)
	for _, row := range list {
		o, _ := row.(object)
		all[text1(o, "key")] = row
	}
	return all
}

func (m *machine) read(w way, name string, args object) any {
	m.t.Helper()
	got, refused, sentence := w.send(name, args, "", false)
	if refused != nil {
		m.rt.Fatalf("%s %s, %s: refused with %v: %s", name, text2(m.t, args), w.name, *refused, sentence)
	}
	return m.plain(got)
}

// pages reads a list to its end, in turn with few and with many items a page.
func (m *machine) pages(w way, v view) any {
	m.t.Helper()
	args := maps.Clone(v.args)
	limit := []int64{100, 3, 1}[m.turn%3]
	if len(v.rows) > 12 {
		limit = 100
	}
	args["limit"] = limit
	all := []any{}
	for {
		page, _ := m.read(w, v.name, args).(object)
		items, _ := page["items"].([]any)
		all = append(all, items...)
		cursor, offset := page["next_cursor"], page["next_offset"]
		switch {
		case int64(len(items)) > limit, (cursor != nil || offset != nil) && int64(len(items)) < limit, len(all) > len(v.rows)+1:
			m.rt.Fatalf("%s %s, %s: a page of %d of %d items, limit %d", v.name, text2(m.t, args), w.name, len(items), len(v.rows), limit)
		case cursor != nil:
			args["cursor"] = cursor
		case offset != nil:
			args["offset"] = offset
		default:
			return all
		}
	}
}
