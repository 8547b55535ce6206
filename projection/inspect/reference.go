package inspect

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A reference is one local $ref.
type reference struct{ from, to string } // pointers: of the schema it stands in, of what it names

// reference judges one $ref. at is the schema it stands in.
func (w *walk) reference(value any, at string) {
	text, ok := value.(string)
	here := at + "/$ref"
	fragment, local := strings.CutPrefix(text, "#")
	switch {
	case !ok:
		w.doubt = true
	case !local && text != "": // which names the root, as "#" does
		// A relative one may name an $id within the schema; the judge of calls knows.
		w.doubt = true
		if strings.Contains(text, "://") || !strings.Contains(text, "#") && !w.identifies(text) {
			w.note("remote-ref", here, "%s", cut(text, 120))
		}
	case fragment != "" && !strings.HasPrefix(fragment, "/"):
		w.doubt = true // an anchor
	default:
		to, err := url.PathUnescape(fragment)
		if err != nil || !w.leads(to) {
			w.doubt = true
			return
		}
		w.refs = append(w.refs, reference{at, to})
		parts := strings.Split(to, "/")
		defined := len(parts) == 3 && (parts[1] == "$defs" || parts[1] == "definitions")
		if !defined && to != "" {
			w.note("pointer-ref", here, "%s", cut(text, 120))
		}
	}
}

// identifies reports whether a schema below the root has the $id.
func (w *walk) identifies(id string) bool {
	found := false
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			found = found || v["$id"] == id
			for _, one := range v {
				look(one)
			}
		case []any:
			for _, one := range v {
				look(one)
			}
		}
	}
	look(w.root)
	return found
}

// leads reports whether a pointer names a schema of this document.
func (w *walk) leads(pointer string) bool {
	var now any = w.root
	if pointer == "" {
		return true
	}
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch v := now.(type) {
		case map[string]any:
			now = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return false
			}
			now = v[i]
		default:
			return false
		}
	}
	switch now.(type) {
	case map[string]any, bool:
		return true
	}
	return false
}

// references reports a schema that leads back to itself: what a reference names holds
// a reference that, over any number of others, names it again.
func (w *walk) references() {
	refs := slices.Clone(w.refs)
	slices.SortFunc(refs, func(a, b reference) int { return strings.Compare(a.from, b.from) })
	// within answers the references at or below a pointer.
	within := func(pointer string) []reference {
		if pointer == "" {
			return refs
		}
		find := func(from string) int {
			i, _ := slices.BinarySearchFunc(refs, from, func(r reference, from string) int { return strings.Compare(r.from, from) })
			return i
		}
		// "0" is the sign after "/", and "\x00" the first one.
		return slices.Concat(refs[find(pointer):find(pointer+"\x00")], refs[find(pointer+"/"):find(pointer+"0")])
	}
	const walking, walked = 1, 2
	state := map[string]int{}
	var loops func(to string) bool
	loops = func(to string) bool {
		switch state[to] {
		case walking:
			return true
		case walked:
			return false
		}
		state[to] = walking
		for _, next := range within(to) {
			if loops(next.to) {
				return true
			}
		}
		state[to] = walked
		return false
	}
	for _, r := range w.refs {
		if loops(r.to) {
			w.note("recursion", r.from+"/$ref", "#%s leads back to itself", cut(r.to, 120))
			return
		}
	}
}
