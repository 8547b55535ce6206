package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// branch is why one alternative of a union refused the value.
type branch []finding

// union picks what to say when no alternative of anyOf or oneOf fits. Listing every alternative's complaints helps nobody:
// the caller meant one of them. In order: alternatives of another type go; alternatives whose discriminator does not match
// go; of the rest, the one that was followed deepest speaks, the one with fewest complaints if that is a tie.
func (x *explainer) union(e *jsonschema.ValidationError, keyword string) []finding {
	at := e.InstanceLocation
	var all []branch
	for _, cause := range e.Causes {
		if list := x.flatten(cause); len(list) > 0 {
			all = append(all, list)
		}
	}
	if len(all) == 0 {
		return []finding{newFinding(at, keyword, e.ErrorKind, func() string { return "fits none of the alternatives" })}
	}
	left := slices.DeleteFunc(slices.Clone(all), func(b branch) bool { return b.otherType(len(at)) })
	if len(left) == 0 {
		return []finding{mergeTypes(at, all)}
	}
	if merged, ok := mergeChoices(left); ok {
		return []finding{merged}
	}
	if same := slices.DeleteFunc(slices.Clone(left), branch.otherChoice); len(same) > 0 {
		left = same
	}
	if merged, ok := mergeRequired(at, keyword, left); ok {
		return []finding{merged}
	}
	best := left[0]
	for _, b := range left[1:] {
		if b.depth() > best.depth() || b.depth() == best.depth() && len(b) < len(best) {
			best = b
		}
	}
	return best
}

func (b branch) depth() int {
	deepest := 0
	for _, f := range b {
		deepest = max(deepest, len(f.path))
	}
	return deepest
}

// otherType says that the branch wants another type of value than it got.
func (b branch) otherType(depth int) bool {
	return slices.ContainsFunc(b, func(f finding) bool {
		_, ok := f.cause.(*kind.Type)
		return ok && len(f.path) == depth
	})
}

// choices is how many fixed values a finding asked for, 0 when it asked for something else.
func (f finding) choices() int {
	switch k := f.cause.(type) {
	case *kind.Const:
		return 1
	case *kind.Enum:
		return len(k.Want)
	case *merged:
		n := 0
		for _, part := range k.parts {
			n += part.choices()
		}
		return n
	}
	return 0
}

// merged is the one answer of several alternatives that ask for fixed values at one place.
type merged struct {
	jsonschema.ErrorKind // an empty enum, for its keyword
	parts                []finding
}

// enum lists the values once each.
func (m *merged) enum() *kind.Enum {
	all, seen := &kind.Enum{}, map[string]bool{}
	for _, part := range m.parts {
		own := &kind.Enum{}
		switch k := part.cause.(type) {
		case *kind.Const:
			own = &kind.Enum{Got: k.Got, Want: []any{k.Want}}
		case *kind.Enum:
			own = k
		case *merged:
			own = k.enum()
		}
		all.Got = own.Got
		for _, want := range own.Want {
			if text := show(want); !seen[text] {
				seen[text] = true
				all.Want = append(all.Want, want)
			}
		}
	}
	return all
}

// otherChoice says that a discriminator, a field with one allowed value, does not match.
func (b branch) otherChoice() bool {
	return slices.ContainsFunc(b, func(f finding) bool { return f.choices() == 1 })
}

// mergeTypes words a value that has the type of no alternative.
func mergeTypes(at []string, all []branch) finding {
	wrong := &kind.Type{}
	for _, b := range all {
		for _, f := range b {
			if k, ok := f.cause.(*kind.Type); ok {
				wrong.Got = k.Got
				for _, want := range k.Want {
					if !slices.Contains(wrong.Want, want) {
						wrong.Want = append(wrong.Want, want)
					}
				}
			}
		}
	}
	return worded(at, wrong)
}

// mergeChoices words a discriminator (or the value itself) that matches no alternative: every branch asks for fixed values
// at one and the same place.
func mergeChoices(all []branch) (finding, bool) {
	if len(all) < 2 {
		return finding{}, false
	}
next:
	for _, candidate := range all[0] {
		if candidate.choices() == 0 {
			continue
		}
		m := &merged{ErrorKind: &kind.Enum{}}
		for _, b := range all {
			i := slices.IndexFunc(b, func(f finding) bool { return f.choices() > 0 && f.pointer == candidate.pointer })
			if i < 0 {
				continue next
			}
			m.parts = append(m.parts, b[i])
		}
		return worded(candidate.path, m), true
	}
	return finding{}, false
}

// mergeRequired words alternatives that differ only in which fields must be there.
func mergeRequired(at []string, keyword string, all []branch) (finding, bool) {
	if len(all) < 2 {
		return finding{}, false
	}
	options := map[string]bool{}
	var order []string
	for _, b := range all {
		names := map[string]bool{}
		for _, f := range b {
			if _, ok := f.cause.(*kind.Required); !ok || len(f.path) != len(at)+1 {
				return finding{}, false
			}
			names[quote(last(f.path))] = true
		}
		if option := strings.Join(slices.Sorted(maps.Keys(names)), " and "); !options[option] {
			options[option] = true
			order = append(order, option)
		}
	}
	return newFinding(at, keyword, nil, func() string { return "must have " + cut(strings.Join(order, ", or "), 200) }), true
}
