package config_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaBytes(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json") // judges it by the 2020-12 metaschema as well
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schemaBytes(t *testing.T) []byte {
	t.Helper()
	b, err := config.Schema()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// generic is a document as any YAML library hands it to a JSON Schema validator.
func generic(t *testing.T, doc string) any {
	t.Helper()
	var v any
	if err := yaml.Load([]byte(doc), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The schema and the decoder judge alike. Every document is one good entry with one change, so that a refusal has one cause.
func TestSchemaAgreesWithTheDecoder(t *testing.T) {
	const beyond = "a reason that a schema cannot state"
	schema := compiled(t)
	list := func(entry string) string { return "mcp_servers:\n- {name: a, " + entry + "}\n" }
	client := func(entry string) string { return "mcp_servers:\n  a: {" + entry + "}\n" }
	tool := func(hints string) string { return list("command: x, tool_annotations: {t: {" + hints + "}}") }
	for verdict, docs := range map[string][]string{
		"accept": {
			"auth: none", "auth: token", "listen: localhost:1", "listen: \":0\"", "listen: \"[::1]:65535\"", "packs: []", "packs: [a_1]",
			"mcp_servers:", "mcp_servers: []", "mcp_servers: {}", list("command: x"), list("url: http://h"), list("url: HTTPS://h:1/p?q#f"),
			list("url: \"${BASE}/x\""), list("command: x, args: [1, 1.5, true, \"\", x]"), list("command: x, args:"), list("command: x, env: {A: 1, b.c: false, \"//r:_t\": \"\"}"),
			list("command: x, env:, tool_annotations:"), list("command: x, transport: stdio"), list("url: http://h, transport: sse"),
			list("url: http://h, headers: {X-A: 1}"), list("command: x, cwd: /"), list("command: x, tool_prefix: a-_9"), list("command: x, allow: [a], deny: []"),
			list("command: x, startup_timeout_seconds: 3600, call_timeout_seconds: 1"), list("command: x, call_timeout_seconds: 60.0"), list("command: x, call_timeout_seconds: 0x3c"),
			list("command: x, limits:"), list("command: x, limits: {}"), list("url: http://h, limits: {concurrent_calls: 1, calls_per_minute: 10000, result_bytes: 1024}"), client("command: x, limits: {concurrent_calls: 2}"),
			list("url: http://h, oauth: false"), list("url: http://h, oauth: true"), list("url: http://h, oauth:"), list("url: http://h, oauth: {enabled: false}"), list("url: http://h, oauth: {client_id: a, client_secret: \"${B}\", issuer: https://as.example/x, scopes: [a, \"b:c/d\"]}"),
			client("url: http://h, oauth: {clientId: a, clientSecret: \"${B}\", callbackPort: 5, x: [y]}"), client("url: http://h, oauth: {}"), client("command: x, oauth: {client_id: a}"),
			tool("read_only: true"), tool("readOnlyHint: false, destructive: yes, idempotent_hint: no, openWorld: unknown, title: T"), tool(""),
			client("command: x"), client("url: http://h, type: streamable-http"), client("httpUrl: http://h"), client("serverUrl: http://h, transport: http"),
			client("command: x, disabled: false, timeout: 5, description:, autoApprove: [a], envFile: .env, type: stdio"), client("command: x, tools: [\"*\"]"),
			client("command: x, headers: {a: b}"), client("url: http://h, args: [x], env: {A: b}"), client("command: x, includeTools: [a], excludeTools: [b]"),
			"mcp_servers:\n  \"ä b\": {command: x}\n",
			list("command: x, shared: false"), list("command: x, shared: true, drift: hold"), list("url: http://h, headers: {A: \"${B}\"}, optional_keys: [a]"), list("command: x, optional_keys: []"),
			list("url: http://h, headers: {A: \"b\\tc\"}"), client("command: x, env: {A: \"${B}\"}, optional_keys: [A], shared: true, drift: warn"),
			"people:", "people: []", "people: [{id: a.b-c_1, name: Ä b, accounts: {x: y}, withheld: true}]", "people: [{id: a, accounts:}]",
			"units: [{id: a}]", "units: [{id: a}, {id: b, name: B, parent: a, project: P, space: S, mcp_env:}]", "seats: [{id: a}]\nunits: [{id: u, lead: a}]",
			"seats: [{id: a, name: A, unit: u, holder: p, scopes: [\"*\", admin, \"a:read\", \"my server:write\", \"a:*\", \"*:read\", \"*:write\"]}]\nunits: [{id: u}]\npeople: [{id: p}]",
			"gate: {approve: [{effects: [write]}, {of: [my server], tools: [\"a*\"], wait_seconds: 300, valid_seconds: 60}]}", "seats: [{id: a, gate: {approve: [{tools: [a]}]}}]",
			"gate: {}", "gate: {allow: [\"*\", a_*, b-C], deny: [x], refuse: [\"y*\"], read_only: true, no_destructive: true, no_open_world: false, off: [tracker, my server]}",
			"audit: {file: a.jsonl}", "hosts: [tools.example, \"tools.example:8443\"]", "hosts: []", "tls: {cert_file: a.pem, key_file: /b.pem}", "proxy: {trusted: [10.0.0.1, 10.0.0.0/8, \"::1\", \"fd00::/8\"]}", "proxy: {trusted: [10.0.0.1], header: forwarded}", "proxy: {trusted: [10.0.0.1], header: x-forwarded}",
			"discovery: {above_tokens: 1}", "openapi_servers:", "openapi_servers: [{name: a, document: d.json}]", "openapi_servers: [{name: a, document: d, effects: {x: read, y: {change: set}}, auth: {type: bearer, value: v}, limits: {concurrent_calls: 1}}]", "rate_limits: {calls_per_minute: 1}", "rate_limits: {writes_per_minute: 1000000, burst: 3}", "principals: [{id: owner, rate_limits: {calls_per_minute: 1}}]", "seats: [{id: a, rate_limits: {writes_per_minute: 1}}]",
			"principals:", "principals: [{id: owner, gate: {}}, {id: token:tok_0Az, gate: {allow: [x]}}]", "principals: [{id: person:p, gate: {deny: [\"*\"]}}]\npeople: [{id: p}]", "seats: [{id: a, gate: {read_only: true}}]",
			"seats: [{id: a, mcp_env: {t: {A: 1, B: \"${C}\"}, u: {}}}]\nmcp_servers: [{name: t, command: x, shared: false}, {name: u, url: http://h, shared: false}]",
		},
		"refuse": {
			"colour: red", "auth: Token", "auth: true", "auth:", "listen: 80", "listen: a", "listen: a:65536", "listen: \"a b:1\"", "packs: [A]", "packs: [a, a]", "packs: a", "packs:", "packs: {}",
			"mcp_servers: x", "mcp_servers: 1", "mcp_servers: [x]", "mcp_servers: [[]]", "- a",
			list("command: x, url: http://h"), list("cwd: /"), list("command: \"\""), list("command: 1"), list("command:"), list("url: h"), list("url: \"http://\""), list("url: \"http://h/a b\""),
			list("command: x, headers: {}"), list("url: http://h, args: []"), list("url: http://h, env:"), list("url: http://h, cwd: /"),
			list("command: x, transport: http"), list("url: http://h, transport: stdio"), list("url: http://h, transport: streamable-http"),
			list("command: x, args: [[]]"), list("command: x, args: [null]"), list("command: x, args: x"), list("command: x, env: {A: }"), list("command: x, env: {\"A=\": b}"), list("command: x, env: [A]"),
			list("command: x, env: {\"\": b}"), list("command: x, args: [\"\\0\"]"), list("url: http://h, headers: {\"a b\": c}"), list("url: http://h, headers: {a: []}"),
			list("command: x, tool_prefix: _a"), list("command: x, tool_prefix: abcdefghijklmnopqrstuv"), list("command: x, tool_prefix: 1"), list("command: x, allow:"), list("command: x, allow: [a, a]"), list("command: x, deny: [\"*\"]"), list("command: x, deny: [\"\"]"),
			list("command: x, startup_timeout_seconds: 3601"), list("command: x, call_timeout_seconds: 0"), list("command: x, call_timeout_seconds: 1.5"), list("command: x, call_timeout_seconds: x"), list("command: x, call_timeout_seconds:"),
			list("command: x, limits: 1"), list("command: x, limits: {concurrent_calls: 0}"), list("command: x, limits: {result_bytes: 1023}"), list("command: x, limits: {calls_per_minute: 1.5}"), list("command: x, limits: {tools: 1}"),
			list("command: x, oauth: false"), list("url: http://h, oauth: 1"), list("url: http://h, oauth: []"), list("url: http://h, oauth: {client_secret: a}"), client("url: http://h, oauth: {clientSecret: a}"), list("url: http://h, oauth: {clientId: a}"), list("url: http://h, oauth: {issuer: as.example}"), list("url: http://h, oauth: {issuer: \"https://h?a\"}"), list("url: http://h, oauth: {scopes: a}"), list("url: http://h, oauth: {scopes: [\"a b\"]}"), list("url: http://h, oauth: {scopes: [a, a]}"), list("url: http://h, oauth: {enabled: 1}"),
			list("command: x, disabled: true"), list("command: x, type: stdio"), list("httpUrl: http://h"),
			tool("read_only: maybe"), tool("read_only: \"true\""), tool("read_only: Yes"), tool("read_only:"), tool("read_only: 1"), tool("readonly: true"), tool("title: \"\""), tool("title: 1"),
			client("name: a"), client("command: x, url: http://h"), client("url: http://h, httpUrl: http://h"), client("url: http://h, type: ws"), client("command: x, type: sse"), client("command: x, disabled: 1"),
			client("command: x, lazy: true"), client("command: x, tools: a"), client("command: x, env: {A: [1]}"), "mcp_servers:\n  \" a\": {command: x}\n", "mcp_servers:\n  a: x\n",
			list("command: x, shared: yes"), list("command: x, shared:"), list("command: x, drift: stop"), list("command: x, optional_keys: A"), list("command: x, optional_keys:"), list("command: x, optional_keys: [A, A]"), list("command: x, optional_keys: [\"\"]"),
			list("url: http://h, headers: {A: \"b\\nc\"}"), client("url: http://h, headers: {A: \"b\\rc\"}"),
			"people: {}", "people: [a]", "people: [{name: a}]", "people: [{id: A}]", "people: [{id: a, accounts: [x]}]", "people: [{id: a, withheld: 1}]", "people: [{id: a, mcp_env: {}}]", "people: [{id: a, accounts: {x: \"\"}}]",
			"units: [{}]", "units: [{id: a, parent: B}]", "units: [{id: a, mcp_env: [x]}]", "units: [{id: a, mcp_env: {t: }}]", "units: [{id: a, project: \"\"}]", "units: [{id: a, members: []}]",
			"seats: [{}]", "seats: [{id: a, gate: {off: [x]}}]", "gate:", "gate: []", "gate: {allow: []}", "gate: {approve: []}", "gate: {approve: [{}]}", "gate: {approve: [{wait_seconds: 1}]}", "gate: {approve: [{effects: []}]}", "gate: {approve: [{effects: [x]}]}", "gate: {approve: [{of: [a], wait_seconds: 301}]}", "gate: {approve: [{of: [a], valid_seconds: 0}]}", "gate: {deny: [\"a*b\"]}", "gate: {deny: [\"**\"]}", "gate: {allow: [a, a]}", "gate: {refuse: a}", "gate: {read_only: 1}", "gate: {off: [\"\"]}",
			"audit: {}", "audit: a.jsonl", "audit: {file: \"\"}", "hosts: tools.example", "hosts: [\"https://tools.example\"]", "hosts: [Tools.example]", "hosts: [\"*.example\"]", "hosts: [a, a]", "tls: {cert_file: a.pem}", "tls: {}", "tls:", "proxy: {}", "proxy: {trusted: []}", "proxy: {trusted: [proxy.example]}", "proxy: {trusted: [10.0.0.1], header: Forwarded}",
			"discovery: {}", "openapi_servers: [{name: a}]", "openapi_servers: [{document: d}]", "openapi_servers: {}", "openapi_servers: [{name: a, document: d, command: x}]", "openapi_servers: [{name: a, document: d, effects: {x: write}}]", "openapi_servers: [{name: a, document: d, auth: {type: cookie, value: v}}]", "openapi_servers: [{name: a, document: d, limits: {result_bytes: 1}}]", "discovery:", "discovery: 5", "discovery: {above_tokens: 0}", "discovery: {above_tokens: 10000001}", "discovery: {above: 1}", "rate_limits: {}", "rate_limits:", "rate_limits: 5", "rate_limits: {burst: 1}", "rate_limits: {calls_per_minute: 0}", "rate_limits: {calls_per_minute: 1.5}", "rate_limits: {calls_per_minute: 1000001}", "rate_limits: {calls_per_hour: 1}",
			"principals: {}", "principals: [{id: owner}]", "principals: [{id: seat:a, gate: {}}]", "principals: [{id: me, gate: {}}]", "principals: [{gate: {}}]", "seats: [{id: a, scopes: a:read}]", "seats: [{id: a, scopes: [a]}]", "seats: [{id: a, scopes: [\"a:admin\"]}]", "seats: [{id: a, scopes: [\":read\"]}]", "seats: [{id: a, scopes: [admin, admin]}]", "seats: [{id: a, mcp_env: {t: {A: [b]}}}]", "seats: [{id: a, mcp_env: {t: {\"A=\": b}}}]",
			"mcp_servers:\n- {command: x}\n", "mcp_servers:\n- {name: \"\", command: x}\n", "mcp_servers:\n- {name: \"a\\tb\", command: x}\n", "mcp_servers:\n- {name: " + strings.Repeat("a", 65) + ", command: x}\n",
		},
		beyond: {
			"mcp_servers:\n- {name: a, command: x}\n- {name: a, command: x}\n", list("url: http://h, headers: {a: b, A: c}"), list("url: http://h, headers: {host: b}"),
			list("command: x, env: {A: $B}"), tool("read_only: true, readOnlyHint: true"),
			list("command: x, optional_keys: [A]"), list("url: http://h, headers: {A: \"${B}\"}, optional_keys: [A, a]"), "seats: [{id: a}, {id: a}]", "people: [{id: owner}]", "seats: [{id: system}]", "principals: [{id: owner, gate: {}}, {id: owner, gate: {}}]", "principals: [{id: person:p, gate: {}}]", "proxy: {trusted: [10.0.0.1/8]}", "proxy: {trusted: [0.0.0.0/0]}", "proxy: {trusted: [\"1:2\"]}", "proxy: {trusted: [10.0.0.1/33]}", "auth: none\nproxy: {trusted: [10.0.0.1]}", "seats: [{id: a, unit: u}]", "units: [{id: a, parent: a}]", "seats: [{id: a, scopes: [\"*:*\"]}]",
			"people: [{id: p}]\nseats: [{id: a, holder: p, mcp_env: {t: {}}}]\nmcp_servers: [{name: t, command: x, shared: false}]", "seats: [{id: a, mcp_env: {t: {}}}]", "seats: [{id: a, mcp_env: {t: {}}}]\nmcp_servers: [{name: t, command: x}]",
			client("command: x, type: stdio, transport: stdio"), client("command: x, tools: [a], allow: [b]"),
		},
	} {
		for _, doc := range docs {
			_, err := load(t, doc, nil)
			if (err == nil) != (verdict == "accept") {
				t.Errorf("decoder, want %s: %s: %v", verdict, doc, err)
			}
			err = schema.Validate(generic(t, doc))
			if (err == nil) != (verdict != "refuse") {
				t.Errorf("schema, want %s: %s: %v", verdict, doc, err)
			}
		}
	}
}

// Every key has a description, and every stated default is what Load fills in.
func TestSchemaDescribesEveryKey(t *testing.T) {
	var root any
	if err := json.Unmarshal(schemaBytes(t), &root); err != nil {
		t.Fatal(err)
	}
	keys := 0
	var walk func(v any, path string)
	walk = func(v any, path string) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e, path)
			}
		case map[string]any:
			// The branches of a variant repeat keys to restrict them; only a closed object declares them.
			if props, ok := v["properties"].(map[string]any); ok && v["additionalProperties"] == false {
				for name, p := range props {
					keys++
					doc, _ := p.(map[string]any)["description"].(string)
					if !strings.HasSuffix(doc, ".") || len(doc) > 200 {
						t.Errorf("%s.%s: description %q is not one or two sentences of at most 200 bytes", path, name, doc)
					}
				}
			}
			for k, e := range v {
				walk(e, path+"."+k)
			}
		}
	}
	walk(root, "")
	if keys < 30 {
		t.Errorf("found %d keys; the walk lost the declarations", keys)
	}
	props := root.(map[string]any)["properties"].(map[string]any)
	c := mustLoad(t, "", nil)
	for key, want := range map[string]string{"auth": string(c.Auth), "listen": c.Listen} {
		if got := props[key].(map[string]any)["default"]; got != want {
			t.Errorf("default of %s = %v, but Load fills in %v", key, got, want)
		}
	}
}

func TestSchemaIsTheSameEveryTime(t *testing.T) {
	if a, b := schemaBytes(t), schemaBytes(t); !bytes.Equal(a, b) {
		t.Error("two runs differ")
	}
}
