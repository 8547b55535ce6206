package inspect

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

const dialect2020 = "https://json-schema.org/draft/2020-12/schema"

// schemas judges both schemas of a tool.
func (j *judgement) schemas(entry map[string]any) {
	j.schema("inputSchema", entry["inputSchema"])
	if out, ok := entry["outputSchema"]; ok {
		j.schema("outputSchema", out)
	}
}

func (j *judgement) schema(member string, value any) {
	at := "/" + member
	root, ok := value.(map[string]any)
	if !ok {
		j.add("schema-invalid", at, "it is no object")
		return
	}
	w := &walk{at: at, root: root, input: member == "inputSchema", first: map[string]*place{}}
	w.roots(root)
	w.schema(root, "", 1)
	w.references()
	j.tool.Depth = max(j.tool.Depth, w.depth)
	if w.depth > maxDepth {
		w.note("deep-schema", "", "%d levels", w.depth)
	}
	if w.input {
		j.tool.Input = openness(root)
		if j.tool.Input == Open {
			w.note("open-input", "", "additionalProperties is not false")
		}
	}
	// The walk vouches for what it knows; what is odd goes to the judge of calls, which
	// is exact and a hundred times slower.
	if w.doubt && w.first["remote-ref"] == nil && w.first["unknown-dialect"] == nil {
		_, err := schema.CompileForeign([]byte(text(root)))
		var e *schema.Error
		switch {
		case errors.As(err, &e):
			w.note("schema-invalid", e.Pointer, "%s", cut(e.Message, 300))
		case err != nil:
			w.note("schema-invalid", "", "%s", cut(err.Error(), 300))
		}
	}
	for _, id := range w.order {
		p := w.first[id]
		j.add(id, at+p.pointer, "%s%s", p.reason, more(p.count))
	}
}

// openness answers whether the root takes arguments it does not name.
func openness(root map[string]any) Input {
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if root[key] == false {
			return Closed
		}
	}
	if _, ref := root["$ref"]; ref {
		return NoRoot
	}
	return Open
}

// A place is where a kind of finding was first met in one schema.
type place struct {
	pointer, reason string
	count           int
}

// A walk is one pass over one schema.
type walk struct {
	at    string
	root  map[string]any
	input bool
	first map[string]*place
	order []string
	refs  []reference
	depth int
	doubt bool // something is not known to be valid
}

func (w *walk) note(id, pointer, format string, args ...any) {
	if p := w.first[id]; p != nil {
		p.count++
		return
	}
	w.first[id] = &place{pointer, fmt.Sprintf(format, args...), 1}
	w.order = append(w.order, id)
}

// roots judges what clients demand of the root alone.
func (w *walk) roots(root map[string]any) {
	switch t := root["type"].(type) {
	case nil:
		w.note("root-type", "", "type is absent")
	case string:
		if t != "object" {
			w.note("root-type", "/type", "type is %s", cut(t, 40))
		}
	default:
		w.note("root-type", "/type", "type is no text")
	}
	if _, ok := root["$ref"]; ok {
		w.note("root-ref", "/$ref", "the root is a reference")
	}
	w.dialect(root)
	if !w.input {
		return
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if _, ok := root[key]; ok {
			w.note("root-combinator", "/"+key, "%s stands at the root", key)
		}
	}
	properties, ok := root["properties"].(map[string]any)
	if !ok {
		w.note("no-properties", "", "properties is absent")
	}
	for _, name := range sorted(properties) {
		if !propertyName.MatchString(name) {
			w.note("property-name", "/properties/"+escape(name), "%q", cut(name, 80))
		}
	}
}

var propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func (w *walk) dialect(root map[string]any) {
	value, ok := root["$schema"]
	if !ok {
		return
	}
	name, ok := value.(string)
	trimmed := strings.TrimSuffix(name, "#")
	switch {
	case !ok:
		w.doubt = true
	case trimmed == dialect2020:
	case slices.Contains(olderDialects(), strings.TrimPrefix(strings.TrimPrefix(trimmed, "https:"), "http:")):
		if !w.input {
			w.note("output-dialect", "/$schema", "%s", name)
		}
		// Other words, and the same words with other meanings.
		w.doubt = w.doubt || !strings.Contains(name, "draft-07")
	default:
		w.note("unknown-dialect", "/$schema", "%q", cut(name, 120))
	}
}

// olderDialects are the ones that a validator may be expected to know.
func olderDialects() []string {
	return []string{
		"//json-schema.org/draft-04/schema", "//json-schema.org/draft-06/schema", "//json-schema.org/draft-07/schema", "//json-schema.org/draft/2019-09/schema",
	}
}
