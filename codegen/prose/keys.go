package prose

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// keyTree is the part of a JSON Schema that says which keys may stand where. The nil tree
// knows no key.
type keyTree struct {
	Properties map[string]*keyTree `json:"properties"`
	More       *keyTree            `json:"additionalProperties"`
	Items      *keyTree            `json:"items"`
	AnyOf      []*keyTree          `json:"anyOf"`
	OneOf      []*keyTree          `json:"oneOf"`
	AllOf      []*keyTree          `json:"allOf"`
	never      bool
}

// UnmarshalJSON reads true and false beside objects.
func (k *keyTree) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "true":
		return nil
	case "false":
		k.never = true
		return nil
	}
	type plain keyTree
	return json.Unmarshal(data, (*plain)(k))
}

func newKeyTree(schema []byte) (*keyTree, error) {
	if len(schema) == 0 {
		return nil, nil //nolint:nilnil // no schema is no key, and the nil tree says so
	}
	var k keyTree
	if err := json.Unmarshal(schema, &k); err != nil {
		return nil, fmt.Errorf("reading the schema of the configuration: %w", err)
	}
	return &k, nil
}

// names are the keys of the first level, in order.
func (k *keyTree) names() []string {
	if k == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(k.Properties))
}

// words are the keys of every level.
func (k *keyTree) words() []string {
	all := map[string]bool{}
	k.each(0, func(name string) { all[name] = true })
	return slices.Sorted(maps.Keys(all))
}

const maxKeyDepth = 32

func (k *keyTree) each(depth int, f func(name string)) {
	if k == nil || depth > maxKeyDepth {
		return
	}
	for name, below := range k.Properties {
		f(name)
		below.each(depth+1, f)
	}
	for _, below := range slices.Concat([]*keyTree{k.More, k.Items}, k.AnyOf, k.OneOf, k.AllOf) {
		below.each(depth+1, f)
	}
}

// place is what may stand at one place of a document: any of some schemas. None of them
// is anything.
type place []*keyTree

// spread adds the alternatives that a schema names.
func (p place) spread(k *keyTree, depth int) place {
	if k == nil || k.never || depth > maxKeyDepth {
		return p
	}
	p = append(p, k)
	for _, one := range slices.Concat(k.AnyOf, k.OneOf, k.AllOf) {
		p = p.spread(one, depth+1)
	}
	return p
}

// names are the keys that are known at a place.
func (p place) names() (keys []string) {
	for _, k := range p {
		keys = append(keys, k.names()...)
	}
	return keys
}

// within answers what may stand under a key. known is false where it is none of those that
// may stand at the place.
func (p place) within(key string) (below place, known bool) {
	closed := false
	for _, k := range p {
		if one, ok := k.Properties[key]; ok {
			below, known = below.spread(one, 0), true
		} else if k.More != nil && !k.More.never {
			below, known = below.spread(k.More, 0), true
		}
		closed = closed || len(k.Properties) > 0
	}
	return below, known || !closed
}

// item answers what may stand in a list.
func (p place) item() (below place) {
	for _, k := range p {
		below = below.spread(k.Items, 0)
	}
	return below
}

// whyKey judges the path of a key: gate.deny, mcp_servers[].name, mcp_servers.NAME.url.
func (j *judge) whyKey(path string) verdict {
	at := place{}.spread(j.truth.keys, 0)
	where := ""
	for segment := range strings.SplitSeq(strings.ReplaceAll(path, "[]", ".[]"), ".") {
		if segment == "[]" {
			at = at.item()
			continue
		}
		below, known := at.within(segment)
		switch {
		case segment == "*" || strings.HasPrefix(segment, "<"):
			return verdict{}
		case !known && where == "":
			return j.missing("key of the configuration", segment, at.names())
		case !known:
			return j.missing("key below "+where+" in the configuration", segment, at.names())
		}
		at, where = below, strings.TrimPrefix(where+"."+segment, ".")
		if len(at.item()) > 0 { // a.b is what each b of a list a has
			at = append(at, at.item()...)
		}
	}
	return verdict{}
}
