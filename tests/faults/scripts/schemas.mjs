// Faults of schemas: node schemas.mjs MODE [N or NAME]
//
// legal lists tools whose inputSchema is odd and allowed; illegal lists tools that break the rules of
// MCP or of JSON Schema between two good ones, good_first and good_last; illegal-one NAME lists one of
// them; huge lists a tool with N (2,000) properties; deep one that nests N (500) objects; many N
// (3,000) tools; output odd outputSchemas.
//
// Right: a legal tool is listed and its schema keeps its meaning, byte for byte where nothing is
// repaired: no $defs, null, unknown keyword or big integer is dropped. An illegal schema costs its own
// tool, which is shown with the reason, or is repaired by one stated rule. Recursion never overflows,
// nothing outside a schema is fetched, depth and size have limits.
import { modes, mode, arg, serve, raw } from './_rpc.mjs';
modes(['legal', 'illegal', 'illegal-one', 'huge', 'deep', 'many', 'output']);
const O = (p, m = {}) => ({ type: 'object', properties: p, ...m });
const T = (name, inputSchema, m = {}) => ({ name, description: name, inputSchema, ...m });
const D7 = 'http://json-schema.org/draft-07/schema#';
const legal = [
  T('no_props', { type: 'object' }), T('empty_props', O({})), T('closed_empty', O({}, { additionalProperties: false })),
  T('draft07_definitions', { $schema: D7, ...O({ who: { $ref: '#/definitions/Who' } }), definitions: { Who: O({ id: { type: 'integer' } }) } }),
  T('draft2020_defs', { $schema: 'https://json-schema.org/draft/2020-12/schema', ...O({ a: { $ref: '#/$defs/A' } }), $defs: { A: { type: 'string', minLength: 1 } } }),
  T('unused_defs', { ...O({}), $defs: { Never: O({ x: { type: 'string' } }) } }),
  T('recursive_defs', { ...O({ root: { $ref: '#/$defs/Node' } }), $defs: { Node: O({ v: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/Node' } } }) } }),
  T('recursive_pointer', O({ nodes: { type: 'array', items: O({ v: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/properties/nodes/items' } } }) } })),
  T('recursive_root', O({ parent: { $ref: '#' } })), T('mutual', { ...O({ a: { $ref: '#/$defs/A' } }), $defs: { A: O({ b: { $ref: '#/$defs/B' } }), B: O({ a: { $ref: '#/$defs/A' } }) } }),
  T('ref_with_siblings', { ...O({ a: { $ref: '#/$defs/A', description: 'wins', default: 'x' } }), $defs: { A: { type: 'string', description: 'loses' } } }),
  T('escaped_pointer', { ...O({ a: { $ref: '#/$defs/a~1b~0c%25' } }), $defs: { 'a/b~c%': { type: 'string' } } }),
  T('anchor', { ...O({ a: { $ref: '#here' } }), $defs: { X: { $anchor: 'here', type: 'string' } } }),
  T('type_array', O({ a: { type: ['string', 'null'] }, b: { type: ['integer', 'string'] } })), T('anyof_null', O({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } })),
  T('nullable_oas30', O({ a: { type: 'string', nullable: true } })), T('enum_null', O({ a: { enum: ['x', 'y', null] }, b: { type: 'string', enum: [''] } })),
  T('enum_mixed', O({ a: { enum: [1, '1', 1.5, true, null, ['a'], { k: 1 }] } })), T('const_values', O({ a: { const: null }, b: { const: 0 }, c: { const: { deep: [1] } } })),
  T('bool_schemas', O({ any: true, never: false })), T('empty_schema', O({ any: {} })), T('int_vs_num', O({ i: { type: 'integer' }, n: { type: 'number' }, m: { type: 'number', multipleOf: 1 } })),
  T('big_numbers', O({ id: { type: 'integer', minimum: -9223372036854775808, maximum: 9007199254740993 }, e: { type: 'number', maximum: 1e308, exclusiveMinimum: 0 } })),
  T('draft4_exclusive', O({ n: { type: 'number', minimum: 0, exclusiveMinimum: 0 } })), T('map_only', { type: 'object', additionalProperties: { type: 'string' } }),
  T('pattern_props', { type: 'object', patternProperties: { '^x-': { type: 'string' } }, propertyNames: { maxLength: 40 }, minProperties: 1 }),
  T('tuple', O({ p: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false }, q: { type: 'array', items: [{ type: 'number' }], additionalItems: false } })),
  T('array_no_items', O({ a: { type: 'array' } })), T('one_of_disc', O({ s: { oneOf: [O({ k: { const: 'a' }, x: { type: 'string' } }, { required: ['k'] }), O({ k: { const: 'b' } }, { required: ['k'] })], discriminator: { propertyName: 'k' } } })),
  T('all_of', { ...O({}), allOf: [O({ a: { type: 'string' } }, { required: ['a'] }), { if: { required: ['b'] }, then: { required: ['c'] }, else: {} }] }),
  T('dependent', O({ card: { type: 'string' }, addr: { type: 'string' } }, { dependentRequired: { card: ['addr'] }, unevaluatedProperties: false })),
  T('odd_keys', O({ 'a b': { type: 'string' }, 'x.y': { type: 'string' }, '': { type: 'string' }, $ref: { type: 'string' }, constructor: { type: 'string' }, type: { type: 'string' }, '\u00e9t\u00e9 \u{1F600}': { type: 'string' }, 'filter[created_at][gt]': { type: 'string' }, Id: { type: 'string' }, id: { type: 'string' } })),
  JSON.parse('{"name":"proto_key","description":"p","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}}'),
  T('lookahead', O({ a: { type: 'string', pattern: '^(?!-)[a-z\\d-]{1,63}(?<!-)$' }, u: { type: 'string', pattern: '^\\p{L}+$' } })),
  T('defaults', O({ a: { type: 'boolean', default: 'false' }, b: { type: 'integer', default: null }, c: { type: 'array', default: {} } })),
  T('formats', O({ a: { type: 'string', format: 'no-such-format' }, b: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' } })),
  T('vendor', O({ a: { type: 'string', 'x-google-enum': ['q'], examples: [null], deprecated: true, readOnly: true, markdownDescription: '<script>alert(1)</script>' } }, { 'x-order': 1 })),
];
const illegal = [
  T('no_type', { properties: { a: { type: 'string' } } }), T('schema_only', { $schema: D7 }), T('type_array_root', { type: 'array', items: {} }), T('type_string_root', { type: 'string' }), T('type_list_root', { type: ['object', 'null'] }),
  T('anyof_root', { anyOf: [O({ a: { type: 'string' } }), O({ b: { type: 'string' } })] }), T('null_schema', null), T('true_schema', true), T('string_schema', '{"type":"object"}'), T('array_schema', []), { name: 'missing_schema', description: 'm' },
  T('props_null', { type: 'object', properties: null }), T('props_array', { type: 'object', properties: [] }), T('required_null', O({}, { required: null })), T('required_string', O({ a: {} }, { required: 'a' })), T('required_bool_child', O({ a: { type: 'string', required: true } })),
  T('unknown_type', O({ a: { type: 'strng' } })), T('dangling', O({ a: { $ref: '#/$defs/Nope' } })), T('ref_loop', { ...O({ a: { $ref: '#/$defs/A' } }), $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } }),
  T('ref_http', O({ a: { $ref: 'http://127.0.0.1:9/never.json#/A' } })), T('ref_file', O({ a: { $ref: 'file:///etc/hostname' } })), T('bad_regex', O({ a: { type: 'string', pattern: '([' } })), T('redos', O({ a: { type: 'string', pattern: '^(a+)+$' } })),
  T('enum_not_array', O({ a: { enum: 'x' } })), T('neg_len', O({ a: { type: 'string', maxLength: -1 } })), T('desc_object', O({ a: { type: 'string', description: { en: 'x' } } })), T('alien_dialect', { $schema: 'urn:example:my-dialect', ...O({}) }),
  { name: 'name_only' }, { description: 'no name', inputSchema: O({}) }, { name: 42, inputSchema: O({}) }, { name: 'desc_null', description: null, inputSchema: O({}) }, null, 'just a string',
];
const good = (n) => T(n, O({ text: { type: 'string' } }, { required: ['text'] }));
const n = Number(arg(3, 0)) || undefined;
let tools;
switch (mode) {
  case 'legal': tools = legal; break;
  case 'illegal': tools = [good('good_first'), ...illegal, good('good_last')]; break;
  case 'illegal-one': tools = [good('good_first'), illegal.find((t) => t?.name === arg(3)), good('good_last')]; break;
  case 'huge': { const p = {}; for (let i = 0; i < (n ?? 2000); i++) p['field_' + i] = { type: 'string', description: 'd'.repeat(200), enum: Array.from({ length: 20 }, (_, k) => `v${i}_${k}`) }; tools = [T('huge', O(p)), good('good_last')]; break; }
  case 'deep': break;                                            // built as text below, JSON.stringify would overflow
  case 'many': tools = Array.from({ length: n ?? 3000 }, (_, i) => good('tool_' + i)); break;
  case 'output': tools = [T('out_draft07', O({}), { outputSchema: { $schema: D7, ...O({ n: { type: 'integer' } }) } }), T('out_array', O({}), { outputSchema: { type: 'array', items: { type: 'string' } } }), T('out_null', O({}), { outputSchema: null }), T('out_true', O({}), { outputSchema: true }), T('out_empty', O({}), { outputSchema: {} }),
    T('out_recursive', O({}), { outputSchema: { ...O({ j: { $ref: '#/$defs/J' } }), $defs: { J: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/J' } }] } } } }), T('out_dangling', O({}), { outputSchema: O({ a: { $ref: '#/$defs/Gone' } }) }), good('good_last')]; break;
}
const deepText = () => { const k = n ?? 500; return '{"type":"object","properties":{"c":'.repeat(k) + '{"type":"string"}' + '}}'.repeat(k); };
serve({ tools, list: mode !== 'deep' ? undefined : (m) => raw(`{"jsonrpc":"2.0","id":${JSON.stringify(m.id)},"result":{"tools":[{"name":"deep","description":"d","inputSchema":${deepText()}},${JSON.stringify(good('good_last'))}]}}\n`) });
