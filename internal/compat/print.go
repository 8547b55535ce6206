package compat

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxPrint bounds the text of one schema, with what it refers to in place.
const maxPrint = 64 << 10

// spelled writes a schema in one spelling: without annotations, the sets sorted, what
// $ref leads to in its place, and a way back to a schema around it as how far out that
// is. Two schemas of one print mean the same. It is "" for one that is too large.
func (o *sub) spelled() string {
	if !o.printed {
		o.printed = true
		p := printer{depth: map[*sub]int{}}
		p.schema(o)
		if !p.full {
			o.text = p.b.String()
		}
	}
	return o.text
}

type printer struct {
	b     strings.Builder
	depth map[*sub]int // of those around
	full  bool
}

func (p *printer) write(s string) {
	if p.full = p.full || p.b.Len()+len(s) > maxPrint; !p.full {
		p.b.WriteString(s)
	}
}

func (p *printer) schema(o *sub) {
	if at, around := p.depth[o]; around {
		p.write("^" + strconv.Itoa(len(p.depth)-at))
		return
	}
	if p.full || len(p.depth) > maxChain {
		p.full = true
		return
	}
	if o.never {
		p.write("false")
		return
	}
	p.depth[o] = len(p.depth)
	defer delete(p.depth, o)
	if t, ok := o.alias(); ok {
		p.schema(t)
		return
	}
	p.write("{")
	for _, keyword := range slices.Sorted(maps.Keys(o.object)) {
		if keyword == "$ref" {
			if t, ok := o.target(); ok {
				p.write("$ref:")
				p.schema(t)
				p.write(",")
				continue
			}
		}
		if r := roleOf(keyword); r != annotation {
			p.write(strconv.Quote(keyword) + ":")
			p.held(o, keyword, r)
			p.write(",")
		}
	}
	p.write("}")
}

// alias answers what a schema leads to that does nothing else.
func (o *sub) alias() (t *sub, ok bool) {
	if t, ok = o.target(); !ok {
		return nil, false
	}
	if o.in.refAlone {
		return t, true
	}
	for keyword := range o.object {
		if keyword != "$ref" && roleOf(keyword) != annotation {
			return nil, false
		}
	}
	return t, true
}

func (p *printer) held(o *sub, keyword string, r role) {
	switch r {
	case one, markOne:
		if _, tuple := o.object[keyword].([]any); !tuple {
			p.schema(o.child(keyword))
			return
		}
		fallthrough
	case list, markList:
		for _, c := range o.children(keyword) {
			p.schema(c)
			p.write(",")
		}
	case members, markMembers:
		for _, name := range o.names(keyword) {
			p.write(strconv.Quote(name) + ":")
			p.schema(o.named(keyword, name))
			p.write(",")
		}
	case annotation, plain, mark:
		v := o.object[keyword]
		if set, ok := v.([]any); ok && (keyword == "type" || keyword == "enum" || keyword == "required") {
			words := make([]string, len(set))
			for i, item := range set {
				words[i] = canonical(item)
			}
			slices.Sort(words)
			p.write(strings.Join(slices.Compact(words), "|"))
			return
		}
		p.write(canonical(v))
	}
}

// canonical writes a value in one spelling: equal values, 1 and 1.0 among them, have one
// text.
func canonical(v any) string {
	switch v := v.(type) {
	case json.Number:
		if r, ok := rational(v); ok {
			return r.RatString()
		}
		return v.String()
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = canonical(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, strconv.Quote(key)+":"+canonical(v[key]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "null"
}

// rational answers a number exactly. A scanned text has none of a size that this could
// not bear.
func rational(v any) (*big.Rat, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetString(n.String())
}
