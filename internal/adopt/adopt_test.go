package adopt_test

import (
	stdcmp "cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/adopt"
	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// found answers the entries of the clients' files, by the ids of the clients.
func found(t *testing.T, files map[string]string) []clientconf.Server {
	t.Helper()
	var all []clientconf.Server
	for _, c := range clientconf.Clients() {
		text, ok := files[c.ID]
		if !ok {
			continue
		}
		said, err := entrytext.Read(c.Format, []byte(text))
		if err != nil {
			t.Fatal(c.ID, err)
		}
		all = append(all, c.Servers("/"+c.ID, said, "/home/ada")...)
	}
	return all
}

// input is what a proposal is made of, over a configuration and secrets that are kept.
func input(t *testing.T, files map[string]string, yaml string, kept map[string]string) adopt.Input {
	t.Helper()
	secret := func(name string) (string, bool) { v, ok := kept[name]; return v, ok }
	c, err := config.Load(config.Options{Path: "/config.yaml", Content: []byte(yaml), Secrets: secret, Lookup: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	in := adopt.Input{
		Found: found(t, files), Existing: c.Servers, Secret: secret, Reserved: []string{"system"},
		Ours: func(s clientconf.Server) bool { return s.Command == "/opt/holotype" },
		Judge: func(taken adopt.Taken) error {
			if u, ok := taken.Entry.Get("url"); ok && !strings.HasPrefix(u.Text, "http") {
				return errors.New("url: must be an http or https url")
			}
			return nil
		},
		Clash: func(name, other, declared string) string {
			mine, theirs := name+"__", stdcmp.Or(declared, other+"__")
			if strings.HasPrefix(mine, theirs) || strings.HasPrefix(theirs, mine) {
				return "one begins the other"
			}
			return ""
		},
	}
	for _, v := range c.Variables() {
		in.Variables = append(in.Variables, v.Name)
	}
	return in
}

// sealed answers the secrets of a proposal.
func sealed(p adopt.Proposal) map[string]string {
	all := map[string]string{}
	for _, s := range p.Secrets {
		all[s.Name] = s.Value()
	}
	return all
}

// TestPropose: what is taken over, under which name, with which secrets, and what is left.
func TestPropose(t *testing.T) {
	for _, tt := range []struct {
		name       string
		files      map[string]string
		yaml       string
		kept       map[string]string
		want       string // the new entries
		secrets    map[string]string
		there      []string
		left       []string // entry of client: why
		notes      []string
		thereAgain bool // a second run finds all of it there
	}{
		{
			name: "the same server of two clients is one, whatever it is called there and in whatever order",
			files: map[string]string{
				"cursor":   `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "f"], "env": {"A": "1", "B": "2"}}}}`,
				"vscode":   `{"servers": {"notes": {"type": "stdio", "command": "npx", "args": ["-y", "f"], "env": {"B": "2", "A": "1"}}}}`,
				"windsurf": `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "g"]}}}`,
			},
			want:  "mcp_servers:\n  - name: files\n    command: npx\n    args: [-y, f]\n    env:\n      A: \"1\"\n      B: \"2\"\n  - name: files-windsurf\n    command: npx\n    args: [-y, g]\n",
			notes: []string{"it is the same as notes of vscode", "it is called files-windsurf here"}, thereAgain: true,
		},
		{
			name: "credentials are moved, by their names and by their shapes, and nothing else is",
			files: map[string]string{
				"cursor": `{"mcpServers": {
					"gh": {"command": "gh", "env": {"GITHUB_TOKEN": "plain-word", "MODE": "debug", "TOKEN_FILE": "/t", "MAX_TOKENS": "4096", "DSN": "postgres://u:pw@h/d", "ID": "ghp_0123456789abcdefghij", "X": "${env:MY_TOKEN}", "dollar_key": "a$b$$c"}},
					"web": {"url": "https://h/k3yk3yk3y-9d8f7e6a5b4c3d2e1f/mcp?apiKey=q1w2&lang=en", "headers": {"Authorization": "Bearer abc", "X-Api-Key": "def", "X-Team": "core"}}}}`,
			},
			want: "mcp_servers:\n  - name: gh\n    command: gh\n    env:\n      GITHUB_TOKEN: \"${GITHUB_TOKEN}\"\n      MODE: debug\n      TOKEN_FILE: /t\n      MAX_TOKENS: \"4096\"\n" +
				"      DSN: \"${GH_DSN}\"\n      ID: \"${GH_ID}\"\n      X: \"${MY_TOKEN}\"\n      dollar_key: \"${GH_DOLLAR_KEY}\"\n" +
				"  - name: web\n    url: \"https://h/${WEB_KEY}/mcp?apiKey=${WEB_APIKEY}&lang=en\"\n    headers:\n      Authorization: \"Bearer ${WEB_TOKEN}\"\n      X-Api-Key: \"${WEB_X_API_KEY}\"\n      X-Team: core\n",
			secrets: map[string]string{
				"GITHUB_TOKEN": "plain-word", "GH_DSN": "postgres://u:pw@h/d", "GH_ID": "ghp_0123456789abcdefghij", "GH_DOLLAR_KEY": "a$b$$c",
				"WEB_KEY": "k3yk3yk3y-9d8f7e6a5b4c3d2e1f", "WEB_APIKEY": "q1w2", "WEB_TOKEN": "abc", "WEB_X_API_KEY": "def",
			},
			thereAgain: true,
		},
		{
			name: "a secret's name means one value: not another, nor a variable that somebody refers to",
			files: map[string]string{
				"cursor": `{"mcpServers": {"a": {"command": "a", "env": {"SHOP_TOKEN": "one-one-one"}}, "b": {"command": "b", "env": {"SHOP_TOKEN": "two-two-two", "KEPT_KEY": "kept-kept", "OLD_KEY": "new-new-new"}},
					"c": {"command": "c", "env": {"SHOP_TOKEN": "one-one-one", "X": "${env:REF_TOKEN}"}}, "d": {"command": "d", "env": {"REF_TOKEN": "ref-ref-ref", "CONF_TOKEN": "conf-conf"}}}}`,
			},
			yaml: "mcp_servers: [{name: z, command: z, env: {Z: \"${CONF_TOKEN}\"}}]\n", kept: map[string]string{"KEPT_KEY": "kept-kept", "OLD_KEY": "old-old-old"},
			want: "mcp_servers:\n  - name: a\n    command: a\n    env:\n      SHOP_TOKEN: \"${SHOP_TOKEN}\"\n  - name: b\n    command: b\n    env:\n      SHOP_TOKEN: \"${B_SHOP_TOKEN}\"\n      KEPT_KEY: \"${KEPT_KEY}\"\n      OLD_KEY: \"${B_OLD_KEY}\"\n" +
				"  - name: c\n    command: c\n    env:\n      SHOP_TOKEN: \"${SHOP_TOKEN}\"\n      X: \"${REF_TOKEN}\"\n  - name: d\n    command: d\n    env:\n      REF_TOKEN: \"${D_REF_TOKEN}\"\n      CONF_TOKEN: \"${D_CONF_TOKEN}\"\n",
			secrets: map[string]string{"SHOP_TOKEN": "one-one-one", "B_SHOP_TOKEN": "two-two-two", "KEPT_KEY": "kept-kept", "B_OLD_KEY": "new-new-new", "D_REF_TOKEN": "ref-ref-ref", "D_CONF_TOKEN": "conf-conf"},
		},
		{
			name:  "what the configuration has is not taken twice, with its credential there or here",
			files: map[string]string{"cursor": `{"mcpServers": {"mine": {"command": "gh", "args": ["x"], "env": {"GITHUB_TOKEN": "tok-tok-tok", "D": "a$b"}}, "web": {"url": "https://h/mcp", "headers": {"authorization": "Bearer t-t-t-t"}}}}`},
			yaml:  "mcp_servers:\n  - {name: gh, command: gh, args: [x], env: {GITHUB_TOKEN: \"${GITHUB_TOKEN}\", D: a$$b}, deny: [y]}\n  - {name: w, url: \"https://h/mcp\", headers: {Authorization: \"Bearer ${W}\"}}\n",
			kept:  map[string]string{"GITHUB_TOKEN": "tok-tok-tok", "W": "t-t-t-t"}, there: []string{"gh", "w"},
		},
		{
			name:  "a name that is not free gets the client behind it, then a number",
			files: map[string]string{"cursor": `{"mcpServers": {"gh": {"command": "a"}, "gh-cursor": {"command": "b"}, "System": {"command": "c"}, "x__y": {"command": "d"}, "": {"command": "e"}}}`},
			yaml:  "mcp_servers: [{name: gh, command: z}, {name: x, command: z}]\n",
			want: "mcp_servers:\n  - name: gh-cursor\n    command: a\n  - name: gh-cursor-cursor\n    command: b\n  - name: System-cursor\n    command: c\n  - name: x-y-2\n    command: d\n" +
				"  - name: server\n    command: e\n",
			notes: []string{"it is called gh-cursor here", "it is called server here"},
		},
		{
			name:    "an entry that a configuration cannot have, and what its credential was called is free again",
			files:   map[string]string{"cursor": `{"mcpServers": {"a": {"url": "wss://h", "headers": {"X-A-Key": "one-one"}}, "A": {"url": "http://h", "headers": {"X-A-Key": "two-two"}}}}`},
			want:    "mcp_servers:\n  - name: A\n    url: \"http://h\"\n    headers:\n      X-A-Key: \"${A_X_A_KEY}\"\n",
			secrets: map[string]string{"A_X_A_KEY": "two-two"},
			left:    []string{"a of cursor: url: must be"},
		},
		{
			name:  "a prefix that leaves no name",
			files: map[string]string{"cursor": `{"mcpServers": {"gh": {"command": "a"}}}`},
			yaml:  "mcp_servers: [{name: z, command: z, tool_prefix: g}]\n",
			left:  []string{"gh of cursor: no name can be had for it"},
		},
		{
			name: "what cannot be taken over is left with its reason, and so is this program",
			files: map[string]string{
				"cursor": `{"mcpServers": {"holotype": {"command": "/opt/holotype", "args": ["mcp"]}, "off": {"command": "x", "disabled": true}, "both": {"command": "x", "url": "http://h"}, "none": {}, "text": "x", "rel": {"command": "./x"},
					"in": {"command": "x", "args": ["${env:KEY}"]}, "list": {"command": "x", "args": "y"}, "nested": {"command": "x", "env": {"A": {}}}}}`,
				"vscode": `{"servers": {"ask": {"type": "http", "url": "https://h", "headers": {"A": "${input:x}"}}, "ws": {"type": "websocket", "url": "wss://h"}}}`,
				"goose":  "extensions:\n  dev: {type: builtin, enabled: true}\n",
			},
			left: []string{
				"holotype of cursor: it is this program itself", "off of cursor: it is switched off there", "both of cursor: it has a command and an address", "none of cursor: it has neither",
				"text of cursor: its entry is text", "rel of cursor: its command is a path from a folder", "in of cursor: its command or its arguments hold the variable KEY", "list of cursor: its args are text and not a list",
				"nested of cursor: its env holds an object and not text", "ask of vscode: it asks a person for a value: ${input:x}", "ws of vscode: its transport \"websocket\"", "dev of goose: it is a part of goose itself",
			},
		},
		{
			name:  "a credential that cannot be moved is said",
			files: map[string]string{"cursor": `{"mcpServers": {"a": {"command": "a", "args": ["--api-key", "hunter2-hunter2"]}, "b": {"command": "b", "args": ["--flag", "x"]}}}`},
			want:  "mcp_servers:\n  - name: a\n    command: a\n    args: [--api-key, (set)]\n  - name: b\n    command: b\n    args: [--flag, x]\n",
			notes: []string{"its arguments hold what looks like a credential"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := input(t, tt.files, tt.yaml, tt.kept)
			p := adopt.Propose(in)
			shown, err := p.Shown()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.secrets, sealed(p)); diff != "" && len(tt.secrets)+len(p.Secrets) > 0 {
				t.Error("secrets: ", diff)
			}
			var there, notes []string
			for _, one := range p.There {
				there = append(there, one.Name)
			}
			for _, one := range p.Taken {
				notes = append(notes, one.Notes...)
			}
			if !slices.Equal(there, tt.there) {
				t.Errorf("there: %q, want %q", there, tt.there)
			}
			begins(t, "notes", notes, tt.notes, false)
			var left []string
			for _, one := range p.Left {
				left = append(left, one.Entry+" of "+one.Client+": "+one.Why)
			}
			begins(t, "left", left, tt.left, true)
			if tt.thereAgain {
				text, err := p.Text("config.yaml", []byte(tt.yaml))
				if err != nil {
					t.Fatal(err)
				}
				again := adopt.Propose(input(t, tt.files, string(text), sealed(p)))
				if len(again.Taken) > 0 || len(again.There) == 0 {
					t.Errorf("a second time: %d taken, %d there", len(again.Taken), len(again.There))
				}
			}
		})
	}
}

// begins compares texts by what they begin with; each wanted one has to be there, and with
// all set nothing else.
func begins(t *testing.T, what string, got, want []string, all bool) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, w) }) {
			t.Errorf("%s: none of %q begins with %q", what, got, w)
		}
	}
	if all && len(got) != len(want) {
		t.Errorf("%s: %q, want %d", what, got, len(want))
	}
}

