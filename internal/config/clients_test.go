package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func loadClient(t *testing.T, content string, env map[string]string) (*config.Config, error) {
	t.Helper()
	return config.Load(config.Options{MCPConfigPath: write(t, "client.json", content), Lookup: variables(env)})
}

// TestKeysOfOtherPrograms: what clients and their extensions write into a file of theirs
// is read past, with a notice that names the line and the key, unless another program
// than the file means would be started.
func TestKeysOfOtherPrograms(t *testing.T) {
	c, err := loadClient(t, `{"mcpServers": {
  "a": {"command": "x", "lazy": true,
        "toolCallTimeout": 5, "metadata": {"args": ["y"]}, "cwdIcon": "z"},
  "off": {"comand": "x", "disabled": true, "env": 5},
  "out": {"enabled": false}
}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Servers) != 1 || c.Servers[0].Name != "a" || c.Servers[0].Command != "x" || c.Servers[0].Args != nil {
		t.Errorf("servers %+v", c.Servers)
	}
	var got []string
	for _, n := range c.Notices {
		_, text, _ := strings.Cut(n.String(), "client.json:")
		got = append(got, text)
	}
	want := []string{
		`2: server "a": lazy: ignored: this key of another program is not known here`,
		`3: server "a": toolCallTimeout: ignored: this key of another program is not known here`,
		`3: server "a": metadata: ignored: this key of another program is not known here`,
		`3: server "a": cwdIcon: ignored: this key of another program is not known here`,
		`4: server "off" is disabled in this file and left out`,
		`5: server "out" is disabled in this file and left out`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for key, ours := range map[string]string{
		"comand": "command", "Command": "command", "arg": "args", "arguments": "args", "environment": "env", "envs": "env", "Env": "env",
		"working_directory": "cwd", "envfile": "envFile", "header": "headers", "endpoint": "url",
	} {
		_, err := loadClient(t, "{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\""+key+"\": []}}}", nil)
		f, ok := errors.AsType[config.Fault](err)
		if !ok || f.Line != 2 || !strings.HasSuffix(f.Path, key) || !strings.Contains(f.Message, "did you mean "+ours+"?") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestClientFiles(t *testing.T) {
	minute := func(s config.Server) config.Server {
		s.Relay = usualRelay
		s.StartupTimeout, s.CallTimeout = time.Minute, time.Minute
		return s
	}
	for name, c := range map[string]struct {
		in      string
		want    []config.Server
		notices []string // what follows the file and line
	}{
		"mcpServers": {
			in: `{"globalShortcut": "x", "mcpServers": {
				"a b": {"command": "x", "args": ["-y", 8080], "env": {"A": "${A}", "N": 1}},
				"r": {"url": "https://h/mcp", "headers": {"K": "v"}, "type": "streamableHttp"}}}`,
			want: []config.Server{
				minute(config.Server{Name: "a b", Line: 2, Transport: "stdio", Command: "x", Args: []string{"-y", "8080"}, Env: map[string]string{"A": "1", "N": "1"}, Secrets: map[string]string{"A": "1"}}),
				minute(config.Server{Name: "r", Line: 3, Transport: "http", URL: "https://h/mcp", Headers: map[string]string{"K": "v"}}),
			},
		},
		"servers, with comments and commas": {
			in: "{\n// the servers\n\"inputs\": [],\n\"servers\": {/* one\n*/ \"a\": {\"type\": \"stdio\", \"command\": \"http://x//y\", \"args\": [\"/*\", \"//\", \",]\",],},\n}, }\n",
			want: []config.Server{
				minute(config.Server{Name: "a", Line: 5, Transport: "stdio", Command: "http://x//y", Args: []string{"/*", "//", ",]"}}),
			},
		},
		"disabled and enabled": {
			in: `{"mcpServers": {"a": {"command": "x", "disabled": true, "env": {"A": "${UNSET}"}}, "b": {"command": "x", "disabled": false}, "c": {"command": "x", "enabled": false}}}`,
			want: []config.Server{
				minute(config.Server{Name: "b", Line: 1, Transport: "stdio", Command: "x"}),
			},
			notices: []string{`server "a" is disabled in this file and left out`, `server "c" is disabled in this file and left out`},
		},
		"which tools": {
			in: `{"mcpServers": {"a": {"httpUrl": "http://h", "includeTools": ["x"], "disabledTools": ["y"]}, "b": {"serverUrl": "http://h", "tools": ["*"]}, "c": {"url": "http://h", "tools": ["z"], "excludeTools": []}}}`,
			want: []config.Server{
				minute(config.Server{Name: "a", Line: 1, Transport: "http", URL: "http://h", Allow: []string{"x"}, Deny: []string{"y"}}),
				minute(config.Server{Name: "b", Line: 1, Transport: "http", URL: "http://h"}),
				minute(config.Server{Name: "c", Line: 1, Transport: "http", URL: "http://h", Allow: []string{"z"}, Deny: []string{}}),
			},
		},
		"keys that are not acted on": {
			in: `{"mcpServers": {"a": {"command": "x", "autoApprove": ["t"], "alwaysAllow": [], "description": "d",
				"timeout": 30, "headers": {"K": "v"}}, "b": {"url": "http://h", "type": "sse", "env": {}, "args": ["x"]}}}`,
			want: []config.Server{
				minute(config.Server{Name: "a", Line: 1, Transport: "stdio", Command: "x"}),
				minute(config.Server{Name: "b", Line: 2, Transport: "sse", URL: "http://h"}),
			},
			notices: []string{
				`server "a": autoApprove: ignored: what needs no approval in that client says nothing about the callers here`,
				`server "a": description: ignored: a server describes itself`,
				`server "a": timeout: ignored: clients disagree whether it counts seconds or milliseconds. Use call_timeout_seconds`,
				`server "a": headers: ignored: it means nothing to a server that is reached this way`,
				`server "b": args: ignored: it means nothing to a server that is reached this way`,
			},
		},
		"what must not be ignored": {
			in: `{"mcpServers": {"a": {"command": "x", "envFile": ".env", "sandboxEnabled": false}, "b": {"command": "x", "env": {"T": "${env:T}", "P": "pa$word"}}}}`,
			want: []config.Server{
				minute(config.Server{Name: "a", Line: 1, Transport: "stdio", Command: "x", Unresolved: []string{"envFile: not read: the server is held back. Put the variables under env, as ${NAME}"}}),
				minute(config.Server{Name: "b", Line: 1, Transport: "stdio", Command: "x", Env: map[string]string{}, Unresolved: []string{
					"env.T: ${env:T} is not read here; write ${T}",
					"env.P: $NAME at byte 3 is not replaced; write ${NAME} for a variable, $$ for a dollar sign; to pass such text on as it is, put it in a variable",
				}}),
			},
		},
		"our own keys": {
			in: `{"mcpServers": {"a": {"command": "x", "tool_prefix": "p", "call_timeout_seconds": 60.0, "tool_annotations": {"t": {"readOnlyHint": true}}}}}`,
			want: []config.Server{
				minute(config.Server{Name: "a", Line: 1, Transport: "stdio", Command: "x", ToolPrefix: "p", ToolAnnotations: map[string]config.Annotation{"t": {ReadOnly: config.HintYes}}}),
			},
		},
		"variables in arguments": {
			in:      `{"mcpServers": {"a": {"command": "x", "args": ["-d", "${workspaceFolder}/x"]}}}`,
			want:    []config.Server{minute(config.Server{Name: "a", Line: 1, Transport: "stdio", Command: "x", Args: []string{"-d", "${workspaceFolder}/x"}})},
			notices: []string{`server "a": args[1] is passed on as it is: variables are not replaced in args, which every user of a machine can read; put the value under env`},
		},
		"no servers yet": {in: `{"preferences": {}}`, notices: []string{"the file has neither mcpServers nor servers: it adds no servers"}},
		"empty":          {in: " \n", notices: []string{"the file is empty: it adds no servers"}},
		"empty object":   {in: `{"mcpServers": {}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := loadClient(t, c.in, map[string]string{"A": "1"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Servers, plain); diff != "" {
				t.Errorf("servers (-want +got)\n%s", diff)
			}
			var notices []string
			for _, n := range got.Notices {
				notices = append(notices, n.Text)
			}
			if diff := cmp.Diff(c.notices, notices); diff != "" {
				t.Errorf("notices (-want +got)\n%s", diff)
			}
		})
	}
}

