package openapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// index knows where the references of one schema lead. A schema may hold schemas
// with an $id of their own, below which "#" means another root.
type index struct {
	root    *node
	draft   draft
	base    map[*node]*url.URL // the resource each schema stands in
	path    map[*node][]string // the tokens of a pointer to it
	roots   map[string]*node   // by the resource's URI
	anchors map[string]*node   // by URI#name
	dynamic map[string][]*node // by the name of a $dynamicAnchor
	found   map[*node]found    // what target answered
}

type found struct {
	target *node
	ok     bool
}

func newIndex(root *node) *index {
	x := &index{
		root: root, draft: draftOf(root), base: map[*node]*url.URL{}, path: map[*node][]string{},
		roots: map[string]*node{}, anchors: map[string]*node{}, dynamic: map[string][]*node{}, found: map[*node]found{},
	}
	// A scheme nobody uses: a relative $id must not become one that a reference names.
	base := &url.URL{Scheme: "holotype", Path: "/schema"}
	x.roots[base.String()] = root
	x.visit(root, base, nil)
	return x
}

func draftOf(root *node) draft {
	uri := strings.TrimSuffix(stringOf(root.get("$schema")), "#")
	_, uri, _ = strings.Cut(uri, "://")
	switch uri {
	case "json-schema.org/draft-04/schema":
		return draft4
	case "json-schema.org/draft-06/schema":
		return draft6
	case "json-schema.org/draft-07/schema":
		return draft7
	case "json-schema.org/draft/2019-09/schema":
		return draft2019
	}
	return draft2020
}

// visit records a schema and those it holds.
func (x *index) visit(n *node, base *url.URL, path []string) {
	if _, done := x.base[n]; done {
		return
	}
	base = x.name(n, base)
	x.base[n], x.path[n] = base, path
	held(n, always, func(keyword, key string, child *node) {
		at := append(slices.Clip(path), keyword)
		if key != "" {
			at = append(at, key)
		}
		x.visit(child, base, at)
	})
}

// name records the names a schema gives itself and answers the base for what it holds.
func (x *index) name(n *node, base *url.URL) *url.URL {
	id := stringOf(n.get("$id"))
	if x.draft == draft4 {
		id = stringOf(n.get("id"))
	}
	switch {
	case x.draft <= draft7 && n.get("$ref") != nil: // draft 7 reads nothing beside $ref
	case x.draft <= draft7 && strings.HasPrefix(id, "#"):
		x.anchors[base.String()+id] = n
	case id != "":
		if u, err := base.Parse(strings.TrimSuffix(id, "#")); err == nil && u.Fragment == "" {
			base = u
			x.roots[base.String()] = n
		}
	}
	if a := stringOf(n.get("$anchor")); a != "" && x.draft >= draft2019 {
		x.anchors[base.String()+"#"+a] = n
	}
	if a := stringOf(n.get("$dynamicAnchor")); a != "" && x.draft >= draft2020 {
		x.anchors[base.String()+"#"+a] = n
		x.dynamic[a] = append(x.dynamic[a], n)
	}
	return base
}

// target answers the schema that n refers to; ok is false where that cannot be
// said, and nil where n refers to nothing.
func (x *index) target(n *node) (target *node, ok bool) {
	if f, done := x.found[n]; done {
		return f.target, f.ok
	}
	target, ok = x.find(n)
	x.found[n] = found{target, ok}
	return target, ok
}

func (x *index) find(n *node) (target *node, ok bool) {
	if ref := n.get("$ref"); ref != nil && ref.kind == kindString {
		t := x.resolve(x.base[n], ref.text)
		return t, t != nil
	}
	if ref := n.get("$dynamicRef"); ref != nil && ref.kind == kindString && x.draft >= draft2020 {
		t := x.resolve(x.base[n], ref.text)
		name := stringOf(t.get("$dynamicAnchor"))
		// Where the anchor stands once, or the target has none, it cannot be overridden.
		if t == nil || name != "" && len(x.dynamic[name]) > 1 {
			return nil, false
		}
		return t, true
	}
	if ref := n.get("$recursiveRef"); ref != nil && ref.kind == kindString && x.draft == draft2019 {
		t := x.resolve(x.base[n], ref.text)
		return t, t != nil && len(x.roots) <= 2 && t == x.root
	}
	return nil, true
}

// resolve follows a reference. It never leaves the schema.
func (x *index) resolve(base *url.URL, ref string) *node {
	if base == nil {
		return nil
	}
	u, err := base.Parse(ref)
	if err != nil {
		return nil
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	root := x.roots[u.String()]
	switch {
	case root == nil:
		return nil
	case fragment == "":
		return root
	case fragment[0] != '/':
		return x.anchors[u.String()+"#"+fragment]
	}
	n, path := root, x.path[root]
	for token := range strings.SplitSeq(fragment[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		path = append(slices.Clip(path), token)
		if n.kind == kindArray {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
			continue
		}
		if n = n.get(token); n == nil {
			return nil
		}
	}
	if n.kind != kindObject && n.kind != kindBool {
		return nil
	}
	// A place that no keyword makes a schema is one when something refers to it.
	x.visit(n, u, path)
	return n
}

// held calls f for every schema that n holds under a keyword that the draft has;
// always stands for the keywords of all drafts. It reads no const, enum, default
// or example, whatever they look like.
func held(n *node, d draft, f func(keyword, key string, child *node)) {
	if n.kind != kindObject {
		return
	}
	for _, m := range n.members {
		k, known := keywords[m.key]
		defs := m.key == "$defs" || m.key == "definitions"
		// What stands beside a list of items is the rest of the list, whatever the draft.
		rest := m.key == "additionalItems" && n.get("items") != nil && n.get("items").kind == kindArray
		if !known || d != always && (defs || !k.applies(d)) && !rest {
			continue
		}
		v := m.value
		switch {
		case (k.form == formSchemaMap || k.form == formDependencies || defs) && v.kind == kindObject:
			for _, sub := range v.members {
				if sub.value.kind == kindObject || sub.value.kind == kindBool {
					f(m.key, sub.key, sub.value)
				}
			}
		case (k.form == formSchemas || k.form == formItems) && v.kind == kindArray:
			for i, sub := range v.items {
				f(m.key, strconv.Itoa(i), sub)
			}
		case (k.form == formSchema || k.form == formItems) && (v.kind == kindObject || v.kind == kindBool):
			f(m.key, "", v)
		}
	}
}