// TestText: the servers come behind those that the file has, in its own form, and nothing
// else of it changes.
func TestText(t *testing.T) {
	p := adopt.Propose(input(t, map[string]string{"cursor": `{"mcpServers": {"a": {"command": "a"}}}`}, "", nil))
	for _, tt := range []struct{ name, before, after string }{
		{"no file", "", "mcp_servers:\n  - name: a\n    command: a\n"},
		{"a list", "mcp_servers:\n- name: z # mine\n  command: z\n\nlisten: 127.0.0.1:1\n", "mcp_servers:\n- name: z # mine\n  command: z\n- name: a\n  command: a\n\nlisten: 127.0.0.1:1\n"},
		{"the clients' own form", "mcp_servers:\n  z: {command: z}\n", "mcp_servers:\n  z: {command: z}\n  a:\n    command: a\n"},
		{"no servers yet", "# mine\nmcp_servers: # none\n", "# mine\nmcp_servers: # none\n  - name: a\n    command: a\n"},
	} {
		if got, err := p.Text("config.yaml", []byte(tt.before)); err != nil || string(got) != tt.after {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.after)
		}
	}
	if got, err := p.Text("config.json", []byte("{}")); err == nil {
		t.Errorf("JSON was added to: %q", got)
	}
	if got, err := p.Text("config.yaml", []byte("mcp_servers: [{name: z, command: z}]\n")); !errors.Is(err, entrytext.ErrUncertain) || got != nil {
		t.Errorf("a list in one line: %q, %v", got, err)
	}
}

