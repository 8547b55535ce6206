package entrytext

import "slices"

// Kind is what a [Value] is.
type Kind uint8

// The closed set of kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String names the kind, as the object of a sentence.
func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "text", "a list", "an object"}[k]
}

// Value is a value of any of the formats.
type Value struct {
	Kind Kind
	// Text is a scalar: decoded where it is a string, else as it was written. What JSON
	// has no word for, such as a date of TOML, is a String.
	Text    string
	Items   []Value
	Members []Member
}

// Member is one key of a [Map] with its value. Of JSON they stand in the order of the
// text, and a key that stands there twice has two.
type Member struct {
	Key   string
	Value Value
}

// Text is a string.
func Text(s string) Value { return Value{Kind: String, Text: s} }

// Texts is a list of strings.
func Texts(all ...string) Value {
	v := Value{Kind: List}
	for _, s := range all {
		v.Items = append(v.Items, Text(s))
	}
	return v
}

// Flag is true or false.
func Flag(on bool) Value {
	if on {
		return Value{Kind: Bool, Text: "true"}
	}
	return Value{Kind: Bool, Text: "false"}
}

// Object is a map.
func Object(members ...Member) Value { return Value{Kind: Map, Members: members} }

// Get answers the value of a key of a map, the last where the key stands there twice, as
// most readers of JSON have it.
func (v Value) Get(key string) (Value, bool) {
	for _, m := range slices.Backward(v.Members) {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// At answers the value at a path of keys.
func (v Value) At(path []string) (Value, bool) {
	for _, key := range path {
		next, ok := v.Get(key)
		if !ok {
			return Value{}, false
		}
		v = next
	}
	return v, true
}

// Equal reports whether two values are the same. The order of the keys of a map means
// nothing, unless they are the same key.
func (v Value) Equal(o Value) bool {
	if v.Kind != o.Kind || v.Text != o.Text || len(v.Members) != len(o.Members) {
		return false
	}
	if !slices.EqualFunc(v.Items, o.Items, Value.Equal) {
		return false
	}
	places := make(map[string][]int, len(o.Members))
	for i, m := range o.Members {
		places[m.Key] = append(places[m.Key], i)
	}
	for _, m := range v.Members {
		at := places[m.Key]
		if len(at) == 0 || !m.Value.Equal(o.Members[at[0]].Value) {
			return false
		}
		places[m.Key] = at[1:]
	}
	return true
}

// with answers a map with one entry more at a path, whose maps are made where they are
// not there.
func (v Value) with(path []string, name string, entry Value) Value {
	out := Value{Kind: Map, Members: slices.Clone(v.Members)}
	key, inner := name, entry
	if len(path) > 0 {
		key = path[0]
		old, _ := v.Get(key)
		inner = old.with(path[1:], name, entry)
	}
	for i, m := range slices.Backward(out.Members) {
		if m.Key == key {
			out.Members[i].Value = inner
			return out
		}
	}
	out.Members = append(out.Members, Member{key, inner})
	return out
}

// without answers a map without one entry at a path.
func (v Value) without(path []string, name string) Value {
	out := Value{Kind: v.Kind, Members: slices.Clone(v.Members)}
	if len(path) == 0 {
		out.Members = slices.DeleteFunc(out.Members, func(m Member) bool { return m.Key == name })
		return out
	}
	for i, m := range out.Members {
		if m.Key == path[0] {
			out.Members[i].Value = m.Value.without(path[1:], name)
		}
	}
	return out
}

// pruned answers a map without the empty ones that a path leads through.
func (v Value) pruned(path []string) Value {
	if len(path) == 0 {
		return v
	}
	out := Value{Kind: v.Kind, Members: slices.Clone(v.Members)}
	out.Members = slices.DeleteFunc(out.Members, func(m Member) bool {
		return m.Key == path[0] && len(m.Value.pruned(path[1:]).Members) == 0
	})
	return out
}
