package openapi

import (
	"slices"
	"strings"
)

// schema answers a schema as it stands in its place: a reference where it is a
// component of its own, else rewritten.
func (u *unit) schema(n *node) *node {
	if name, ok := u.hoisted[n]; ok {
		return refTo(name)
	}
	return u.rewrite(n)
}

// rewrite answers a schema of the same meaning in the words that generators read.
// Boolean schemas become objects, older drafts 2020-12.
func (u *unit) rewrite(n *node) *node {
	switch {
	case n.isTrue():
		return object()
	case n.isFalse():
		return nothing()
	case n.kind != kindObject:
		return opaque(object(), "what stands here is no schema")
	case u.endless[n], u.inside[n]:
		// Whatever is led back to is a component, unless something was overlooked: a document
		// of somebody else's schemas has an end all the same.
		return opaque(object(), "the schema leads back to itself")
	}
	u.inside[n] = true
	defer delete(u.inside, n)
	target, ok := u.index.target(n)
	if target != nil && u.index.draft <= draft7 {
		return u.reference(target, onlyAnnotations(n))
	}
	words, unread := u.words(n)
	types, values, fits := u.typesOf(n)
	var out *node
	switch {
	case !fits:
		out = nothing()
		for _, w := range words {
			if w.key == "title" || w.key == "description" {
				out.add(w.key, w.value)
			}
		}
	case len(withoutNull(types)) > 1:
		out = u.union(types, values, words)
	default:
		out = u.typed(types, values, words)
	}
	if target != nil {
		out = u.reference(target, out)
	}
	switch {
	case !ok:
		opaque(out, "it refers to a schema that the server did not send")
	case unread != "":
		opaque(out, unread)
	}
	return out
}

// nothing is the schema that no value fits.
func nothing() *node { return object().add("not", object()) }

// opaque marks a schema that says less than the server's own.
func opaque(out *node, why string) *node {
	note := "(Not described further: " + why + ".)"
	if d := stringOf(out.get("description")); d != "" {
		note = d + " " + note
	}
	out.set("description", str(note))
	out.set("x-holotype-opaque", str(why))
	return out
}

// reference puts a reference to a component beside what else a schema says.
// Generators ignore words beside $ref, so words that judge go with allOf.
func (u *unit) reference(target, beside *node) *node {
	ref := u.schema(target)
	name := ref.get("$ref")
	if name == nil {
		return beside // not reached: whatever is referred to is a component
	}
	if !judges(beside) {
		return &node{kind: kindObject, members: append([]member{{"$ref", name}}, beside.members...)}
	}
	if all := beside.get("allOf"); all != nil {
		beside.set("allOf", array(append([]*node{ref}, all.items...)...))
		return beside
	}
	return beside.add("allOf", array(ref))
}

func judges(n *node) bool {
	return slices.ContainsFunc(n.members, func(m member) bool { return !annotation(m.key) })
}

func annotation(key string) bool {
	switch key {
	case "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
		return true
	}
	return strings.HasPrefix(key, "x-")
}

func onlyAnnotations(n *node) *node {
	out := object()
	for _, m := range n.members {
		k, known := keywords[m.key]
		if known && annotation(m.key) && k.form.holds(m.value) {
			out.add(m.key, visible(m.key, m.value))
		}
	}
	return out
}

// words answers the members of a schema that say something in its draft, and why
// some of them could not be read. A word that no draft knows is its author's own
// and gets the prefix that OpenAPI has for that.
func (u *unit) words(n *node) (words []member, unread string) {
	add := func(key string, v *node) {
		if !slices.ContainsFunc(words, func(m member) bool { return m.key == key }) {
			words = append(words, member{key, v})
		}
	}
	for _, m := range n.members {
		k, known := keywords[m.key]
		switch {
		case !known || !k.applies(u.index.draft):
			// Resolvers of references look into these, too.
			if key := extension(m.key); key != "" && len(words) < maxWords && !namesRef(m.value) {
				add(key, m.value)
			}
		case k.form == formDropped:
		case !k.form.holds(m.value):
			if m.key != "default" && m.key != "examples" {
				unread = "the value of " + m.key + " is not one that JSON Schema knows"
			}
		case (m.key == "default" || m.key == "examples" || m.key == "example") && namesRef(m.value):
			// Resolvers of references look into data too.
		case m.key == "discriminator":
			if d := u.discriminator(n); d != nil {
				add(m.key, d)
			}
		case (m.key == "enum" || m.key == "const") && namesRef(m.value):
			unread = "its values look like references"
		case m.key == "prefixItems" && u.selfLists[n]:
			unread = "it is a list of itself"
		case m.key == "items" && u.selfLists[n]:
			if m.value.kind != kindArray && n.get("prefixItems") == nil && n.get("not") == nil {
				add("not", noOther(m.value))
			} else {
				unread = "it is a list of itself"
			}
		case m.key == "items" && m.value.kind == kindArray:
			// The list of the drafts before 2020-12: its rest stood in additionalItems.
			if len(m.value.items) > 0 {
				add("prefixItems", m.value)
			}
			if rest := n.get("additionalItems"); rest != nil && !rest.isTrue() && formSchema.holds(rest) {
				add("items", rest)
			}
		case m.key == "additionalItems":
		case m.key == "example":
			if n.get("examples") == nil {
				add("examples", array(m.value))
			}
		default:
			add(m.key, visible(m.key, m.value))
		}
	}
	return words, unread
}

