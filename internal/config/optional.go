package config

import (
	"slices"
	"strings"
)

// checkOptionalList refuses two spellings of one header among optional_keys.
func checkOptionalList(d *decoder, n *node, path string, e *entry) bool {
	first := map[string]string{}
	for i, key := range e.optional {
		k := folded(key, e.http())
		if spelt, twice := first[k]; twice {
			d.fault(n.get("optional_keys").items[i].line, at(under(path, "optional_keys"), i), "%s is the same header; keep one", spelt)
			return false
		}
		first[k] = key
	}
	return true
}

// checkOptional judges optional_keys against every value that a child of the server may be started with: those of the entry, and those of
// every unit and seat. One that leaves nothing out is most likely misspelt, and the key that was meant would hold the server back. It is a
// fault; in a client's own file it is returned, as a reason to hold that server back.
func (l *loading) checkOptional(dec declaration) (held []string) {
	if dec.optional == nil {
		return nil
	}
	have := holdings{values: map[string]bool{}, holders: map[string]string{}, fold: dec.http()}
	have.add(dec.values())
	for _, b := range l.blocks[dec.name] {
		have.add(b.placed())
	}
	for i, key := range dec.optional {
		words := dec.leavesNothingOut(key, have)
		if words == "" {
			continue
		}
		place := at("optional_keys", i)
		if dec.d.foreign {
			held = append(held, place+": "+words)
			continue
		}
		dec.d.fault(dec.node.get("optional_keys").items[i].line, strings.TrimPrefix(dec.path+"."+place, "."), "%s", words)
	}
	return held
}

// holdings are what the values of a server hold.
type holdings struct {
	values  map[string]bool   // by a folded key: whether any value of it holds a variable
	holders map[string]string // by a variable: the first key whose value holds it
	fold    bool
}

func (h holdings) add(values []value) {
	for _, v := range values {
		names, _ := references(v.text)
		k := folded(v.key, h.fold)
		h.values[k] = h.values[k] || len(names) > 0
		for _, name := range names {
			if _, known := h.holders[name]; !known {
				h.holders[name] = v.key
			}
		}
	}
}

// leavesNothingOut says why a key of optional_keys never leaves anything out, "" when it may.
func (e *entry) leavesNothingOut(key string, have holdings) string {
	field := "env"
	if e.http() {
		field = "headers"
	}
	holdsVariable, found := have.values[folded(key, have.fold)]
	inURL, _ := references(e.url)
	switch holder, isVariable := have.holders[key]; {
	case holdsVariable:
		return ""
	case found:
		return "no value of " + key + " holds a variable, so it is never left out; remove it here"
	case isVariable:
		return key + " is the name of a variable; name the key that holds it: " + holder
	case key == "url" || slices.Contains(inURL, key):
		return "the url cannot be left out; remove this, and set its variables"
	}
	return "nothing under " + field + " has this key, here or in mcp_env of a unit or a seat; name a key of " + field
}
