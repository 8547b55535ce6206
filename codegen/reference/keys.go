package reference

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// Bounds of a table of keys: a bridged server may send any schema.
const (
	maxKeyDepth = 8
	maxKeyRows  = 400
	maxKeySteps = 4000
	maxKeyText  = 1000 // bytes of a description
)

// row is one key of a schema.
type row struct {
	path string // "items[].hints.read_only"
	kind string // Markdown
	text string // Markdown
}

func (r row) cells(name string) []string {
	return []string{markdown.CodeCell(clip(name)), r.kind, r.text}
}

// keyRows writes the keys of a schema as the rows of a table.
func keyRows(schema []byte) [][]string {
	var rows [][]string
	for _, r := range keys(schema, markdown.Text) {
		rows = append(rows, r.cells(r.path))
	}
	return rows
}

// keys flattens an object schema into rows in the schema's own order. Descriptions
// pass through text. It ends on any schema: a reference within itself is not
// followed again, and depth, rows and steps have bounds.
func keys(schema []byte, text func(string) string) []row {
	root := parseNode(schema)
	w := keyWalk{root: root, text: text, nodes: map[string]node{}, open: map[string]bool{"#": true}, known: map[string]bool{}, steps: maxKeySteps}
	w.children("", root, 0)
	if w.cut {
		w.rows = append(w.rows, row{path: "\u2026", text: "There are more keys: the schema has them all."})
	}
	return w.rows
}

type keyWalk struct {
	root  node
	text  func(string) string
	nodes map[string]node // what references lead to
	open  map[string]bool // the references that are being followed
	known map[string]bool // the paths that have a row
	rows  []row
	steps int
	cut   bool
}

// read follows a reference from raw. What stands beside a reference goes before
// what it leads to.
func (w *keyWalk) read(raw json.RawMessage) node {
	n := parseNode(raw)
	for range maxKeyDepth {
		if n.Ref == "" {
			return n
		}
		target, ok := w.resolve(n.Ref)
		if !ok {
			return n
		}
		target.followed = append(n.followed, n.Ref)
		if n.Description != "" {
			target.Description = n.Description
		}
		n = target
	}
	return n
}

// resolve finds the root or one of its definitions; other references lead nowhere.
func (w *keyWalk) resolve(ref string) (node, bool) {
	if ref == "#" {
		return w.root, true
	}
	if n, ok := w.nodes[ref]; ok {
		return n, true
	}
	for prefix, defs := range map[string]map[string]json.RawMessage{"#/$defs/": w.root.Defs, "#/definitions/": w.root.Definitions} {
		name, ok := strings.CutPrefix(ref, prefix)
		if !ok {
			continue
		}
		raw, ok := defs[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
		if ok {
			w.nodes[ref] = parseNode(raw)
			return w.nodes[ref], true
		}
	}
	return node{}, false
}

// enter notes the references that led to n, and answers false where one of them is
// being followed already.
func (w *keyWalk) enter(n node) bool {
	if slices.ContainsFunc(n.followed, func(ref string) bool { return w.open[ref] }) {
		return false
	}
	for _, ref := range n.followed {
		w.open[ref] = true
	}
	return true
}

func (w *keyWalk) leave(n node) {
	for _, ref := range n.followed {
		delete(w.open, ref)
	}
}

// children writes the keys of an object, those of its alternatives too. prefix
// ends in a dot or is empty.
func (w *keyWalk) children(prefix string, n node, depth int) {
	if w.steps--; w.steps < 0 || depth > maxKeyDepth {
		w.cut = w.cut || len(n.Properties) > 0
		return
	}
	for _, p := range n.Properties {
		if string(p.schema) == "false" {
			continue // nothing fits it, so nobody sends it
		}
		w.key(prefix+p.name, w.read(p.schema), slices.Contains(n.Required, p.name), depth)
	}
	for _, raw := range slices.Concat(n.AllOf, n.AnyOf, n.OneOf) {
		alternative := w.read(raw)
		if w.enter(alternative) {
			w.inside(strings.TrimSuffix(prefix, "."), prefix, alternative, depth+1)
			w.leave(alternative)
		}
	}
}

func (w *keyWalk) key(path string, n node, required bool, depth int) {
	if w.known[path] {
		return // an alternative that only narrows it
	}
	if len(w.rows) >= maxKeyRows {
		w.cut = true
		return
	}
	w.known[path] = true
	r := row{path: path, kind: w.kind(n, depth), text: w.text(clip(w.description(n)))}
	if required {
		r.kind += ", required"
	}
	if len(n.Default) > 0 {
		r.text = strings.TrimSpace(r.text + " Default: " + markdown.CodeCell(literal(n.Default)) + ".")
	}
	entered := w.enter(n)
	if !entered {
		r.kind += ", the same again"
	}
	w.rows = append(w.rows, r)
	if entered {
		w.inside(path, path+".", n, depth+1)
		w.leave(n)
	}
}

// description is what a key says about itself, or what the first of its
// alternatives says.
func (w *keyWalk) description(n node) string {
	for _, raw := range slices.Concat([]json.RawMessage{nil}, n.AllOf, n.AnyOf, n.OneOf) {
		if n.Description != "" {
			break
		}
		n.Description = w.read(raw).Description
	}
	return n.Description
}

// inside goes into what a key holds: an object's keys, the items of an array, the
// values of a map.
func (w *keyWalk) inside(path, prefix string, n node, depth int) {
	w.children(prefix, n, depth)
	w.held(path+"[]", n.Items, depth)
	w.held(prefix+"NAME", n.Additional, depth)
}

func (w *keyWalk) held(path string, raw json.RawMessage, depth int) {
	if len(raw) == 0 || depth > maxKeyDepth {
		return
	}
	n := w.read(raw)
	if !w.enter(n) {
		return
	}
	w.inside(path, path+".", n, depth+1)
	w.leave(n)
}

// clip bounds text of strangers.
func clip(s string) string {
	if len(s) <= maxKeyText {
		return s
	}
	return strings.ToValidUTF8(s[:maxKeyText], "") + "\u2026"
}
