package openapi_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// odd are input schemas that servers may send and that trip readers of a document.
// Every one is listed, described and judged as its server means it.
var odd = []struct{ name, schema string }{
	{"closed_empty", `{"type":"object","properties":{},"additionalProperties":false}`},
	{"definitions", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"who":{"$ref":"#/definitions/Who"}},"definitions":{"Who":{"type":"object","properties":{"id":{"type":"integer"}}},"Unused":{"type":"string"}}}`},
	{"recursive_defs", `{"type":"object","properties":{"root":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}}}`},
	{"recursive_pointer", `{"type":"object","properties":{"nodes":{"type":"array","items":{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/properties/nodes/items"}}}}}}}`},
	{"recursive_root", `{"type":"object","properties":{"parent":{"$ref":"#"},"n":{"type":"integer"}}}`},
	{"recursive_union", `{"type":"object","properties":{"j":{"$ref":"#/$defs/J"}},"$defs":{"J":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/J"}}]}}}`},
	{"mutual", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"n":{"type":"number"}}}}}`},
	{"ref_with_siblings", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"wins","default":"x"},"b":{"$ref":"#/$defs/A","minLength":3}},"$defs":{"A":{"type":"string","description":"loses","maxLength":5}}}`},
	{"draft07_ref_siblings", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/definitions/A","minLength":3,"description":"kept"}},"definitions":{"A":{"type":"string"}}}`},
	{"escaped_pointer", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a~1b~0c%25"}},"$defs":{"a/b~c%":{"type":"string"}}}`},
	{"anchor", `{"type":"object","properties":{"a":{"$ref":"#here"}},"$defs":{"X":{"$anchor":"here","type":"string"}}}`},
	{"embedded_id", `{"$id":"https://example.com/root","type":"object","properties":{"a":{"$ref":"#/$defs/In"},"b":{"$ref":"inner#/$defs/Deep"}},"$defs":{"In":{"$id":"inner","type":"object","properties":{"x":{"$ref":"#/$defs/Deep"}},"$defs":{"Deep":{"type":"boolean"}}}}}`},
	{"dynamic_ref", `{"type":"object","properties":{"a":{"$dynamicRef":"#node"}},"$defs":{"N":{"$dynamicAnchor":"node","type":"object","properties":{"next":{"$dynamicRef":"#node"},"v":{"type":"string"}}}}}`},
	{"odd_place", `{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"}},"components":{"schemas":{"A":{"type":"integer"}}}}`},
	{"clashing_defs", `{"type":"object","properties":{"a":{"$ref":"#/$defs/n-n"},"b":{"$ref":"#/$defs/N_n"},"c":{"$ref":"#/$defs/日本"}},"$defs":{"n-n":{"type":"string"},"N_n":{"type":"integer"},"日本":{"type":"boolean"}}}`},
	{"type_array", `{"type":"object","properties":{"a":{"type":["string","null"],"minLength":2},"b":{"type":["integer","string"],"minLength":2,"minimum":3},"c":{"type":["string","array","null"],"items":{"type":"integer"}},"d":{"type":["integer","number"]},"e":{"type":["boolean"]}}}`},
	{"union_beside_any_of", `{"type":"object","properties":{"a":{"type":["string","object"],"anyOf":[{"minLength":2},{"required":["x"]}]}}}`},
	{"nullable", `{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":"string","enum":["x"],"nullable":true},"c":{"nullable":true}}}`},
	{"enum_null", `{"type":"object","properties":{"a":{"enum":["x","y",null]},"b":{"type":"string","enum":[""]},"c":{"type":["string","null"],"enum":["x",null]},"d":{"type":"string","enum":["x",1]},"e":{"type":"integer","enum":["x"]}}}`},
	{"enum_mixed", `{"type":"object","properties":{"a":{"enum":[1,"1",1.5,true,null]},"b":{"type":"string","enum":["x","x","X","x-","x_","<","1"]}}}`},
	{"enum_structured", `{"type":"object","properties":{"a":{"enum":[["a"],{"k":1},"s"]},"b":{"const":{"deep":[1]}}}}`},
	{"const", `{"type":"object","properties":{"a":{"const":null},"b":{"const":0},"d":{"const":1.10},"e":{"const":9007199254740993},"f":{"const":"x","type":"string"},"g":{"const":"x","enum":["y"]},"h":{"const":true}}}`},
	{"literals", `{"type":"object","properties":{"a":{"anyOf":[{"const":"x"},{"const":"y"},{"type":"null"}]},"b":{"oneOf":[{"const":"x"},{"const":"y"}]},"c":{"anyOf":[{"type":"string"},{"type":"string"},{"type":"object"}]}}}`},
	{"bool_schemas", `{"type":"object","properties":{"any":true,"never":false,"list":{"type":"array","items":true},"none":{"type":"array","items":false}}}`},
	{"bounds", `{"type":"object","properties":{"i":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10.5},"n":{"type":"number","exclusiveMinimum":0,"maximum":1e308},"m":{"type":"integer","minimum":0.5,"multipleOf":0.5},"both":{"type":"number","minimum":0,"exclusiveMinimum":0,"exclusiveMaximum":7},"untyped":{"exclusiveMinimum":3},"null":{"type":["number","null"],"exclusiveMaximum":3}}}`},
	{"big_numbers", `{"type":"object","properties":{"id":{"type":"integer","minimum":-9223372036854775808,"maximum":9007199254740993},"u":{"type":"integer","minimum":0,"maximum":18446744073709551615},"low":{"type":"integer","minimum":-99999999999999999999},"len":{"type":"string","maxLength":9007199254740991,"minLength":1.0}}}`},
	{"draft4", `{"$schema":"http://json-schema.org/draft-04/schema#","id":"https://example.com/four","type":"object","properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true},"i":{"type":"integer","maximum":9,"exclusiveMaximum":true},"c":{"const":"not a word in this draft"}}}`},
	{"patterns", `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"propertyNames":{"maxLength":40},"minProperties":1}`},
	{"tuple", `{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"items":false}}}`},
	{"draft07_tuple", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"type":"array","items":[{"type":"number"},true],"additionalItems":false},"q":{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"integer"}}}}`},
	{"draft07_dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}},"dependencies":{"a":["b"],"c":{"required":["a"]}},"dependentRequired":{"b":["c"]}}`},
	{"array_no_items", `{"type":"object","properties":{"a":{"type":"array"}}}`},
	{"one_of", `{"type":"object","properties":{"s":{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{"type":"string"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}],"discriminator":{"propertyName":"k"}}}}`},
	{"discriminator", `{"type":"object","properties":{"s":{"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}],"discriminator":{"propertyName":"k","mapping":{"a":"#/$defs/A","b":"#/$defs/B"}}}},"$defs":{"A":{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},"B":{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}}}`},
	{"all_of", `{"type":"object","properties":{},"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"if":{"required":["b"]},"then":{"required":["c"]},"else":{}}]}`},
	{"any_of_root", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`},
	{"ref_root", `{"type":"object","$ref":"#/$defs/In","$defs":{"In":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`},
	{"dependent", `{"type":"object","properties":{"card":{"type":"string"},"addr":{"type":"string"}},"dependentRequired":{"card":["addr"]},"unevaluatedProperties":false}`},
	{"odd_keys", `{"type":"object","properties":{"a b":{"type":"string"},"x.y":{"type":"string"},"$ref":{"type":"string"},"constructor":{"type":"string"},"type":{"type":"string"},"été 😀":{"type":"string"},"filter[created_at][gt]":{"type":"string"},"const":{"type":"integer"},"enum":{"type":"boolean"},"__proto__":{"type":"string"}}}`},
	{"look_around", `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!-)[a-z\\d-]{1,63}(?<!-)$"}}}`},
	{"defaults", `{"type":"object","properties":{"a":{"type":"boolean","default":"false"},"b":{"type":"integer","default":null},"c":{"type":"array","default":{}},"d":{"type":"string","default":"fits"}}}`},
	{"data_like_schemas", `{"type":"object","properties":{"a":{"type":"object","default":{"$ref":"#/nowhere","type":["a","b"]},"examples":[{"$ref":"#/nowhere"}]},"b":{"enum":[{"$ref":"#/nowhere"}]}}}`},
	{"vendor", `{"type":"object","properties":{"a":{"type":"string","x-google-enum":["q"],"example":"e","deprecated":true,"markdownDescription":"<script>alert(1)</script>","optional":true,"externalDocs":"no"}},"x-order":1,"dependencies":{"a":["zz"]}}`},
	{"hostile_text", `{"type":"object","title":"*/ alert(1) /*","properties":{"a":{"type":"string","description":"<img src=x onerror=alert(1)> */ } \u001b[2J \u202e \u2028 ` + "`" + ` ${x} \r\n//"}}}`},
}

func hostile(t *testing.T) []*capabilities.Capability {
	t.Helper()
	var all []*capabilities.Capability
	for _, o := range odd {
		all = append(all, bridged(t, "hostile", tool{
			Name: o.name, Description: "Take " + o.name + ".",
			InputSchema: json.RawMessage(o.schema), OutputSchema: json.RawMessage(o.schema),
		}))
	}
	return all
}
