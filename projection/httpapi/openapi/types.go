package openapi

import "slices"

// typesOf answers the types a schema admits, null last and none for any, and the
// values it admits, nil for any. fits is false where it admits nothing. The four
// spellings of "or null" become one, and a constant a value of its type, which
// generators need to make a type of it.
func (u *unit) typesOf(n *node) (types []string, values []*node, fits bool) {
	types = declaredTypes(n)
	values, restricted := u.valuesOf(n)
	// OpenAPI 3.0's word; it means something beside a type only.
	if n.get("nullable").isTrue() && len(types) == 1 && types[0] != "null" {
		types = append(types, "null")
		if restricted && n.get("const") == nil {
			values = unique(append(slices.Clone(values), &node{}))
		}
	}
	if !restricted {
		return types, nil, true
	}
	if len(types) == 0 {
		for _, v := range values {
			types = append(types, v.typeName())
		}
	} else {
		values = slices.DeleteFunc(slices.Clone(values), func(v *node) bool { return !fitsAny(v, types) })
		types = slices.DeleteFunc(types, func(t string) bool {
			return !slices.ContainsFunc(values, func(v *node) bool { return fitsAny(v, []string{t}) })
		})
	}
	return inOrder(types), values, len(values) > 0
}

func declaredTypes(n *node) []string {
	t := n.get("type")
	switch {
	case t == nil || !formType.holds(t):
		return nil
	case t.kind == kindString:
		return []string{t.text}
	}
	var list []string
	for _, item := range t.items {
		list = append(list, item.text)
	}
	return inOrder(list)
}

// inOrder answers the types once each, null last. Every integer is a number.
func inOrder(list []string) []string {
	var out []string
	for _, t := range list {
		if t != "null" && !slices.Contains(out, t) && (t != "integer" || !slices.Contains(list, "number")) {
			out = append(out, t)
		}
	}
	if slices.Contains(list, "null") {
		out = append(out, "null")
	}
	return out
}

func withoutNull(types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
}

// valuesOf reads enum and const as one list.
func (u *unit) valuesOf(n *node) (values []*node, restricted bool) {
	if e := n.get("enum"); e != nil && e.kind == kindArray && !namesRef(e) {
		values, restricted = unique(e.items), true
	}
	c := n.get("const")
	if c == nil || namesRef(c) || !keywords["const"].applies(u.index.draft) {
		return values, restricted
	}
	if restricted && !slices.ContainsFunc(values, func(v *node) bool { return string(v.bytes()) == string(c.bytes()) }) {
		return nil, true
	}
	return []*node{c}, true
}

// namesRef reports whether data looks like a reference to those who do not know
// that it is data.
func namesRef(n *node) bool {
	for _, m := range n.members {
		if m.key == "$ref" && m.value.kind == kindString || namesRef(m.value) {
			return true
		}
	}
	return slices.ContainsFunc(n.items, namesRef)
}

// typeName answers the narrowest JSON Schema type of a value.
func (n *node) typeName() string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindBool:
		return "boolean"
	case kindString:
		return "string"
	case kindArray:
		return "array"
	case kindObject:
		return "object"
	case kindNumber:
		if r, ok := rational(n); ok && r.IsInt() {
			return "integer"
		}
	}
	return "number"
}

// fitsAny reports whether a value is of one of the types; no types stand for all.
func fitsAny(v *node, types []string) bool {
	name := v.typeName()
	return len(types) == 0 || slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number")
}
