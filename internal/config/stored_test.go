package config_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func stored(name, raw string) config.StoredEntry {
	return config.StoredEntry{Name: name, Raw: json.RawMessage(raw), Revision: 7}
}

func TestStoredEntriesComeLast(t *testing.T) {
	c, err := config.Load(config.Options{
		Path: write(t, "c.yaml", "mcp_servers: [{name: a, command: x}]\nseats: [{id: s, mcp_env: {later: {T: \"${T}\"}}}]\n"),
		Stored: []config.StoredEntry{
			stored("later", `{"url": "https://h/mcp", "shared": false, "headers": {"A": "${A}"}, "optional_keys": ["a"]}`),
			stored("last", `{"name": "last", "command": "y", "env": {"API_TOKEN": "hunter2"}}`),
		},
		Lookup: variables(map[string]string{"T": "t"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var names, origins []string
	for _, s := range c.Servers {
		names, origins = append(names, s.Name), append(origins, s.Origin.String())
	}
	if diff := cmp.Diff([]string{"a", "later", "last"}, names); diff != "" {
		t.Errorf("names (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{c.File + ":1", "stored revision 7", "stored revision 7"}, origins); diff != "" {
		t.Errorf("origins (-want +got)\n%s", diff)
	}
	s := c.Instances()[1]
	if diff := cmp.Diff(instance{Name: "later", Seat: "s", Headers: map[string]string{"T": "t"}, Secrets: map[string]string{"T": "t"}}, instancesOf([]config.Server{s})[0]); diff != "" {
		t.Errorf("the instance of the seat (-want +got)\n%s", diff)
	}
	if s.File != "stored entry later" || s.Line != 0 {
		t.Errorf("it stands at %q line %d", s.File, s.Line)
	}
	want := `stored entry last: server "last": env.API_TOKEN looks like a credential and is written out; put it in a variable and write ${NAME}`
	if len(c.Notices) != 1 || c.Notices[0].String() != want {
		t.Errorf("notices: %v, want %s", c.Notices, want)
	}
}

func TestFaultsOfStoredEntries(t *testing.T) {
	path := write(t, "c.yaml", "mcp_servers:\n- {name: a, command: x}\n")
	for name, c := range map[string]struct {
		in   config.StoredEntry
		want string // the whole fault
	}{
		"a name of the file":         {stored("a", `{"command": "y"}`), `stored entry a: a server named "a" is declared at ` + path + `:2 already; give that one another name, or take this one out without that file, with ` + "`holotype call remove_config_mcp_server`"},
		"another name":               {stored("b", `{"name": "c", "command": "y"}`), `stored entry b: name: must be "b", the name that the entry is stored under, or be left out`},
		"a name that is none":        {stored("b\n", `{"command": "y"}`), `stored entry: the name "b\n" must be 1 to 64 printable characters, with no space at either end`},
		"no entry":                   {stored("b", ``), `stored entry b: the entry is empty; give an object with a command or a url`},
		"not an object":              {stored("b", `["x"]`), `stored entry b: must be an object, not a list`},
		"not JSON":                   {stored("b", "{\n"), `stored entry b: not valid JSON: unexpected end of JSON input`},
		"an unknown key":             {stored("b", `{"command": "y", "envs": {}}`), `stored entry b: envs: no such key; did you mean env?`},
		"a clients' key":             {stored("b", `{"command": "y", "disabled": true}`), `stored entry b: disabled: no such key`},
		"a look-alike":               {stored("b", `{"command": "y", "env": {"T": "%TOKEN%"}}`), `stored entry b: env.T: %NAME% at byte 1`},
		"a look-alike in the url":    {stored("b", `{"url": "https://${env:HOST}/"}`), `stored entry b: url: ${env:HOST} is not read here; write ${HOST}`},
		"a header with a line break": {stored("b", `{"url": "https://h", "headers": {"A": "b\r\nC: d"}}`), `stored entry b: headers.A: must be the value of a header`},
		"nothing left out":           {stored("b", `{"command": "y", "optional_keys": ["T"]}`), `stored entry b: optional_keys[0]: nothing under env has this key`},
		"a relative directory":       {stored("b", `{"command": "y", "cwd": "z"}`), `stored entry b: cwd: must be an absolute path`},
		"a key given twice":          {stored("b", `{"command": "y", "command": "z"}`), `stored entry b: command: this key is given twice`},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Load(config.Options{Path: path, Stored: []config.StoredEntry{c.in}})
			if got := faults(t, err); cfg != nil || len(got) != 1 || !strings.HasPrefix(got[0].Error(), c.want) {
				t.Errorf("got %v, want one fault beginning with %s", err, c.want)
			}
		})
	}
}

// The entry of a server, whatever file it stands in, is one that can be stored and is the same server again.
func TestAnEntryReadsBackAsTheSameServer(t *testing.T) {
	c := mustLoad(t, `
mcp_servers:
  full:
    type: stdio
    command: npx
    args: [-y, "<p>"]
    env: {B: "${V}", A: 1, C: ""}
    cwd: /srv
    includeTools: []
    disabledTools: [x]
    shared: true
    optional_keys: [B]
    tool_prefix: f
    tool_annotations: {t: {readOnlyHint: true, destructive: no, openWorld: unknown, title: T}, u: {idempotent: yes}}
    startup_timeout_seconds: 5
    call_timeout_seconds: 6
    limits: {calls_per_minute: 9, result_bytes: 2048}
    drift: hold
  web: {httpUrl: "https://${V}/?a=b&c", type: streamable-http, headers: {X: "$$"}, shared: false, oauth: {clientId: "i${V}", clientSecret: "${V}", scopes: [a], callbackPort: 1}}
  never: {url: "https://h", oauth: false}
`, map[string]string{"V": "v"})
	const full = `{"name":"full","command":"npx","args":["-y","<p>"],"env":{"A":"1","B":"${V}","C":""},"cwd":"/srv","transport":"stdio","shared":true,` +
		`"optional_keys":["B"],"tool_prefix":"f","tool_annotations":{"t":{"read_only":true,"destructive":false,"open_world":"unknown","title":"T"},"u":{"idempotent":true}},` +
		`"allow":[],"deny":["x"],"startup_timeout_seconds":5,"call_timeout_seconds":6,"limits":{"calls_per_minute":9,"result_bytes":2048},"drift":"hold"}`
	if got := string(c.Servers[0].Entry); got != full {
		t.Errorf("got  %s\nwant %s", got, full)
	}
	for _, s := range c.Servers {
		again, err := config.Load(config.Options{Stored: []config.StoredEntry{{Name: s.Name, Raw: s.Entry, Revision: 1}}, Lookup: variables(map[string]string{"V": "v"})})
		if err != nil {
			t.Fatalf("%s: %v", s.Entry, err)
		}
		if diff := cmp.Diff(s, again.Servers[0], cmpopts.IgnoreFields(config.Server{}, "File", "Line", "Origin")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", s.Entry, diff)
		}
	}
}

func TestAFaultOfAStoredEntryIsAFault(t *testing.T) {
	_, err := config.Load(config.Options{Stored: []config.StoredEntry{stored("b", `{}`)}})
	if f, ok := errors.AsType[config.Fault](err); !ok || f.File != "stored entry b" || f.Line != 0 {
		t.Errorf("got %#v", err)
	}
}
