package config

import (
	"slices"
	"strings"
)

// field is one key of an object: its names, the first of which is the one to write, what it means, and where its value goes.
type field[T any] struct {
	names    []string
	doc      string
	def      string // the default as JSON, empty when there is none to state
	required bool
	// refusal is what to say to who gives the key, which does not exist: it stands in no schema and is not suggested.
	refusal string
	schema  *schema
	read    func(d *decoder, n *node, path string, into *T) bool
}

// key declares a field by its place in T.
func key[T, V any](name, doc string, of shape[V], place func(*T) *V) field[T] {
	return field[T]{names: []string{name}, doc: doc, schema: of.schema, read: func(d *decoder, n *node, path string, into *T) bool {
		v, ok := of.read(d, n, path)
		*place(into) = v
		return ok
	}}
}

// also gives a field more spellings. At most one of them may be used.
func (f field[T]) also(names ...string) field[T] {
	f.names = append(slices.Clone(f.names), names...)
	return f
}

// needed makes a field one that must be given.
func (f field[T]) needed() field[T] {
	f.required = true
	return f
}

// defaulting states the default, as JSON, for the schema only.
func (f field[T]) defaulting(json string) field[T] {
	f.def = json
	return f
}

// refused declares a key that does not exist, for which the refusal has more to say than that.
func refused[T any](name, words string) field[T] {
	return field[T]{names: []string{name}, refusal: words}
}

// object accepts an object of fields and nothing else. check, which may be nil, judges what no field can alone; a field that is not in
// order has its zero value, or what of it could be read.
func object[T any](fields []field[T], variants []variant, check func(d *decoder, n *node, path string, v *T) bool) shape[T] {
	byName := map[string]*field[T]{}
	var known []string
	for i := range fields {
		for _, name := range fields[i].names {
			byName[name] = &fields[i]
			if fields[i].refusal == "" {
				known = append(known, name)
			}
		}
	}
	return shape[T]{schema: objectSchema(fields, variants), read: func(d *decoder, n *node, path string) (T, bool) {
		var out T
		if n.kind != kindObject {
			d.fault(n.line, path, "must be an object, not %s", n.kind)
			return out, false
		}
		ok := !n.torn
		used := map[*field[T]]string{}
		for _, m := range n.members {
			p := under(path, m.key)
			f := byName[m.key]
			if f == nil {
				d.fault(m.line, p, "no such key%s", meant(m.key, known))
				ok = false
				continue
			}
			if f.refusal != "" {
				d.fault(m.line, p, "%s", f.refusal)
				ok = false
				continue
			}
			if first, twice := used[f]; twice {
				d.fault(m.line, p, "%s says the same; keep one", first)
				ok = false
				continue
			}
			used[f] = m.key
			ok = f.read(d, m.value, p, &out) && ok
		}
		for i := range fields {
			if _, given := used[&fields[i]]; fields[i].required && !given && !n.torn {
				d.fault(n.line, path, "%s is missing", fields[i].names[0])
				ok = false
			}
		}
		ok = fitVariants(d, n, path, variants, ok) && ok
		if check != nil {
			ok = check(d, n, path, &out) && ok
		}
		return out, ok
	}}
}

func objectSchema[T any](fields []field[T], variants []variant) *schema {
	s := &schema{Type: []string{"object"}, AdditionalProperties: nothing()}
	for _, f := range fields {
		if f.refusal != "" {
			continue
		}
		value := f.schema.described(f.doc)
		value.Default = []byte(f.def)
		s.Properties = append(s.Properties, property{f.names[0], value})
		for _, name := range f.names[1:] {
			s.Properties = append(s.Properties, property{name, f.schema.described("The same as " + f.names[0] + ".")})
		}
		if f.required {
			s.Required = append(s.Required, f.names[0])
		}
	}
	for _, v := range variants {
		s.OneOf = append(s.OneOf, v.schema())
	}
	return s
}

// variant is one of several ways to fill an object, told by the one key that only it has.
type variant struct {
	key string
	// excludes are the keys that mean nothing beside it.
	excludes []string
	// words are what each of the switches may say beside it.
	switches []string
	words    []string
}

func (v variant) schema() *schema {
	s := &schema{Required: []string{v.key}}
	for _, k := range v.excludes {
		s.Properties = append(s.Properties, property{k, nothing()})
	}
	for _, k := range v.switches {
		words := &schema{}
		for _, w := range v.words {
			words.Enum = append(words.Enum, quoted(w))
		}
		s.Properties = append(s.Properties, property{k, words})
	}
	return s
}

// fitVariants reports an object that has none of the keys, several, or one with what does not belong to it. In an object that is faulty
// already, none of the keys is most likely one of them misspelt, which was reported.
func fitVariants(d *decoder, n *node, path string, variants []variant, inOrder bool) bool {
	if len(variants) == 0 {
		return true
	}
	var keys, words []string
	var found []variant
	for _, v := range variants {
		keys, words = append(keys, v.key), append(words, v.words...)
		if n.get(v.key) != nil {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 0:
		if !inOrder {
			return false
		}
		d.fault(n.line, path, "needs %s: command for a program to start, url for a server to reach", joinOr(keys))
		return false
	case 1:
	default:
		d.fault(n.lineOf(found[1].key), path, "has both %s and %s; keep one: command for a program to start, url for a server to reach", found[0].key, found[1].key)
		return false
	}
	v, ok := found[0], true
	for _, k := range v.excludes {
		if n.get(k) != nil {
			d.fault(n.lineOf(k), under(path, k), "means nothing beside %s; remove it", v.key)
			ok = false
		}
	}
	for _, k := range v.switches {
		// A word that fits no variant was refused by the shape of the switch.
		if w := n.get(k); w != nil && w.kind == kindText && slices.Contains(words, w.text) && !slices.Contains(v.words, w.text) {
			d.fault(w.line, under(path, k), "must be %s beside %s", joinOr(v.words), v.key)
			ok = false
		}
	}
	return ok
}

func joinOr(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
