package model_test

import (
	"slices"
	"strings"
)

// refusal is one that a call may be answered with. Where several things are wrong with a
// call, any of them may be what is said.
type refusal struct{ Code, Pointer string }

// call is one write on its way: the state, what is wrong, and what is answered.
type call struct {
	*state
	args   object
	faults []refusal
	answer object
}

func (c *call) refuse(code, pointer string) { c.faults = append(c.faults, refusal{code, pointer}) }

func (c *call) invalid(pointer string) { c.refuse("invalid", pointer) }

func text1(a object, key string) string {
	s, _ := a[key].(string)
	return s
}

func number(a object, key string) int64 {
	n, _ := a[key].(int64)
	return n
}

func texts(a object, key string) []string {
	s, _ := a[key].([]string)
	return s
}

func objects(a object, key string) []object {
	s, _ := a[key].([]object)
	return s
}

func given(a object, key string) bool {
	_, ok := a[key]
	return ok
}

// rules are what every write does.
var rules = map[string]func(*call){
	"create_project": (*call).createProject, "update_project": (*call).updateProject,
	"create_label": (*call).createLabel, "update_label": (*call).updateLabel, "remove_label": (*call).removeLabel,
	"create_work_item": (*call).createItem, "update_work_item": (*call).updateItem, "comment_on_work_item": (*call).comment,
	"move_work_item": (*call).move, "merge_work_item": (*call).merge,
	"remove_work_item": (*call).remove, "restore_work_item": (*call).restore, "purge_work_item": (*call).purge,
	"write_project_file": (*call).writeFile, "remove_project_file": (*call).removeFile,
}

// line judges a line: it is neither blank nor broken.
func (c *call) line(pointer, s string) {
	if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\n\x00\u202e") {
		c.invalid(pointer)
	}
}

// about answers the project that a call is about.
func (c *call) about() *project {
	p := c.project(text1(c.args, "project"))
	if p == nil {
		c.refuse("not_found", "")
	}
	return p
}

func (c *call) createProject() {
	a := c.args
	c.line("/title", text1(a, "title"))
	if c.project(text1(a, "key")) != nil {
		c.refuse("exists", "")
		return
	}
	c.Projects = append(c.Projects, project{
		Key: text1(a, "key"), Title: text1(a, "title"), Summary: text1(a, "summary"), Lead: text1(a, "lead"), Default: text1(a, "default_assignee"),
		Version: 1, Created: c.Clock, Updated: c.Clock,
	})
	c.log(event{Kind: "project", ID: text1(a, "key"), Key: text1(a, "key"), Project: text1(a, "key"), Action: "created", Version: 1})
	c.answer = object{"key": text1(a, "key"), "version": 1}
}

// set changes a field to what the arguments have and notes its name; null is nothing.
func set(a object, key string, field *string, fields *[]string) {
	if given(a, key) && text1(a, key) != *field {
		*field = text1(a, key)
		*fields = append(*fields, key)
	}
}

func (c *call) stale(version int64) {
	if given(c.args, "if_match") && number(c.args, "if_match") != version {
		c.refuse("stale_version", "")
	}
}

func (c *call) updateProject() {
	if given(c.args, "title") {
		c.line("/title", text1(c.args, "title"))
	}
	p := c.about()
	if p == nil {
		return
	}
	c.stale(p.Version)
	var fields []string
	set(c.args, "title", &p.Title, &fields)
	set(c.args, "summary", &p.Summary, &fields)
	set(c.args, "lead", &p.Lead, &fields)
	set(c.args, "default_assignee", &p.Default, &fields)
	if archived, ok := c.args["archived"].(bool); ok && archived != p.Archived {
		p.Archived = archived
		fields = append(fields, "archived")
	}
	if len(fields) > 0 {
		p.Version++
		p.Updated = c.Clock
		c.log(event{Kind: "project", ID: p.Key, Key: p.Key, Project: p.Key, Action: "updated", Fields: fields, Version: p.Version})
	}
	c.answer = object{"key": p.Key, "version": p.Version}
}

func (c *call) labelReceipt(l *label) {
	c.answer = object{"name": l.Name, "id": c.LabelIDs[l.Serial], "version": l.Version}
}

func (c *call) createLabel() {
	p := c.about()
	if p == nil {
		return
	}
	if p.Archived {
		c.refuse("conflict", "")
	}
	name, colour := text1(c.args, "name"), text1(c.args, "colour")
	if slices.ContainsFunc(p.Labels, func(l label) bool { return same(l.Name, name) }) {
		c.refuse("exists", "")
	}
	if colour == "" {
		colour = "#808080"
	}
	c.labelReceipt(c.newLabel(p, name, colour))
}

func (c *call) updateLabel() {
	p := c.about()
	if p == nil {
		return
	}
	l := c.label(p, text1(c.args, "label"))
	if l == nil {
		c.refuse("not_found", "")
		return
	}
	c.stale(l.Version)
	name := text1(c.args, "name")
	if given(c.args, "name") && slices.ContainsFunc(p.Labels, func(o label) bool { return o.Serial != l.Serial && same(o.Name, name) }) {
		c.refuse("exists", "")
	}
	var fields []string
	set(c.args, "name", &l.Name, &fields)
	set(c.args, "colour", &l.Colour, &fields)
	if len(fields) > 0 {
		l.Version++
		c.log(event{Kind: "label", Label: l.Serial, Project: p.Key, Action: "updated", Fields: fields, Version: l.Version})
	}
	c.labelReceipt(l)
}

