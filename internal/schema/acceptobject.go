package schema

import (
	"maps"
	"slices"
)

type objectRule struct {
	names    []string
	rules    []*rule
	index    map[string]int // only for many names
	required uint64         // bits over names
	others   *rule          // what fields that are not named must fit; never = closed
	min, max int
}

func (a *acceptor) fields(r *objectRule, i, depth int) int {
	d, count := a.data, 0
	var seen uint64
	var others keySet
	expect := 0 // callers mostly send fields in the schema's order
	if i = skipSpace(d, i+1); i < len(d) && d[i] == '}' {
		if r.required != 0 || r.min > 0 {
			return -1
		}
		return i + 1
	}
	for {
		if i >= len(d) || d[i] != '"' {
			return -1
		}
		start := i + 1
		next, escaped, f := readString(d, i)
		a.charge(i, next)
		if f != flawless || escaped {
			return -1
		}
		sub := r.others
		if at := r.find(d[start:next-1], expect); at >= 0 {
			bit := uint64(1) << at
			if seen&bit != 0 {
				return -1
			}
			seen |= bit
			sub, expect = r.rules[at], at+1
		} else if sub.never || !others.add(d, start, next-1, false) {
			return -1
		}
		if i = skipSpace(d, next); i >= len(d) || d[i] != ':' {
			return -1
		}
		if i = a.value(sub, skipSpace(d, i+1), depth); i < 0 {
			return -1
		}
		count++
		if i = skipSpace(d, i); i >= len(d) {
			return -1
		}
		switch d[i] {
		case ',':
			i = skipSpace(d, i+1)
		case '}':
			if seen&r.required != r.required || count < r.min || count > r.max {
				return -1
			}
			return i + 1
		default:
			return -1
		}
	}
}

// find answers the place of a named field or -1; expect is where to look first.
func (r *objectRule) find(name []byte, expect int) int {
	if expect < len(r.names) && r.names[expect] == string(name) {
		return expect
	}
	if r.index != nil {
		if at, ok := r.index[string(name)]; ok {
			return at
		}
		return -1
	}
	for at, known := range r.names {
		if known == string(name) {
			return at
		}
	}
	return -1
}

// maxNamed is how many named fields one object rule follows: as many as fit its bit sets.
const maxNamed = 64

func (b *ruleBuilder) readObject(r *rule, object map[string]any, pointer string) bool {
	low, ok1 := size(object, "minProperties", 0)
	high, ok2 := size(object, "maxProperties", unbounded)
	properties, hasProperties := object["properties"].(map[string]any)
	required, hasRequired := object["required"].([]any)
	additional, hasAdditional := object["additionalProperties"]
	if !ok1 || !ok2 {
		return false
	}
	if !hasProperties && !hasRequired && !hasAdditional && low == 0 && high == unbounded {
		return true
	}
	o := &objectRule{others: &rule{free: true}, min: low, max: high}
	r.object = o
	if hasAdditional {
		o.others = b.build(additional, pointer+"/additionalProperties")
	}
	o.names = slices.Sorted(maps.Keys(properties))
	for _, name := range o.names {
		o.rules = append(o.rules, b.build(properties[name], pointer+"/properties/"+tokenEscaper.Replace(name)))
	}
	for _, item := range required {
		name, ok := item.(string)
		if !ok {
			return false
		}
		if !slices.Contains(o.names, name) {
			o.names = append(o.names, name)
			o.rules = append(o.rules, o.others)
		}
	}
	if len(o.names) > maxNamed {
		return false
	}
	for _, item := range required {
		name, _ := item.(string)
		o.required |= 1 << slices.Index(o.names, name)
	}
	if len(o.names) > 4 {
		o.index = make(map[string]int, len(o.names))
		for i, name := range o.names {
			o.index[name] = i
		}
	}
	return true
}

func (r *objectRule) reorder(order []string) { // at most maxNamed names
	names, rules, required := make([]string, 0, len(r.names)), make([]*rule, 0, len(r.rules)), uint64(0)
	take := func(name string) {
		at := slices.Index(r.names, name)
		if at < 0 || slices.Contains(names, name) {
			return
		}
		if r.required&(1<<at) != 0 {
			required |= 1 << len(names)
		}
		names, rules = append(names, name), append(rules, r.rules[at])
		if r.index != nil {
			r.index[name] = len(names) - 1
		}
	}
	for _, name := range slices.Concat(order, r.names) {
		take(name)
	}
	r.names, r.rules, r.required = names, rules, required
}
