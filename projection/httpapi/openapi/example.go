package openapi

import (
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// call is a declared example that is not refused.
type call struct {
	key  string // in an examples object
	name string
	args *node
}

func examplesOf(c *capabilities.Capability) []call {
	var all []call
	for _, ex := range c.Examples() {
		if ex.Refuses != "" {
			continue
		}
		args, err := parse([]byte(ex.In))
		if err != nil || !args.isObject() {
			continue // not reached: assembly reads every example
		}
		key := strings.Trim(strings.Join(strings.Fields(strings.Map(slug, strings.ToLower(ex.Name))), "-"), "-")
		all = append(all, call{key, ex.Name, args})
	}
	return all
}

func slug(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return ' '
}

// exampleValues answers the examples of one field, or nil. Of examples with the
// same value the first stands for all.
func exampleValues(calls []call, field string) *node {
	out := object()
	for _, c := range calls {
		v := c.args.get(field)
		if v == nil || holds(out, v) {
			continue
		}
		out.set(c.keyIn(out), object().str("summary", c.name).add("value", v))
	}
	return orNil(out)
}

// bodyExamples answers the examples of a body: the arguments that travel in it.
func bodyExamples(calls []call, in *side) *node {
	out := object()
	for _, c := range calls {
		v := object()
		for _, m := range c.args.members {
			if in.field(m.key) != nil {
				v.add(m.key, m.value)
			}
		}
		if !holds(out, v) {
			out.set(c.keyIn(out), object().str("summary", c.name).add("value", v))
		}
	}
	return orNil(out)
}

func (c call) keyIn(examples *node) string {
	key := c.key
	for key == "" || examples.get(key) != nil {
		key += "x"
	}
	return key
}

func holds(examples, value *node) bool {
	for _, m := range examples.members {
		if same(m.value.get("value"), value) {
			return true
		}
	}
	return false
}

func orNil(n *node) *node {
	if len(n.members) == 0 {
		return nil
	}
	return n
}
