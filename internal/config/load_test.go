package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/internal/config"
)

// write puts a file into a fresh directory and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	return writeAt(t, filepath.Join(t.TempDir(), name), content)
}

func writeAt(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// variables is an environment for tests.
func variables(set map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := set[name]
		return v, ok
	}
}

func load(t *testing.T, content string, env map[string]string) (*config.Config, error) {
	t.Helper()
	return config.Load(config.Options{Path: write(t, "holotype.yaml", content), Lookup: variables(env)})
}

func mustLoad(t *testing.T, content string, env map[string]string) *config.Config {
	t.Helper()
	c, err := load(t, content, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// faults takes a joined error apart.
func faults(t *testing.T, err error) []config.Fault {
	t.Helper()
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		t.Fatalf("error is not joined faults: %v", err)
	}
	var out []config.Fault
	for _, e := range joined.Unwrap() {
		f, ok := errors.AsType[config.Fault](e)
		if !ok {
			t.Fatalf("not a fault: %v", e)
		}
		out = append(out, f)
	}
	return out
}

var plain = cmp.Options{
	cmpopts.IgnoreUnexported(config.Config{}),
	cmpopts.IgnoreFields(config.Config{}, "File"),
	// These have tests of their own.
	cmpopts.IgnoreFields(config.Server{}, "File", "Origin", "Entry", "MaskedEntry", "MaskedArgs", "MaskedURL", "Shared", "Drift"),
}

func TestDefaults(t *testing.T) {
	want := &config.Config{Auth: config.AuthToken, Listen: config.DefaultListen, Metrics: config.MetricsAdmin}
	none, err := config.Load(config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	absent, err := config.Load(config.Options{Path: filepath.Join(t.TempDir(), "absent.yaml"), Optional: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*config.Config{
		"no path":       none,
		"absent":        absent,
		"empty":         mustLoad(t, "", nil),
		"only comments": mustLoad(t, "# nothing yet\n", nil),
		"only a null":   mustLoad(t, "~\n", nil),
		"no servers":    mustLoad(t, "mcp_servers:\n  # - name: later\n", nil),
	} {
		if diff := cmp.Diff(want, got, plain, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	if absent.File != "" {
		t.Errorf("File of an absent file = %q, want none", absent.File)
	}
}

// usualRelay is what is relayed of a shared server whose entry does not say.
var usualRelay = config.Relay{Elicitation: true, Logging: true, Prompts: true, Resources: true}

func TestEveryKeyOfTheFile(t *testing.T) {
	got := mustLoad(t, `
auth: none
listen: "[::1]:0"
packs: [system]
mcp_servers:
  - name: Files and more
    command: /usr/bin/env
    args: [-i, 1.10, true, "$HOME", ""]
    env: {TOKEN: "Bearer ${TOKEN}!", PRICE: $$5, ON: yes, PORT: 0x10}
    cwd: sub/dir
    transport: stdio
    tool_prefix: fs
    startup_timeout_seconds: 7
    call_timeout_seconds: 8
    limits: {concurrent_calls: 1, calls_per_minute: 30, result_bytes: 65536}
    relay: {elicitation: false, sampling: true, roots: true, logging: false, prompts: false, resources: false}
    allow: []
    deny: [rm]
    tool_annotations:
      read_file: {read_only: true, destructive: no, idempotent: unknown, title: Read}
      b: {readOnlyHint: false, openWorldHint: yes}
  - name: remote
    url: https://${HOST}/mcp?x=%E4%BD
    headers: {X-Key: "${TOKEN}"}
  - {name: old, url: "http://old.example/sse", transport: sse}
  - {name: npx, command: /opt/bin/npx}
`, map[string]string{"TOKEN": "s3cret-and-long", "HOST": "api.example"})
	want := []config.Server{
		{
			Name: "Files and more", Line: 6, Transport: config.TransportStdio, Command: "/usr/bin/env",
			Args: []string{"-i", "1.10", "true", "$HOME", ""},
			Env:  map[string]string{"TOKEN": "Bearer s3cret-and-long!", "PRICE": "$5", "ON": "yes", "PORT": "0x10"}, Secrets: map[string]string{"TOKEN": "s3cret-and-long"},
			Cwd: filepath.Join(filepath.Dir(got.File), "sub/dir"), ToolPrefix: "fs",
			ToolAnnotations: map[string]config.Annotation{
				"read_file": {ReadOnly: config.HintYes, Destructive: config.HintNo, Idempotent: config.HintUnknown, Title: "Read"},
				"b":         {ReadOnly: config.HintNo, OpenWorld: config.HintYes},
			},
			Allow: []string{}, Deny: []string{"rm"}, StartupTimeout: 7 * time.Second, CallTimeout: 8 * time.Second,
			Limits: config.Limits{ConcurrentCalls: 1, CallsPerMinute: 30, ResultBytes: 65536}, Relay: config.Relay{Sampling: true, Roots: true},
		},
		{
			Name: "remote", Line: 22, Relay: usualRelay, Transport: config.TransportHTTP, URL: "https://api.example/mcp?x=%E4%BD",
			Headers: map[string]string{"X-Key": "s3cret-and-long"}, Secrets: map[string]string{"TOKEN": "s3cret-and-long", "HOST": "api.example"}, StartupTimeout: time.Minute, CallTimeout: time.Minute,
		},
		{Name: "old", Line: 25, Relay: usualRelay, Transport: config.TransportSSE, URL: "http://old.example/sse", StartupTimeout: time.Minute, CallTimeout: time.Minute},
		{Name: "npx", Line: 26, Relay: usualRelay, Transport: config.TransportStdio, Command: "/opt/bin/npx", StartupTimeout: 3 * time.Minute, CallTimeout: time.Minute},
	}
	if diff := cmp.Diff(&config.Config{Auth: config.AuthNone, Listen: "[::1]:0", Metrics: config.MetricsAdmin, Packs: []string{"system"}, Servers: want}, got, plain); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if f := got.Fault("packs[0]", "no such pack"); f.Line != 4 || f.File != got.File {
		t.Errorf("fault of the caller = %v, want line 4", f)
	}
}

// The faults of a file: where they are, and a part of what they say.
func TestFaults(t *testing.T) {
	type at struct {
		line int
		path string
		says string
	}
	for name, c := range map[string]struct {
		in   string
		want []at
	}{
		"unknown top-level key":            {"auth: token\nlissten: x:1\n", []at{{2, "lissten", "did you mean listen?"}}},
		"the clients' spelling":            {"mcpServers: {}\n", []at{{1, "mcpServers", "did you mean mcp_servers?"}}},
		"nothing near":                     {"colour: red\n", []at{{1, "colour", "known here: auth, listen, packs, store, mcp_servers, openapi_servers, people, units, seats, gate, principals"}}},
		"duplicate key":                    {"auth: token\nauth: none\n", []at{{2, "auth", "first on line 1"}}},
		"duplicate deep":                   {"mcp_servers:\n- name: a\n  command: x\n  env:\n    A: 1\n    A: 2\n", []at{{6, "mcp_servers[0].env.A", "first on line 5"}}},
		"wrong type":                       {"packs: system\nmcp_servers: 5\n", []at{{1, "packs", "must be a list, not text"}, {2, "mcp_servers", "must be a list, not a number"}}},
		"packs without a value":            {"packs:\n", []at{{1, "packs", "must be a list, not nothing"}}},
		"pack twice":                       {"packs: [a, b, a]\n", []at{{1, "packs[2]", "in the list already"}}},
		"unknown auth":                     {"auth: off\n", []at{{1, "auth", "one of token, none"}}},
		"listen a number":                  {"listen: 4280\n", []at{{1, "listen", "must be host:port"}}},
		"listen out of range":              {"listen: a:65536\n", []at{{1, "listen", "must be host:port"}}},
		"syntax":                           {"auth: token\npacks: [a\nlisten: }\n", []at{{3, "", "not valid YAML"}}},
		"unclosed quote":                   {"auth: token\nlisten: 'a:1\n\n\n", []at{{2, "", "not valid YAML"}}},
		"tab":                              {"auth: token\n\tlisten: a:1\n", []at{{2, "", "not valid YAML"}}},
		"two documents":                    {"auth: token\n---\nauth: none\n", []at{{2, "", "second document"}}},
		"a list as the file":               {"- a\n", []at{{1, "", "must be an object"}}},
		"a custom tag":                     {"auth: !secret x\n", []at{{1, "auth", "tag !secret"}}},
		"merge key":                        {"mcp_servers:\n- &a {name: a, command: x}\n- <<: *a\n  name: b\n", []at{{3, "mcp_servers[1]", "merge keys"}}},
		"a list as a key":                  {"? [a]\n: b\n", []at{{1, "", "must be a plain word"}}},
		"neither command nor url":          {"mcp_servers:\n- name: a\n", []at{{2, "mcp_servers[0]", "needs command or url"}}},
		"both":                             {"mcp_servers:\n- name: a\n  command: x\n  url: http://h\n", []at{{4, "mcp_servers[0]", "both command and url"}}},
		"a misspelt command":               {"mcp_servers:\n- name: a\n  comand: x\n", []at{{3, "mcp_servers[0].comand", "did you mean command?"}}},
		"baseUrl":                          {"mcp_servers:\n- name: a\n  baseUrl: http://h\n", []at{{3, "mcp_servers[0].baseUrl", "did you mean url?"}}},
		"no name":                          {"mcp_servers:\n- command: x\n", []at{{2, "mcp_servers[0]", "name is missing"}}},
		"name twice":                       {"mcp_servers:\n- {name: a, command: x}\n- {name: a, command: y}\n", []at{{3, "", "named \"a\" is declared at"}}},
		"name with a space behind":         {"mcp_servers:\n- {name: \"a \", command: x}\n", []at{{2, "mcp_servers[0].name", "printable"}}},
		"name with a line break":           {"mcp_servers:\n- {name: \"a\\nb\", command: x}\n", []at{{2, "mcp_servers[0].name", "printable"}}},
		"name of 65":                       {"mcp_servers:\n- {name: " + strings.Repeat("ü", 65) + ", command: x}\n", []at{{2, "mcp_servers[0].name", "1 to 64"}}},
		"headers beside command":           {"mcp_servers:\n- name: a\n  command: x\n  headers: {}\n", []at{{4, "mcp_servers[0].headers", "means nothing beside command"}}},
		"env beside url":                   {"mcp_servers:\n- name: a\n  url: http://h\n  env: {A: b}\n", []at{{4, "mcp_servers[0].env", "means nothing beside url"}}},
		"transport against the address":    {"mcp_servers:\n- name: a\n  url: http://h\n  transport: stdio\n", []at{{4, "mcp_servers[0].transport", "must be http or sse beside url"}}},
		"unknown transport":                {"mcp_servers:\n- name: a\n  url: http://h\n  transport: ws\n", []at{{4, "mcp_servers[0].transport", "one of stdio, http, sse"}}},
		"a url of another scheme":          {"mcp_servers:\n- {name: a, url: ftp://h}\n", []at{{2, "mcp_servers[0].url", "http or https"}}},
		"a url that is none":               {"mcp_servers:\n- {name: a, url: \"http://[::1\"}\n- {name: b, url: \"http://:80/${X}\"}\n", []at{{2, "mcp_servers[0].url", "is not an http or https url"}}},
		"two spellings of a header":        {"mcp_servers:\n- {name: a, url: http://h, headers: {x-a: 1, X-A: 2}}\n", []at{{2, "mcp_servers[0].headers.X-A", "x-a is the same header"}}},
		"a header of ours":                 {"mcp_servers:\n- {name: a, url: http://h, headers: {Accept: x}}\n", []at{{2, "mcp_servers[0].headers.Accept", "cannot be configured"}}},
		"a header that is none":            {"mcp_servers:\n- {name: a, url: http://h, headers: {\"a b\": x}}\n", []at{{2, "mcp_servers[0].headers[\"a b\"]", "name of an HTTP header"}}},
		"env name with =":                  {"mcp_servers:\n- {name: a, command: x, env: {A=B: x}}\n", []at{{2, "mcp_servers[0].env[\"A=B\"]", "environment variable"}}},
		"env value a list":                 {"mcp_servers:\n- {name: a, command: x, env: {A: [1]}}\n", []at{{2, "mcp_servers[0].env.A", "not a list"}}},
		"env value nothing":                {"mcp_servers:\n- {name: a, command: x, env: {A: }}\n", []at{{2, "mcp_servers[0].env.A", "not nothing"}}},
		"a NUL":                            {"mcp_servers:\n- {name: a, command: x, args: [\"a\\0\"]}\n", []at{{2, "mcp_servers[0].args[0]", "without a NUL"}}},
		"prefix":                           {"mcp_servers:\n- {name: a, command: x, tool_prefix: Fs}\n", []at{{2, "mcp_servers[0].tool_prefix", "1 to 21"}}},
		"timeout text":                     {"mcp_servers:\n- {name: a, command: x, call_timeout_seconds: \"60\"}\n", []at{{2, "mcp_servers[0].call_timeout_seconds", "whole number"}}},
		"timeout zero":                     {"mcp_servers:\n- {name: a, command: x, startup_timeout_seconds: 0}\n", []at{{2, "mcp_servers[0].startup_timeout_seconds", "from 1"}}},
		"timeout a fraction":               {"mcp_servers:\n- {name: a, command: x, call_timeout_seconds: 1.5}\n", []at{{2, "mcp_servers[0].call_timeout_seconds", "whole number"}}},
		"a limit of none":                  {"mcp_servers:\n- name: a\n  command: x\n  limits:\n    concurrent_calls: 0\n", []at{{5, "mcp_servers[0].limits.concurrent_calls", "whole number from 1 to 1000"}}},
		"a limit beyond every message":     {"mcp_servers:\n- {name: a, command: x, limits: {result_bytes: 99999999}}\n", []at{{2, "mcp_servers[0].limits.result_bytes", "from 1024 to 16777216"}}},
		"a limit that is none":             {"mcp_servers:\n- {name: a, command: x, limits: {calls_per_second: 1}}\n", []at{{2, "mcp_servers[0].limits.calls_per_second", "known here: concurrent_calls"}}},
		"limits a number":                  {"mcp_servers:\n- {name: a, command: x, limits: 5}\n", []at{{2, "mcp_servers[0].limits", "must be an object"}}},
		"a pattern among tools":            {"mcp_servers:\n- {name: a, command: x, allow: [\"read_*\"]}\n", []at{{2, "mcp_servers[0].allow[0]", "* is not a pattern"}}},
		"unknown hint":                     {"mcp_servers:\n- {name: a, command: x, tool_annotations: {t: {readonly: true}}}\n", []at{{2, "mcp_servers[0].tool_annotations.t.readonly", "did you mean read_only?"}}},
		"hint in words":                    {"mcp_servers:\n- {name: a, command: x, tool_annotations: {t: {read_only: maybe}}}\n", []at{{2, "mcp_servers[0].tool_annotations.t.read_only", "one of true, false, yes, no, unknown"}}},
		"one hint in two spellings":        {"mcp_servers:\n- {name: a, command: x, tool_annotations: {t: {read_only: true, readOnlyHint: true}}}\n", []at{{2, "mcp_servers[0].tool_annotations.t.readOnlyHint", "read_only says the same"}}},
		"a look-alike":                     {"mcp_servers:\n- {name: a, command: x, env: {A: $TOKEN}}\n", []at{{2, "mcp_servers[0].env.A", "write ${NAME}"}}},
		"a default":                        {"mcp_servers:\n- {name: a, command: x, env: {A: \"${T:-x}\"}}\n", []at{{2, "mcp_servers[0].env.A", "write ${T}"}}},
		"a clients' key in our list":       {"mcp_servers:\n- {name: a, command: x, disabled: true}\n", []at{{2, "mcp_servers[0].disabled", "no such key"}}},
		"an unknown key in their object":   {"mcp_servers:\n  a: {command: x, lazy: true}\n", []at{{2, "mcp_servers.a.lazy", "no such key"}}},
		"two addresses in their object":    {"mcp_servers:\n  a: {url: http://h, httpUrl: http://h}\n", []at{{2, "mcp_servers.a", "both url and httpUrl"}}},
		"tools and allow":                  {"mcp_servers:\n  a: {command: x, tools: [a], allow: [b]}\n", []at{{2, "mcp_servers.a.tools", "allow says the same"}}},
		"a look-alike in a faulty entry":   {"mcp_servers:\n- name: a\n  command: x\n  env: {A: \"%T%\"}\n  cwd: 5\n  nope: 1\n", []at{{4, "mcp_servers[0].env.A", "%NAME%"}, {5, "mcp_servers[0].cwd", "put it in quotes"}, {6, "mcp_servers[0].nope", "no such key"}}},
		"every fault of several at once":   {"auth: x\nmcp_servers:\n- 5\n- {name: a}\n- {name: b, command: \"\"}\n", []at{{1, "auth", "one of"}, {3, "mcp_servers[0]", "must be an object"}, {4, "mcp_servers[1]", "needs command or url"}, {5, "mcp_servers[2].command", "not empty"}}},
		"an alias is read where it stands": {"mcp_servers:\n- {name: a, command: x, env: &e {A=: 1}}\n- {name: b, command: x, env: *e}\n", []at{{2, "mcp_servers[0].env[\"A=\"]", "environment"}, {2, "mcp_servers[1].env[\"A=\"]", "environment"}}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := load(t, c.in, nil)
			got := faults(t, err)
			if cfg != nil || len(got) != len(c.want) {
				t.Fatalf("got %v, want %d faults and no config", err, len(c.want))
			}
			for i, w := range c.want {
				f := got[i]
				if f.Line != w.line || f.Path != w.path || !strings.Contains(f.Message, w.says) || filepath.Base(f.File) != "holotype.yaml" {
					t.Errorf("got %v, want line %d, path %q, saying %q", f, w.line, w.path, w.says)
				}
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'h'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "*" + string(c-1) + "]\n"
	}
	for name, c := range map[string]struct {
		in, says string
		line     int
	}{
		"utf-16":        {"\xff\xfea\x00", "UTF-16", 0},
		"latin-1":       {"auth: token\n# caf\xe9\n", "not UTF-8", 2},
		"too large":     {"# " + strings.Repeat("x", 4<<20), "larger than", 0},
		"too deep":      {"packs: " + strings.Repeat("[", 80) + strings.Repeat("]", 80), "64 levels", 1},
		"alias bomb":    {bomb, "more than 100000", 0},
		"endless alias": {"packs: &a [*a]\n", "64 levels", 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, c.in, nil)
			got := faults(t, err)
			if len(got) == 0 || !strings.Contains(got[0].Message, c.says) || c.line != 0 && got[0].Line != c.line {
				t.Errorf("got %v, want one saying %q on line %d", err, c.says, c.line)
			}
		})
	}
	for name, path := range map[string]string{"absent": filepath.Join(t.TempDir(), "x.yaml"), "a directory": t.TempDir()} {
		for _, o := range []config.Options{{Path: path}, {MCPConfigPath: path}} {
			if _, err := config.Load(o); len(faults(t, err)) != 1 || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: got %v, want one fault naming the file", name, err)
			}
		}
	}
}

func TestByteOrderMarkAndLineEnds(t *testing.T) {
	c := mustLoad(t, "\ufeffauth: none\r\nmcp_servers:\r\n- {name: a, command: x}\r\n", nil)
	if c.Auth != config.AuthNone || len(c.Servers) != 1 || c.Servers[0].Line != 3 {
		t.Errorf("got %+v", c)
	}
	c, err := loadClient(t, "\ufeff{\"mcpServers\":\r\n{\"a\": {\"command\": \"x\"}}}", nil)
	if err != nil || len(c.Servers) != 1 || c.Servers[0].Line != 2 {
		t.Errorf("a client's file: got %+v, %v", c, err)
	}
}

func TestJSONAsTheFile(t *testing.T) {
	path := write(t, "holotype.json", "{\n\t\"listen\": \"a:1\", // here\n\t\"mcp_servers\": {\"\\ud83d\\ude00\": {\"command\": \"x\"},},\n}")
	c, err := config.Load(config.Options{Path: path})
	if err != nil || c.Listen != "a:1" || c.Servers[0].Name != "😀" || c.Servers[0].Line != 3 {
		t.Errorf("got %+v, %v", c, err)
	}
}

// remedy is what follows on a variable that does not resolve.
func remedy(name string) string {
	return "; run `holotype secrets set " + name + "`, or set it in the environment and start this server again"
}

func TestHeldBack(t *testing.T) {
	c := mustLoad(t, `
mcp_servers:
  - {name: a, command: x, env: {A: "${UNSET}", B: "x${EMPTY}${UNSET}", C: "${SET}", D: ""}}
  - {name: b, url: "https://${UNSET}/", headers: {Authorization: "Bearer ${EMPTY}", X: "${LINE}", Y: ok}}
  - {name: c, url: "${SET}"}
`, map[string]string{"EMPTY": "", "SET": "value ${UNSET}", "LINE": "secret\n"})
	type held struct {
		Env, Headers map[string]string
		URL          string
		Unresolved   []string
	}
	var got []held
	for _, s := range c.Servers {
		got = append(got, held{s.Env, s.Headers, s.URL, s.Unresolved})
	}
	want := []held{
		{
			Env: map[string]string{"C": "value ${UNSET}", "D": ""},
			Unresolved: []string{
				"env.A: the variable UNSET is not set" + remedy("UNSET"), "env.B: the variable EMPTY is empty" + remedy("EMPTY"), "env.B: the variable UNSET is not set" + remedy("UNSET"),
			},
		},
		{
			Headers: map[string]string{"Y": "ok"},
			Unresolved: []string{
				"headers.Authorization: the variable EMPTY is empty" + remedy("EMPTY"),
				"headers.X: the value holds a line break or another control character, which no header can carry",
				"url: the variable UNSET is not set" + remedy("UNSET"),
			},
		},
		{Unresolved: []string{"url: the value is not an http or https url"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(c.Notices) != 1 || !strings.HasSuffix(c.Notices[0].String(), `holotype.yaml:3: server "a": env.D is an empty string`) {
		t.Errorf("notices = %v, want the empty string", c.Notices)
	}
}

// Whatever is wrong with a value, nothing that is said about it repeats it.
func TestNothingQuotesAValue(t *testing.T) {
	for _, value := range []string{"hunter2$WORD", "hunter2%WORD%", "{{hunter2}}", "${hunter2-hunter2}", "${hunter2 }", "hunter2${", "${X:-hunter2}", "hunter2 ${LINE}", "hunter2\x00"} {
		for _, entry := range []string{
			"{name: a, command: x, env: {A: %s}}", "{name: a, url: http://h, headers: {A: %s}}", "{name: a, url: %s}", "{name: a, command: x, cwd: [%s]}",
		} {
			c, err := load(t, "mcp_servers:\n- "+strings.Replace(entry, "%s", quote(value), 1)+"\n", map[string]string{"LINE": "hunter2\n"})
			said := ""
			switch {
			case err != nil:
				said = err.Error()
			case len(c.Servers[0].Unresolved) > 0:
				said = strings.Join(c.Servers[0].Unresolved, "\n")
			case !strings.Contains(value, "LINE"):
				t.Errorf("%s in %s passes", value, entry)
			}
			for _, n := range []string{"hunter2$", "hunter2%", "{{hunter2", "-hunter2", "hunter2 ", "hunter2\n", "hunter2${"} {
				if strings.Contains(said, n) {
					t.Errorf("%s in %s is quoted: %s", value, entry, said)
				}
			}
		}
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, "\x00", `\0`) + `"` }
