package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestOpenAPIServersAreRead(t *testing.T) {
	c := mustLoad(t, `mcp_servers:
- {name: mail, command: x}
openapi_servers:
- name: pets
  document: docs/pets.yaml
  base_url: https://${HOST}/v2
  headers: {X-Tenant: "${TENANT}"}
  auth: {type: header, name: X-Key, value: "${KEY}"}
  allow: [listPets, "GET /pets/{id}"]
  deny: []
  effects:
    listPets: read
    "DELETE /pets/{id}": {change: destroy, reach: shared}
  tool_annotations: {listPets: {title: Pets}}
  tool_prefix: p__
  call_timeout_seconds: 5
  limits: {concurrent_calls: 2}
- {name: far, document: "https://far.example/openapi.json?k=${KEY}", auth: {type: basic, user: ana, value: "${KEY}"}}
- {name: held, document: /d.json, auth: {scheme: token, value: "${ABSENT}"}}
`, map[string]string{"HOST": "h.example", "TENANT": "t", "KEY": "s3cret-value", "auth.credential": "s3cret-value"})
	hint := config.Annotation{Title: "Pets"}
	want := []config.OpenAPIServer{
		{
			Server: config.Server{
				Name: "pets", Shared: true, Transport: config.TransportOpenAPI, Headers: map[string]string{"X-Tenant": "t"}, ToolPrefix: "p__", ToolAnnotations: map[string]config.Annotation{"listPets": hint},
				Allow: []string{"listPets", "GET /pets/{id}"}, Deny: []string{}, Drift: config.DriftWarn, StartupTimeout: time.Minute, CallTimeout: 5 * time.Second, Limits: config.Limits{ConcurrentCalls: 2},
				Secrets: map[string]string{"HOST": "h.example", "TENANT": "t", "KEY": "s3cret-value", "auth.credential": "s3cret-value"}, MaskedURL: "docs/pets.yaml",
			},
			Document: "docs/pets.yaml", BaseURL: "https://h.example/v2", Auth: config.APIAuth{Type: "header", Name: "X-Key", Value: "s3cret-value"},
			Effects: map[string]config.APIEffect{"listPets": {Change: "read", Reach: "world"}, "DELETE /pets/{id}": {Change: "destroy", Reach: "shared"}},
		},
		{
			Server: config.Server{
				Name: "far", Shared: true, Transport: config.TransportOpenAPI, Drift: config.DriftWarn, StartupTimeout: time.Minute, CallTimeout: time.Minute,
				Secrets: map[string]string{"KEY": "s3cret-value", "auth.credential": "s3cret-value", "auth.basic.credential": "YW5hOnMzY3JldC12YWx1ZQ=="}, MaskedURL: "https://far.example/openapi.json?k=${KEY}",
			},
			Document: "https://far.example/openapi.json?k=s3cret-value", Auth: config.APIAuth{Type: "basic", User: "ana", Value: "s3cret-value"},
		},
		{
			Server: config.Server{
				Name: "held", Shared: true, Transport: config.TransportOpenAPI, Drift: config.DriftWarn, StartupTimeout: time.Minute, CallTimeout: time.Minute, MaskedURL: "/d.json",
				Unresolved: []string{"auth.value: the variable ABSENT is not set" + remedy("ABSENT")},
			},
			Document: "/d.json", Auth: config.APIAuth{Type: "scheme", Name: "token"},
		},
	}
	got := c.OpenAPIServers
	if len(got) > 0 { // a relative document counts from the directory of the file
		if !filepath.IsAbs(got[0].Document) {
			t.Errorf("the document is %q", got[0].Document)
		}
		got[0].Document = strings.TrimPrefix(got[0].Document, filepath.Dir(c.File)+"/")
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(config.Server{}, "File", "Line", "Origin")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var names []string
	for _, s := range c.Bridged() {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"mail", "pets", "far", "held"}, names); diff != "" {
		t.Errorf("all of them (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"docs/pets.yaml", "/d.json"}, c.Documents()); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}
	shown := map[string]string{}
	for _, s := range c.Show() {
		if path, ok := strings.CutPrefix(s.Path, "openapi_servers."); ok {
			shown[path] = string(s.Value)
			if strings.Contains(string(s.Value), "s3cret") {
				t.Errorf("%s shows the secret", s.Path)
			}
		}
	}
	for path, value := range map[string]string{
		"pets.document": `"docs/pets.yaml"`, "pets.base_url": `"https://${HOST}/v2"`, "pets.headers.X-Tenant": `"${TENANT}"`, "pets.auth.type": `"header"`, "pets.auth.name": `"X-Key"`,
		"pets.auth.value": `"${KEY}"`, "pets.allow": `["listPets","GET /pets/{id}"]`, "pets.deny": `[]`, "pets.effects.listPets": `{"change":"read","reach":"world"}`,
		`pets.effects["DELETE /pets/{id}"]`: `{"change":"destroy","reach":"shared"}`, "pets.tool_annotations.listPets.title": `"Pets"`, "pets.tool_prefix": `"p__"`, "pets.call_timeout_seconds": "5",
		"pets.limits": `{"concurrent_calls":2}`, "far.startup_timeout_seconds": "60", "far.auth.user": `"(set)"`, "held.auth.scheme": `"token"`,
	} {
		if shown[path] != value {
			t.Errorf("%s is shown as %s, want %s", path, shown[path], value)
		}
	}
	used := map[string]bool{}
	for _, v := range c.Variables() {
		used[v.Name] = v.Resolved
	}
	if diff := cmp.Diff(map[string]bool{"HOST": true, "TENANT": true, "KEY": true, "ABSENT": false}, used); diff != "" {
		t.Errorf("variables (-want +got)\n%s", diff)
	}
}

func TestOpenAPIServersThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct{ entry, says string }{
		"no name":               {"{document: d.json}", "name is missing"},
		"no document":           {"{name: a}", "document is missing"},
		"another key":           {"{name: a, document: d.json, url: http://h}", "no such key"},
		"a scheme of addresses": {"{name: a, document: \"ftp://h/d\"}", "neither a path nor an http or https url"},
		"a look-alike":          {"{name: a, document: \"http://h/$KEY\"}", "$NAME at byte"},
		"a base that is none":   {"{name: a, document: d, base_url: h}", "must be an http or https url"},
		"two ways to send":      {"{name: a, document: d, auth: {type: bearer, scheme: s, value: v}}", "needs type or scheme"},
		"no way to send":        {"{name: a, document: d, auth: {value: v}}", "needs type or scheme"},
		"no value":              {"{name: a, document: d, auth: {type: bearer}}", "value is missing"},
		"a header without name": {"{name: a, document: d, auth: {type: header, value: v}}", "needs the name of the header"},
		"a name of nothing":     {"{name: a, document: d, auth: {type: bearer, name: n, value: v}}", "means nothing without type: header"},
		"basic without a user":  {"{name: a, document: d, auth: {type: basic, value: v}}", "needs the user"},
		"a user of nothing":     {"{name: a, document: d, auth: {type: bearer, user: u, value: v}}", "means nothing beside type: bearer"},
		"a header of ours":      {"{name: a, document: d, auth: {type: header, name: Host, value: v}}", "belongs to the protocol"},
		"the same header twice": {"{name: a, document: d, headers: {authorization: x}, auth: {type: bearer, value: v}}", "auth gives this header"},
		"a drift of nothing":    {"{name: a, document: d, drift: hold}", "no such key"},
		"no effect":             {"{name: a, document: d, effects: {x: writes}}", "must be one of read, append, amend, set, destroy"},
		"no change":             {"{name: a, document: d, effects: {x: {reach: world}}}", "change is missing"},
		"no reach":              {"{name: a, document: d, effects: {x: {change: read, reach: far}}}", "must be one of private, local, shared, world"},
		"a pattern":             {"{name: a, document: d, allow: [\"*\"]}", "* is not a pattern"},
		"a name twice":          {"{name: a, document: d}\n- {name: a, document: e}", `a server named "a" is declared at`},
		"the name of another":   {"{name: mail, document: d}", `a server named "mail" is declared at`},
		"a line break":          {"{name: a, document: d, auth: {type: bearer, value: \"a\\nb\"}}", "line break"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, "mcp_servers: [{name: mail, command: x}]\nopenapi_servers:\n- "+c.entry+"\n", nil)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			for _, f := range faults(t, err) {
				if f.Line < 3 {
					t.Errorf("%v has no line", f)
				}
			}
		})
	}
	c := mustLoad(t, "openapi_servers:\n- {name: a, document: d, auth: {type: bearer, value: written-out}}\n", nil)
	if len(c.Notices) != 1 || !strings.Contains(c.Notices[0].Text, "written out") || c.OpenAPIServers[0].Secrets["auth.value"] != "written-out" {
		t.Errorf("%+v, %+v", c.Notices, c.OpenAPIServers[0].Secrets)
	}
}