func (c *call) removeLabel() {
	p := c.about()
	if p == nil {
		return
	}
	l := c.label(p, text1(c.args, "name"))
	if l == nil {
		c.refuse("not_found", "")
		return
	}
	serial := l.Serial
	l.Version++
	c.labelReceipt(l)
	c.log(event{Kind: "label", Label: serial, Project: p.Key, Action: "removed", Version: l.Version})
	for i := range c.Items {
		c.Items[i].Labels = slices.DeleteFunc(c.Items[i].Labels, func(n int) bool { return n == serial })
	}
	p.Labels = slices.DeleteFunc(p.Labels, func(o label) bool { return o.Serial == serial })
}

// itemAbout answers the item that a call is about.
func (c *call) itemAbout() int {
	i := c.live(text1(c.args, "item"))
	if i == none {
		c.refuse("not_found", "")
	}
	return i
}

func (c *call) receipt(i int) {
	it := &c.Items[i]
	if c.answer == nil {
		c.answer = object{}
	}
	c.answer["key"], c.answer["id"], c.answer["version"] = it.key(), it.ID, it.Version
}

func (c *call) comment() {
	ask, answers, choice := text1(c.args, "ask"), number(c.args, "answers"), text1(c.args, "choice")
	n := comment{Kind: "remark", Body: text1(c.args, "body"), At: c.Clock, Asked: ask, Answers: answers, Choice: choice, Mentions: mentions(text1(c.args, "body"))}
	if d, ok := c.args["decision"].(object); ok {
		n.Options = texts(d, "options")
		if ask == "" {
			c.invalid("/ask")
		}
	}
	action := "commented"
	if ask != "" {
		n.Kind, action = "question", "asked"
		if answers != 0 {
			c.invalid("/ask")
		}
	}
	if choice != "" && answers == 0 {
		c.invalid("/choice")
	}
	i := c.itemAbout()
	if i == none {
		return
	}
	if answers != 0 && ask == "" {
		n.Kind, action = "answer", "answered"
		c.answers(&c.Items[i], answers, choice)
	}
	c.Items[i].Thread = append(c.Items[i].Thread, n)
	c.happened(i, event{Action: action})
	c.receipt(i)
	c.answer["number"], c.answer["mentions"], c.answer["unresolved"] = len(c.Items[i].Thread), list(n.Mentions), []string{}
}

// answers judges the answer to a question.
func (c *call) answers(it *item, number int64, choice string) {
	if number > int64(len(it.Thread)) || it.Thread[number-1].Kind != "question" {
		c.invalid("/answers")
		return
	}
	q := it.Thread[number-1]
	if slices.ContainsFunc(it.Thread, func(n comment) bool { return n.Answers == number }) {
		c.refuse("already_answered", "")
	}
	if len(q.Options) == 0 && choice != "" || len(q.Options) > 0 && !slices.Contains(q.Options, choice) {
		c.invalid("/choice")
	}
}

// mentions answers the names after an @ that begins a word.
func mentions(body string) (names []string) {
	for w := range strings.FieldsSeq(body) {
		name, ok := strings.CutPrefix(w, "@")
		if name = strings.TrimRight(name, ".,:;?!"); ok && name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (c *call) writeFile() {
	p := c.about()
	if p == nil {
		return
	}
	if p.Archived {
		c.refuse("conflict", "")
	}
	path := text1(c.args, "path")
	f := p.file(path)
	now := int64(0)
	if f != nil && !f.Removed {
		now = f.Version
	}
	if given(c.args, "if_version") && number(c.args, "if_version") != now {
		c.refuse("stale_version", "")
	}
	data, kind := []byte(text1(c.args, "text")), "text/plain"
	if raw, ok := c.args["base64"].([]byte); ok {
		data, kind = raw, "application/octet-stream"
	}
	if given(c.args, "type") {
		kind = text1(c.args, "type")
	}
	if now == 0 || string(f.newest().Data) != string(data) || f.newest().Type != kind {
		action := "written"
		switch {
		case f == nil:
			p.Files = append(p.Files, file{Path: path})
			f = &p.Files[len(p.Files)-1]
			fallthrough
		case f.Removed:
			f.Created, f.Removed, action = c.Clock, false, "created"
		}
		f.Version++
		f.Versions = append(f.Versions, content{Version: f.Version, Data: data, Type: kind, At: c.Clock})
		c.log(event{Kind: "project_file", ID: p.Key + "/" + path, Key: path, Project: p.Key, Action: action, Fields: []string{"content"}, Version: f.Version})
	}
	c.answer = object{"project": p.Key, "path": path, "version": f.Version}
}

func (c *call) removeFile() {
	p := c.about()
	if p == nil {
		return
	}
	path := text1(c.args, "path")
	f := p.file(path)
	if f == nil || f.Removed {
		c.refuse("not_found", "")
		return
	}
	if given(c.args, "if_version") && number(c.args, "if_version") != f.Version {
		c.refuse("stale_version", "")
	}
	f.Version++
	f.Removed, f.Versions = true, nil
	c.log(event{Kind: "project_file", ID: p.Key + "/" + path, Key: path, Project: p.Key, Action: "removed", Version: f.Version})
	c.answer = object{"project": p.Key, "path": path, "version": f.Version}
}