// TestReplaced: what was taken over goes from the client's file, and what was not stays.
func TestReplaced(t *testing.T) {
	home := t.TempDir()
	host := clientconf.Host{System: clientconf.Linux, Lookup: func(name string) (string, bool) { return home, name == "HOME" }}
	c := clientconf.Find("cursor")
	path, err := host.File(c)
	if err != nil {
		t.Fatal(err)
	}
	const text = "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"},\n    // of b\n    \"b\": {\"command\": \"b\", \"disabled\": true},\n    \"c\": {\"command\": \"c\"}\n  }\n}\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	v := clientconf.Look(host, c, clientconf.Ours{Name: "holotype", Is: func(clientconf.Launch) (bool, string) { return false, "" }})
	in := input(t, nil, "mcp_servers: [{name: see, command: c}]\n", nil)
	in.Found = c.Servers(path, v.Said, home)
	p := adopt.Propose(in)
	got, gone, err := p.Replaced(v)
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"mcpServers\": {\n    // of b\n    \"b\": {\"command\": \"b\", \"disabled\": true}\n  }\n}\n"; string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if !slices.Equal(slices.Sorted(slices.Values(gone)), []string{"a", "c"}) {
		t.Errorf("gone: %q", gone)
	}
	other := *v
	other.Client = clientconf.Find("windsurf")
	if _, gone, err := p.Replaced(&other); err != nil || len(gone) > 0 {
		t.Errorf("of another client: %q, %v", gone, err)
	}
}

// TestNoValueIsShown: whatever is printed of a secret, its value is not.
func TestNoValueIsShown(t *testing.T) {
	p := adopt.Propose(input(t, map[string]string{"cursor": `{"mcpServers": {"a": {"command": "a", "env": {"TOKEN": "hush-hush-hush"}}}}`}, "", nil))
	if !maps.Equal(sealed(p), map[string]string{"A_TOKEN": "hush-hush-hush"}) {
		t.Fatal(sealed(p))
	}
	if shown, err := p.Shown(); err != nil || strings.Contains(shown, "hush") {
		t.Errorf("%s, %v", shown, err)
	}
}
