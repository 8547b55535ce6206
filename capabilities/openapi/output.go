package openapi

import (
	"encoding/json"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// successes are the responses that an operation says it gives when it succeeds.
func successes(d *document, raw json.RawMessage) (all []json.RawMessage, err error) {
	for status, of := range rawjson.Members(rawjson.Member(raw, "responses")) {
		if len(status) != 3 || status[0] != '2' {
			continue
		}
		target, err := d.follow(of)
		if err != nil {
			return nil, err
		}
		all = append(all, target)
	}
	return all, nil
}

// accepted is the header Accept of an operation: what it says that it answers, JSON first.
func accepted(d *document, raw json.RawMessage) string {
	all, err := successes(d, raw)
	if err != nil {
		return anything
	}
	var kinds []string
	for _, one := range all {
		for _, m := range medias(d, rawjson.Member(one, "content")) {
			kind := bare(m.kind)
			if strings.ContainsFunc(kind, func(r rune) bool { return notToken(r) && r != '/' }) || len(kind) > 100 || len(kinds) == 10 {
				continue
			}
			if isJSON(kind) {
				return kind + ", */*;q=0.1"
			}
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return anything
	}
	return strings.Join(kinds, ", ") + ", */*;q=0.1"
}

const anything = "application/json, */*;q=0.1"

// output answers the output schema: that of an object that every success is said to be, or
// nil. note says why there is none although there might be.
func (b *builder) output(raw json.RawMessage) (schema []byte, note error) {
	all, err := successes(b.d, raw)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	var schemas []json.RawMessage
	for _, one := range all {
		content := medias(b.d, rawjson.Member(one, "content"))
		if len(content) == 0 || !isJSON(content[0].kind) || !b.t.describesObject(content[0].schema) {
			return nil, nil
		}
		schemas = append(schemas, content[0].schema)
	}
	out := b.t.bundle(answered)
	if len(schemas) == 1 {
		return b.single(out, schemas[0])
	}
	text := []byte(`{"type":"object","anyOf":[`)
	for i, one := range schemas {
		part, err := out.add(one)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, part...)
	}
	return withDefs(append(text, "]}"...), out)
}

// single is the schema of a single success. Where it is a reference its target stands in
// its place, so that readers find the properties where they look.
func (b *builder) single(out *bundle, raw json.RawMessage) ([]byte, error) {
	target, err := b.d.follow(raw)
	if err != nil {
		return nil, err
	}
	if b.d.old || len(raw) > 0 && rawjson.Member(raw, "$ref") == nil {
		raw = target
	}
	text, err := out.add(raw)
	if err != nil {
		return nil, err
	}
	if rawjson.Member(text, "$defs") != nil || rawjson.Member(text, "$ref") != nil {
		text = append(append([]byte(`{"type":"object","allOf":[`), text...), "]}"...)
	}
	return withDefs(text, out)
}

// withDefs puts $defs at the end of a schema that has none.
func withDefs(schema []byte, of *bundle) ([]byte, error) {
	defs, err := of.defs()
	if err != nil || defs == nil {
		return schema, err
	}
	schema = schema[:len(schema)-1]
	if len(schema) > 1 {
		schema = append(schema, ',')
	}
	return append(append(append(schema, `"$defs":`...), defs...), '}'), nil
}
