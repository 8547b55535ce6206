package conformance

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// published are the schemas of one capability on one surface; nil where it has none.
type published struct {
	where         string
	input, output *schema.Schema
}

// judgeSchemas: what was taken and what was answered fits what every surface publishes.
func (r *run) judgeSchemas() {
	compiled := map[string][]published{}
	for _, x := range slices.Concat(r.calls, r.later) {
		name := x.c.Name()
		all, ok := compiled[name]
		if !ok {
			all = r.published(name)
			compiled[name] = all
		}
		for _, a := range x.answers {
			if a.unheard != "" || a.code != "" {
				continue
			}
			for _, p := range all {
				r.fits(name, p.where+" publishes an input that does not take the sample "+x.sample.Name, p.input, []byte(x.sample.In))
				r.fits(name, p.where+" publishes an output that the answer over "+a.way+" to "+x.sample.Name+" does not fit", p.output, a.structured)
			}
		}
	}
}

func (r *run) fits(name, otherwise string, s *schema.Schema, value []byte) {
	if s == nil {
		return
	}
	r.judged(Schemas, 1)
	if found := s.Validate(value); len(found) > 0 {
		r.found(Schemas, name, "%s: %s %s", otherwise, found[0].Pointer, found[0].Message)
	}
}

// published compiles the schemas of a capability.
func (r *run) published(name string) (all []published) {
	compile := func(where string, raw json.RawMessage) *schema.Schema {
		if len(raw) == 0 {
			return nil
		}
		s, err := schema.Compile(raw)
		if err != nil {
			r.found(Schemas, name, "the schema of %s cannot be read: %v", where, err)
		}
		return s
	}
	if raw, ok := r.list.mcp[name]; ok {
		all = append(all, published{
			"tools/list",
			compile("the input in tools/list", rawjson.Member(raw, "inputSchema")), compile("the output in tools/list", rawjson.Member(raw, "outputSchema")),
		})
	}
	if o, ok := r.list.http[name]; ok {
		if c, known := r.Registry.Find(name); known && !c.HasBlocks() {
			all = append(all, published{"the OpenAPI document", nil, compile("the answer in the OpenAPI document", r.whole(o.Responses["200"].Content["application/json"].Schema))})
		}
	}
	return all
}

// component is a reference into the components of a document.
var component = regexp.MustCompile(`"#/components/schemas/([^"]+)"`)

// whole answers a schema of the document with what it refers to.
func (r *run) whole(s json.RawMessage) json.RawMessage {
	if len(s) == 0 {
		return nil
	}
	defs, queue := map[string]json.RawMessage{}, []json.RawMessage{s}
	for len(queue) > 0 {
		for _, m := range component.FindAllSubmatch(queue[0], -1) {
			if name := string(m[1]); defs[name] == nil && r.list.schemas[name] != nil {
				defs[name] = component.ReplaceAll(r.list.schemas[name], []byte(`"#/$$defs/$1"`))
				queue = append(queue, r.list.schemas[name])
			}
		}
		queue = queue[1:]
	}
	all, err := json.Marshal(defs)
	if err != nil {
		return s
	}
	s = bytes.TrimSpace(component.ReplaceAll(s, []byte(`"#/$$defs/$1"`)))
	return slices.Concat(s[:len(s)-1], []byte(`,"$defs":`), all, []byte("}"))
}
