package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Schema is one JSON Schema as it is compared. It is not safe for concurrent use.
type Schema struct {
	raw       []byte
	root      *sub
	subs      map[string]*sub // by pointer
	refAlone  bool            // drafts up to 7 ignore what stands beside $ref
	judge     *schema.Schema
	judgeFail error
	judged    bool
}

// Read reads a schema: draft 6, 7, 2019-09 or 2020-12, the last where it does not say.
// The error says why the text is none: it is no JSON, neither an object nor a boolean,
// or names another dialect.
func Read(raw []byte) (*Schema, error) {
	if f := schema.Scan(raw); f != nil {
		return nil, f
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	s := &Schema{raw: raw, subs: map[string]*sub{}}
	switch v := root.(type) {
	case bool:
	case map[string]any:
		uri, _ := v["$schema"].(string)
		switch bare := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(uri, "#"), "https://"), "http://"); bare {
		case "", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema", "json-schema.org/schema":
		case "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema":
			s.refAlone = true
		default:
			return nil, fmt.Errorf("the dialect %q is not known: use https://json-schema.org/draft/2020-12/schema", uri)
		}
	default:
		return nil, fmt.Errorf("a schema is an object or a boolean, not %s", brief(root))
	}
	s.root = s.at("", root)
	return s, nil
}

// sub is one schema within a [Schema].
type sub struct {
	in     *Schema
	ptr    string // RFC 6901, "" for the root
	never  bool   // false, or what is no schema
	object map[string]any

	text    string // see spelled
	printed bool
	listed  map[string]bool // the values of enum, once asked for
}

// at answers the schema at a pointer, made of value the first time.
func (s *Schema) at(ptr string, value any) *sub {
	if one, ok := s.subs[ptr]; ok {
		return one
	}
	one := &sub{in: s, ptr: ptr}
	switch v := value.(type) {
	case bool:
		one.never = !v
	case map[string]any:
		one.object = v
	default:
		one.never = true
	}
	s.subs[ptr] = one
	return one
}

// child answers the schema that a keyword holds, or nil.
func (o *sub) child(keyword string) *sub {
	v, ok := o.object[keyword]
	if !ok {
		return nil
	}
	return o.in.at(o.ptr+"/"+escape(keyword), v)
}

// children answers the schemas of a keyword that holds a list of them.
func (o *sub) children(keyword string) []*sub {
	list, _ := o.object[keyword].([]any)
	all := make([]*sub, len(list))
	for i, v := range list {
		all[i] = o.in.at(o.ptr+"/"+escape(keyword)+"/"+strconv.Itoa(i), v)
	}
	return all
}

// named answers the schema of one member of a keyword that holds a map of them, or nil.
func (o *sub) named(keyword, name string) *sub {
	m, _ := o.object[keyword].(map[string]any)
	v, ok := m[name]
	if !ok {
		return nil
	}
	return o.in.at(o.ptr+"/"+escape(keyword)+"/"+escape(name), v)
}

// names answers the members of a keyword that holds a map of schemas, sorted.
func (o *sub) names(keyword string) []string {
	m, _ := o.object[keyword].(map[string]any)
	return slices.Sorted(maps.Keys(m))
}

// target answers what the local $ref leads to; ok is false for any other.
func (o *sub) target() (t *sub, ok bool) {
	ref, _ := o.object["$ref"].(string)
	path, local := strings.CutPrefix(ref, "#")
	path, err := url.PathUnescape(path)
	if !local || err != nil || path != "" && path[0] != '/' {
		return nil, false
	}
	if path == "" {
		return o.in.root, true
	}
	var at any = o.in.root.object
	for token := range strings.SplitSeq(path[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch v := at.(type) {
		case map[string]any:
			at, ok = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if ok = err == nil && i >= 0 && i < len(v); ok {
				at = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return o.in.at(path, at), true
}

// escape writes a token of a JSON pointer.
func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