func TestClientFileFaults(t *testing.T) {
	for name, c := range map[string]struct {
		in, path, says string
		line           int
	}{
		"duplicate name":      {"{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"y\"}}}", "mcpServers.a", "first on line 2", 3},
		"misspelt":            {"{\n\"mcpServer\": {}}", "mcpServer", "did you mean mcpServers?", 2},
		"our spelling":        {"{\n\"mcp_servers\": {}}", "mcp_servers", "did you mean mcpServers?", 2},
		"servers at the top":  {"{\n\"a\": {\"command\": \"x\"}}", "a", "put the servers under mcpServers", 2},
		"unknown key":         {"{\"servers\": {\"a\": {\"command\": \"x\",\n\"comand\": 1}}}", "servers.a.comand", "did you mean command?", 2},
		"neither":             {"{\"servers\": {\n\"a\": {}}}", "servers.a", "needs command, url, httpUrl or serverUrl", 2},
		"a list":              {"{\"mcpServers\": []}", "mcpServers", "must be an object, not a list", 1},
		"not an object":       {"[]", "", "must be an object", 1},
		"syntax":              {"{\"mcpServers\": {\n\"a\": {\"command\": tru}}}", "", "not valid JSON", 2},
		"a missing comma":     {"{\"mcpServers\": {\n\"a\": {\"command\": \"x\"\n\"args\": []}}}", "", "not valid JSON", 3},
		"cut off":             {"{\"mcpServers\": {\n\"a\": {", "", "not valid JSON", 2},
		"a line in a string":  {"{\"mcpServers\": {\"a\n\": {}}}", "", "not valid JSON", 1},
		"two documents":       {"{}\n{}", "", "not valid JSON", 2},
		"two commas":          {"{\"mcpServers\": {},,}", "", "not valid JSON", 1},
		"a comma of nothing":  {"{\"mcpServers\": [,]}", "", "not valid JSON", 1},
		"comment without end": {"{\n/* x", "", "a comment starts here", 2},
		"YAML":                {"mcp_servers: []\n", "", "not valid JSON", 1},
		"too deep":            {strings.Repeat("[", 70) + strings.Repeat("]", 70), "", "64 levels", 1},
		"wrong type":          {"{\"mcpServers\": {\"a\": {\"command\": [\"x\"]}}}", "mcpServers.a.command", "not a list", 1},
		"transport of a url":  {"{\"mcpServers\": {\"a\": {\"url\": \"http://h\", \"type\": \"stdio\"}}}", "mcpServers.a.type", "must be http", 1},
		"disabled in words":   {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"disabled\": \"yes\"}}}", "mcpServers.a.disabled", "true or false", 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadClient(t, c.in, nil)
			got := faults(t, err)
			if len(got) != 1 {
				t.Fatalf("got %v, want one fault", err)
			}
			if f := got[0]; f.Path != c.path || f.Line != c.line || !strings.Contains(f.Message, c.says) {
				t.Errorf("got %v, want line %d, path %q, saying %q", f, c.line, c.path, c.says)
			}
		})
	}
}

