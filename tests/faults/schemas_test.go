package faults_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	faults := []fault{
		{mode: "legal", tools: 37, more: legal},
		{mode: "illegal", tools: 2 + 5, more: illegal},
		{mode: "huge", more: skips("huge", "at most 262144 are taken")},
		{mode: "deep", more: skips("deep", "nests deeper than 64 levels")},
		{mode: "deep 5000", more: skips("deep", "nests deeper than 64 levels")},
		{mode: "deep 100000", more: skips("deep", "at most 262144 are taken")},
		{mode: "many", tools: 3000, calls: []call{{tool: "tool_2999", says: "hello"}}},
		{mode: "output", tools: 8, more: outputs},
	}
	// The illegal ones that cost a whole list where it is decoded as one.
	for _, one := range []string{"schema_only", "anyof_root", "unknown_type", "ref_http", "ref_file", "name_only", "string_schema"} {
		f := fault{mode: "illegal-one " + one, tools: 2, more: func(t *testing.T, p *product, name string) {
			skipped(t, p, name, map[string]string{one: illegalSchemas()[one]})
		}}
		if illegalSchemas()[one] == "" {
			f.tools, f.more = 3, nil
		}
		faults = append(faults, f)
	}
	runScript(t, "schemas.mjs", faults)
}

// legal: every odd schema that is allowed is listed, and what it says is untouched.
func legal(t *testing.T, p *product, name string) {
	t.Helper()
	skipped(t, p, name, nil)
	list, rows := p.list(t), catalogued(t, p, name)
	for _, raw := range sentBy(t, "schemas.mjs", "legal") {
		sent := asListed(t, raw)
		exposed := name + "__" + sent.Name
		relays(t, rows[exposed], list[exposed], sent)
	}
	for tool, arguments := range map[string]string{
		"recursive_defs": `{"root":{"kids":[{"kids":[]}]}}`, "recursive_root": `{"parent":{"parent":{}}}`, "mutual": `{"a":{"b":{"a":{}}}}`,
		"tuple": `{"p":[1,"x"],"q":[1]}`, "draft07_definitions": `{"who":{"id":9007199254740993}}`, "odd_keys": `{"a b":"x","$ref":"y","constructor":"z"}`,
		"proto_key": `{"__proto__":"x"}`, "lookahead": `{"a":"a-b"}`, "nullable_oas30": `{"a":null}`, "escaped_pointer": `{"a":"x"}`, "anchor": `{"a":"x"}`,
	} {
		call{tool: tool, arguments: arguments, says: "ok"}.test(t, p, name+"__", 0)
	}
	for tool, arguments := range map[string]string{
		"tuple": `{"q":["x"]}`, "anchor": `{"a":1}`, "recursive_pointer": `{"nodes":[{"kids":[{"v":1}]}]}`, "enum_mixed": `{"a":2}`, "big_numbers": `{"id":9007199254740994}`,
	} {
		call{tool: tool, arguments: arguments, code: capabilities.Invalid}.test(t, p, name+"__", 0)
	}
}

// illegalSchemas is what is said of the tools that cannot be offered; those without a
// word can.
func illegalSchemas() map[string]string {
	return map[string]string{
		"no_type": "", "schema_only": "", "anyof_root": "", "redos": "", "desc_null": "", // repaired, or in order here
		"type_array_root": `must have the type "object"`, "type_string_root": `must have the type "object"`, "type_list_root": `must have the type "object"`,
		"null_schema": "must be an object, not null", "true_schema": "must be an object", "string_schema": "must be an object", "array_schema": "must be an object",
		"missing_schema": "it has no inputSchema", "name_only": "it has no inputSchema",
		"props_null": "schema at /properties", "props_array": "schema at /properties", "required_null": "schema at /required", "required_string": "schema at /required",
		"required_bool_child": "schema at /properties/a/required", "unknown_type": "schema at /properties/a/type", "dangling": "leads nowhere", "ref_loop": "leads back to itself",
		"ref_http": "never fetched", "ref_file": "never fetched", "bad_regex": "schema at /properties/a/pattern", "enum_not_array": "schema at /properties/a/enum",
		"neg_len": "schema at /properties/a/maxLength", "desc_object": "schema at /properties/a/description", "alien_dialect": "schema at /$schema",
	}
}

func illegal(t *testing.T, p *product, name string) {
	t.Helper()
	want := map[string]string{"number 30": "it has no name", "number 31": "it has no name", "number 33": "it is not an object", "number 34": "it is not an object"}
	for tool, reason := range illegalSchemas() {
		if reason != "" {
			want[tool] = reason
		}
	}
	skipped(t, p, name, want)
	list, rows := p.list(t), catalogued(t, p, name)
	for tool, repairs := range map[string]string{
		"good_first": "", "good_last": "", "desc_null": "", "redos": "", "no_type": "type_added", "schema_only": "dialect_dropped properties_added type_added",
		"anyof_root": "properties_added type_added",
	} {
		exposed := name + "__" + tool
		var schema struct{ Type string }
		if err := json.Unmarshal(list[exposed].Input, &schema); err != nil || schema.Type != "object" {
			t.Errorf("%s is published with %s", tool, list[exposed].Input)
		}
		if got := strings.Join(rows[exposed].Repaired, " "); got != repairs {
			t.Errorf("%s: repaired %q, want %q", tool, got, repairs)
		}
	}
}

// outputs: an output schema nobody can use costs itself and no more.
func outputs(t *testing.T, p *product, name string) {
	t.Helper()
	const left = "its output schema is left out"
	skipped(t, p, name, map[string]string{"out_array": left, "out_true": left, "out_dangling": left})
	list := p.list(t)
	for tool, has := range map[string]bool{
		"out_draft07": true, "out_array": false, "out_null": false, "out_true": false, "out_empty": true, "out_recursive": true, "out_dangling": false, "good_last": false,
	} {
		if got := list[name+"__"+tool].Output != nil; got != has {
			t.Errorf("%s: published with an output schema: %v, want %v", tool, got, has)
		}
	}
}