// What JSON can write of YAML is written as it was.
func TestYAMLBecomesJSON(t *testing.T) {
	bounds := config.Bounds{Depth: 8, Values: 50, Bytes: 1000}
	for in, want := range map[string]string{
		"a: 1\nb: [yes, True, ~, 0x1f, 1_000, 1.50, 9007199254740993, 2026-01-02, \"\\u0000\"]\n200: {}\n": `{"a":1,"b":["yes",true,null,31,1000,1.50,9007199254740993,"2026-01-02","\u0000"],"200":{}}`,
		"x: &a {b: c}\ny: *a\n": `{"x":{"b":"c"},"y":{"b":"c"}}`, "": "null",
	} {
		got, err := config.JSONOfYAML([]byte(in), bounds)
		if err != nil || string(got) != want {
			t.Errorf("%q: %s, %v, want %s", in, got, err, want)
		}
	}
	for in, says := range map[string]string{
		"a: .nan": "is no number", "a: [[[[[[[[[1]]]]]]]]]": "more than 8 levels", "[" + strings.Repeat("1,", 60) + "1]": "more than 50 values", "a: 1\n---\nb: 2\n": "a second document",
		"a: &a " + strings.Repeat("x", 300) + "\nb: [*a, *a, *a, *a, *a]": "more than 1000 bytes", "? " + strings.Repeat("k", 300) + "\n: {a: .nan}": strings.Repeat("k", 100) + " ...",
	} {
		if _, err := config.JSONOfYAML([]byte(in), bounds); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", in, err, says)
		}
	}
}
