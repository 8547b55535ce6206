package openapi

import (
	"slices"
)

// word writes one keyword that needs no other one to be understood.
func (u *unit) word(out *node, key string, v *node) {
	k := keywords[key]
	switch k.form {
	case formSchema, formItems:
		u.single(out, key, v)
	case formSchemas:
		list := array()
		for _, sub := range v.items {
			list.items = append(list.items, u.schema(sub))
		}
		switch key {
		case "anyOf":
			list = joined(array(unique(list.items)...))
		case "oneOf":
			list = joined(list)
		}
		out.add(key, list)
	case formSchemaMap:
		out.add(key, u.schemaMap(v))
	case formDependencies:
		u.dependencies(out, v)
	case formSize:
		if n, ok := size(key, v.text); ok {
			out.add(key, number(n))
		}
	case formStrings:
		if list := unique(v.items); len(list) > 0 {
			out.add(key, array(list...))
		}
	default:
		out.add(key, v)
	}
}

func (u *unit) single(out *node, key string, v *node) {
	if v.kind == kindBool && (key == "additionalProperties" || key == "unevaluatedProperties") {
		out.add(key, v)
		return
	}
	out.add(key, u.schema(v))
}

func (u *unit) schemaMap(v *node) *node {
	out := object()
	for _, m := range v.members {
		out.add(m.key, u.schema(m.value))
	}
	return out
}

// dependencies splits the word of draft 7 into its two successors.
func (u *unit) dependencies(out, v *node) {
	required, schemas := object(), object()
	for _, m := range v.members {
		if m.value.kind == kindArray {
			required.add(m.key, array(unique(m.value.items)...))
		} else {
			schemas.add(m.key, u.schema(m.value))
		}
	}
	if len(required.members) > 0 {
		out.add("dependentRequired", required)
	}
	if len(schemas.members) > 0 {
		out.add("dependentSchemas", schemas)
	}
}

// discriminator answers OpenAPI's word, as generators of schemas write it, with
// its mapping led to the components. It is dropped where an alternative is no
// component or the mapping does not name it: generators stop at that.
func (u *unit) discriminator(n *node) *node {
	d := n.get("discriminator")
	property, mapping := d.get("propertyName"), d.get("mapping")
	alternatives := n.get("oneOf")
	if alternatives == nil {
		alternatives = n.get("anyOf")
	}
	if property == nil || property.kind != kindString || !mapping.isObject() || alternatives == nil {
		return nil
	}
	led, named := object(), map[*node]bool{}
	for _, m := range mapping.members {
		target := u.index.resolve(u.index.base[n], stringOf(m.value))
		name, ok := u.hoisted[target]
		if !ok {
			return nil
		}
		named[target] = true
		led.str(m.key, "#/components/schemas/"+name)
	}
	for _, a := range alternatives.items {
		if target, _ := u.index.target(a); !named[target] {
			return nil
		}
	}
	return object().add("propertyName", property).add("mapping", led)
}

// joined answers the alternatives of a union with lists of values of one type as
// one list: generators tell alternatives apart by their types. Lists that share a
// value stay apart, since oneOf refuses it.
func joined(list *node) *node {
	out, at := array(), map[string]int{}
	for _, n := range list.items {
		t, values := stringOf(n.get("type")), n.get("enum")
		if len(n.members) != 2 || t == "" || values == nil {
			out.items = append(out.items, n)
			continue
		}
		if i, ok := at[t]; ok {
			both := slices.Concat(out.items[i].get("enum").items, values.items)
			if len(unique(both)) == len(both) {
				out.items[i] = object().str("type", t).add("enum", array(both...))
				continue
			}
		}
		at[t] = len(out.items)
		out.items = append(out.items, n)
	}
	return out
}

func unique(list []*node) []*node {
	var out []*node
	seen := map[string]bool{}
	for _, n := range list {
		if text := string(n.bytes()); !seen[text] {
			seen[text] = true
			out = append(out, n)
		}
	}
	return out
}

// holds reports whether a value is of the form a keyword needs.
func (f form) holds(v *node) bool {
	switch f {
	case formString:
		return v.kind == kindString
	case formNumber:
		_, ok := rational(v)
		return ok
	case formSize:
		r, ok := rational(v)
		return ok && r.IsInt() && r.Sign() >= 0
	case formBool:
		return v.kind == kindBool
	case formBound:
		_, ok := rational(v)
		return ok || v.kind == kindBool
	case formStrings:
		return stringList(v)
	case formList:
		return v.kind == kindArray
	case formObject, formSchemaMap:
		return v.kind == kindObject
	case formSchema:
		return v.kind == kindObject || v.kind == kindBool
	case formSchemas:
		return v.kind == kindArray && len(v.items) > 0
	case formItems:
		return v.kind == kindArray || v.kind == kindObject || v.kind == kindBool
	case formDependencies:
		return v.kind == kindObject && !slices.ContainsFunc(v.members, func(m member) bool {
			return m.value.kind != kindObject && m.value.kind != kindBool && !stringList(m.value)
		})
	case formDependent:
		return v.kind == kindObject && !slices.ContainsFunc(v.members, func(m member) bool { return !stringList(m.value) })
	case formType:
		return v.kind == kindString && jsonType(v.text) ||
			stringList(v) && len(v.items) > 0 && !slices.ContainsFunc(v.items, func(n *node) bool { return !jsonType(n.text) })
	case formAny, formDropped:
	}
	return true
}

func stringList(v *node) bool {
	return v.kind == kindArray && !slices.ContainsFunc(v.items, func(n *node) bool { return n.kind != kindString })
}

func jsonType(name string) bool {
	return slices.Contains([]string{"string", "number", "integer", "boolean", "object", "array", "null"}, name)
}