// noOther says what the elements of an array are in words that generators of types
// do not follow: no element is anything else. A type that is a list of itself
// without an object between is one that TypeScript cannot write down.
func noOther(items *node) *node {
	return object().str("type", "array").add("contains", object().add("not", items))
}

// maxWords bounds the annotations of one schema that are passed on: comparing
// each with all must not cost more than reading them.
const maxWords = 200

// extension answers the key under which an unknown word may stand in OpenAPI.
func extension(word string) string {
	if strings.HasPrefix(word, "x-") {
		return word
	}
	// Without its $ it could be a word of OpenAPI, whose value nobody has judged.
	word = strings.TrimPrefix(word, "$")
	for i := range len(word) {
		c := word[i] | 0x20
		if (c < 'a' || c > 'z') && (word[i] < '0' || word[i] > '9') && word[i] != '_' && word[i] != '-' {
			return ""
		}
	}
	return "x-" + word
}

// typed writes a schema of at most one type beside null.
func (u *unit) typed(types []string, values []*node, words []member) *node {
	out := object()
	switch len(types) {
	case 0:
	case 1:
		out.str("type", types[0])
	default:
		out.add("type", strs(types...))
	}
	if values != nil && !(len(types) == 1 && types[0] == "null") {
		out.add("enum", array(values...))
	}
	b := bounds{integer: slices.Contains(types, "integer"), number: slices.Contains(types, "number"), foreign: u.foreign}
	for _, w := range words {
		switch w.key {
		case "type", "enum", "const", "nullable", "$ref", "$dynamicRef", "$recursiveRef":
		case "default":
			if fitsAny(w.value, types) {
				out.add(w.key, w.value)
			} else if w.value.kind != kindNull {
				out.add("x-holotype-default", w.value)
			}
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
			b.read(w.key, w.value)
		default:
			u.word(out, w.key, w.value)
		}
	}
	b.write(out)
	if slices.Contains(types, "array") && out.get("items") == nil {
		out.add("items", object()) // the same meaning, and some readers insist
	}
	return out
}

// union writes a schema of several types as one alternative a type, each with the
// words that speak of it.
func (u *unit) union(types []string, values []*node, words []member) *node {
	var alternatives []*node
	for _, t := range types {
		var mine []member
		for _, w := range words {
			if w.key != "default" && speaksOf(w) == t || t == "integer" && speaksOf(w) == "number" {
				mine = append(mine, w)
			}
		}
		var own []*node
		for _, v := range values {
			if fitsAny(v, []string{t}) {
				own = append(own, v)
			}
		}
		alternatives = append(alternatives, u.typed([]string{t}, own, mine))
	}
	var rest []member
	for _, w := range words {
		if speaksOf(w) == "" {
			rest = append(rest, w)
		}
	}
	out := u.typed(nil, nil, rest)
	if out.get("anyOf") == nil {
		return out.add("anyOf", array(alternatives...))
	}
	also := object().add("anyOf", array(alternatives...))
	if all := out.get("allOf"); all != nil {
		out.set("allOf", array(append(slices.Clone(all.items), also)...))
		return out
	}
	return out.add("allOf", array(also))
}

// speaksOf answers the type that a word judges, or "" for every type.
func speaksOf(w member) string {
	if w.key == "format" {
		switch stringOf(w.value) {
		case "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double":
			return "number"
		}
	}
	return wordType[w.key]
}
