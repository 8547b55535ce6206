package openapi

import (
	"bytes"
	"slices"
	"strings"
)

// components collects what the operations refer to.
type components struct {
	names     names
	schemas   []member
	responses []member
	shared    map[string]string // the text of a builtin's shared schema -> its name
	held      map[string]bool   // components that are written once, when one is needed

	writes bool // some operation takes the parameters of writes
}

func newComponents() *components {
	return &components{names: names{map[string]bool{}}, shared: map[string]string{}, held: map[string]bool{}}
}

func refTo(name string) *node { return object().str("$ref", "#/components/schemas/"+name) }

func byKey(list []member) *node {
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.key, b.key) })
	return &node{kind: kindObject, members: list}
}

// unit is one schema on its way into the document: everything in it that
// something refers to becomes a component of its own.
type unit struct {
	*components
	index   *index
	owner   string // before the names of the components of a bridged schema
	foreign bool
	hoisted map[*node]string // what is referred to -> its component
	endless map[*node]bool   // schemas that lead back to themselves without a step into the value
	inside  map[*node]bool   // schemas that are being rewritten
	// selfLists are arrays of themselves, by way of unions and arrays alone.
	selfLists map[*node]bool
}

// newUnit reads a schema. owner names the capability and the side: it is the name
// of the whole schema's component and starts the names of its parts.
func (c *components) newUnit(raw []byte, owner string, foreign bool) (*unit, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, err
	}
	u := &unit{components: c, index: newIndex(root), owner: owner, foreign: foreign, hoisted: map[*node]string{}, inside: map[*node]bool{}}
	targets := u.targets()
	u.endless, u.selfLists = u.cycles(append(targets, root))
	var own []*node
	for _, t := range targets {
		if t == root {
			u.hoisted[t] = owner
			continue
		}
		name, fresh := u.nameOf(t)
		u.hoisted[t] = name
		if fresh {
			own = append(own, t)
		}
	}
	for _, t := range own {
		u.schemas = append(u.schemas, member{u.hoisted[t], u.rewrite(t)})
	}
	return u, nil
}

// root answers the whole schema, rewritten.
func (u *unit) root() *node { return u.rewrite(u.index.root) }

// targets answers every schema that is referred to from the root, in the order
// they are met. Definitions that nothing refers to are left out.
func (u *unit) targets() []*node {
	var order []*node
	seen, met := map[*node]bool{}, map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		t, _ := u.index.target(n)
		if t != nil && !met[t] {
			met[t] = true
			order = append(order, t)
		}
		if t == nil || u.index.draft > draft7 {
			held(n, u.index.draft, func(_, _ string, child *node) { walk(child) })
		}
		if t != nil {
			walk(t)
		}
	}
	walk(u.index.root)
	return order
}

// nameOf answers the component's name of something referred to. Types that the
// builtins share have one component under their Go name; one that appears in
// inputs (closed) and in outputs (open) is two schemas and has two.
func (u *unit) nameOf(t *node) (name string, fresh bool) {
	path := u.index.path[t]
	part := partName(path)
	where := u.owner + "/" + strings.Join(path, "/")
	if u.foreign || len(path) != 2 || path[0] != "$defs" {
		return u.names.take(u.owner+part, where), true
	}
	text := u.closure(t)
	if name, ok := u.shared[text]; ok {
		return name, false
	}
	if strings.Contains(text, `"additionalProperties":false`) && !strings.HasSuffix(part, "Input") {
		part += "Input"
	}
	if part = unreserved(part); u.names.taken[strings.ToLower(part)] {
		part = u.owner + part
	}
	name = u.names.take(part, where)
	u.shared[text] = name
	return name, true
}

// partName makes a name of a path: the keys on it, and the keywords that have none.
func partName(path []string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		word := path[i]
		switch k := keywords[word]; {
		case word == "items":
			word = "item"
		case i+1 == len(path) || k.form != formSchemaMap && word != "$defs" && word != "definitions":
		default:
			i++
			word = path[i]
		}
		b.WriteString(pascal(word))
	}
	return b.String()
}

// closure is the text of a schema and of everything it refers to: equal texts are
// one schema.
func (u *unit) closure(t *node) string {
	var b bytes.Buffer
	seen := map[*node]bool{}
	var walk func(n *node)
	written := func(n *node) {
		if !seen[n] {
			seen[n] = true
			b.WriteString(strings.Join(u.index.path[n], "/"))
			n.write(&b)
			walk(n)
		}
	}
	walk = func(n *node) {
		if to, _ := u.index.target(n); to != nil {
			written(to)
		}
		held(n, u.index.draft, func(_, _ string, child *node) { walk(child) })
	}
	written(t)
	return b.String()
}