func TestBothFiles(t *testing.T) {
	own := write(t, "holotype.yaml", "mcp_servers:\n- {name: a, command: x}\n")
	good := write(t, "client.json", `{"mcpServers": {"b": {"command": "y", "disabled": false}}}`)
	c, err := config.Load(config.Options{Path: own, MCPConfigPath: good})
	if err != nil || len(c.Servers) != 2 || c.Servers[0].File != own || c.Servers[1].File != good {
		t.Errorf("got %+v, %v; want one server of each file", c, err)
	}
	clash := write(t, "client.json", "{\"mcpServers\": {\n\"a\": {\"command\": \"y\"},\n\"c\": {}}}")
	_, err = config.Load(config.Options{Path: own, MCPConfigPath: clash})
	got := faults(t, err)
	if len(got) != 2 || got[0].File != clash || got[0].Line != 2 || !strings.Contains(got[0].Message, own+":2 already") || got[1].Line != 3 {
		t.Errorf("got %v, want the name of the other file and the empty entry", err)
	}
}

func TestEveryClientKeyIsExplained(t *testing.T) {
	for _, k := range config.ClientKeys() {
		if k.Name == "" || !strings.HasSuffix(k.Meaning, ".") {
			t.Errorf("key %+v has no full sentence", k)
		}
	}
}
