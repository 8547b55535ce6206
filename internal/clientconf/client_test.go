package clientconf_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

var update = flag.Bool("update", false, "write the golden files")

const program = "/opt/holotype/bin/holotype"

// ours is this program, as an entry names it.
func ours() clientconf.Ours {
	return clientconf.Ours{Name: "holotype", Is: func(l clientconf.Launch) (bool, string) {
		return l.Program == program || strings.HasPrefix(l.Address, "http://127.0.0.1:4280/operator/mcp"), ""
	}}
}

func launch() clientconf.Launch {
	return clientconf.Launch{Program: program, Arguments: []string{"mcp"}}
}

// at answers a host whose user has the folder home.
func at(system, home string) clientconf.Host {
	vars := map[string]string{"HOME": home, "USERPROFILE": home, "APPDATA": filepath.Join(home, "AppData", "Roaming")}
	return clientconf.Host{System: system, Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
}

// put lays the file of a client in a new home, and answers its path and what it holds.
func put(t *testing.T, c *clientconf.Client) (clientconf.Host, string, []byte) {
	t.Helper()
	host := at(clientconf.Linux, t.TempDir())
	path, err := host.File(c)
	if err != nil {
		t.Fatal(err)
	}
	ext := map[entrytext.Format]string{entrytext.JSON: ".json", entrytext.TOML: ".toml", entrytext.YAML: ".yaml"}[c.Format]
	text, err := os.ReadFile(filepath.Join("testdata", c.ID+ext))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o640)); err != nil {
		t.Fatal(err)
	}
	return host, path, text
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestEveryClientsFile: in a file as its client writes it, exactly one entry comes and
// goes; every other byte stays, a copy is kept, and a second time changes nothing.
func TestEveryClientsFile(t *testing.T) {
	for _, c := range clientconf.Clients() {
		t.Run(c.ID, func(t *testing.T) {
			host, path, before := put(t, &c)
			v := clientconf.Look(host, &c, ours())
			if v.Standing != clientconf.Absent || v.Path != path {
				t.Fatalf("%s at %s (%s), want absent at %s", v.Standing, v.Path, v.Why, path)
			}
			text, err := entrytext.Add(c.Format, v.File.Text, c.Key, "holotype", c.Entry("holotype", launch()))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, c.ID+".diff", clientconf.Hide(clientconf.Diff("a", "b", v.File.Text, text), v.Said))
			announced := v.File.Backup("holotype")
			backup, err := v.File.Write("holotype", text)
			if err != nil || backup != announced || backup == "" {
				t.Fatalf("%q, %v; want the copy %q", backup, err, announced)
			}
			isFile(t, backup, before, 0o600)
			mark := before[:len(before)-len(v.File.Text)] // a byte order mark stays
			isFile(t, path, slices.Concat(mark, text), 0o640)
			wired := clientconf.Look(host, &c, ours())
			if wired.Standing != clientconf.Wired || wired.Entry != "holotype" || !slices.Equal(wired.Launch.Arguments, []string{"mcp"}) {
				t.Fatalf("%s, %q, %v; want wired", wired.Standing, wired.Entry, wired.Launch)
			}
			if _, err := entrytext.Add(c.Format, wired.File.Text, c.Key, "holotype", c.Entry("holotype", launch())); !errors.Is(err, entrytext.ErrThere) {
				t.Errorf("a second time: %v, want ErrThere", err)
			}
			without, err := entrytext.Remove(c.Format, wired.File.Text, c.Key, "holotype")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(v.File.Text), string(without)); diff != "" {
				t.Errorf("taken out again, it is not what it was:\n%s", diff)
			}
		})
	}
}

func isFile(t *testing.T, path string, want []byte, mode os.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s", path, cmp.Diff(string(want), string(got)))
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
		t.Errorf("%s has the mode %v, want %v (%v)", path, info.Mode(), mode, err)
	}
}

// TestServers: what the clients' entries say, in the words of a configuration, and why
// some of them cannot be taken over.
func TestServers(t *testing.T) {
	type shown struct {
		Client string
		clientconf.Server
	}
	var all []shown
	for _, c := range clientconf.Clients() {
		host, path, _ := put(t, &c)
		v := clientconf.Look(host, &c, ours())
		for _, s := range c.Servers(path, v.Said, "/home/ada") {
			s.Client, s.File = nil, ""
			all = append(all, shown{c.ID, s})
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "servers.golden", string(text)+"\n")
}

// An address is without a credential where it has none in any place, and no variable that may be one.
func TestAddressesWithoutACredential(t *testing.T) {
	for address, want := range map[string]bool{
		"https://mcp.example.com/mcp":                  true,
		"https://ana@mcp.example.com/mcp":              true,
		"https://ana:s3cr3t@mcp.example.com/mcp":       false,
		"https://mcp.example.com/mcp?api_key=q1w2e3r4": false,
		"https://mcp.example.com/mcp?api_key=${env:K}": false,
		"http://127.0.0.1:8080/mcp":                    false, // nothing is said of those
	} {
		cursor := clientconf.Clients()[slices.IndexFunc(clientconf.Clients(), func(c clientconf.Client) bool { return c.ID == "cursor" })]
		said, err := entrytext.Read(cursor.Format, []byte(`{"mcpServers":{"a":{"url":"`+address+`"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		all := cursor.Servers("/x", said, "/home/ada")
		if len(all) != 1 || all[0].Obstacle != "" {
			t.Fatalf("%s: %+v", address, all)
		}
		if got := slices.ContainsFunc(all[0].Notes, func(n string) bool { return strings.HasPrefix(n, "its entry holds no credential") }); got != want {
			t.Errorf("%s: said %v, want %v", address, got, want)
		}
	}
}

// TestSnippets: the entries of every client, that of a program and that of an address.
func TestSnippets(t *testing.T) {
	var b strings.Builder
	for _, c := range clientconf.Clients() {
		for _, l := range []clientconf.Launch{launch(), {Address: "http://127.0.0.1:4280/operator/mcp", Token: "HOLOTYPE_TOKEN"}} {
			if !c.Takes(l) {
				b.WriteString("== " + c.ID + " takes no address\n")
				continue
			}
			text, err := c.Snippet("holotype", l)
			if err != nil {
				t.Fatal(c.ID, err)
			}
			b.WriteString("== " + c.ID + "\n" + string(text))
			said, err := entrytext.Read(c.Format, text)
			if err != nil {
				t.Fatal(c.ID, err)
			}
			entry, _ := said.At(append(slices.Clone(c.Key), "holotype"))
			if got := c.Launch(entry); got.Program != l.Program || got.Address != l.Address {
				t.Errorf("%s: read back as %+v, want %+v", c.ID, got, l)
			}
		}
	}
	golden(t, "snippets.golden", b.String())
}

// TestPlaces: where the files are on each system, and what moves them.
func TestPlaces(t *testing.T) {
	want := map[string][3]string{
		"claude-code":    {"/h/.claude.json", "/h/.claude.json", "/h/.claude.json"},
		"claude-desktop": {"/h/.config/Claude/claude_desktop_config.json", "/h/Library/Application Support/Claude/claude_desktop_config.json", "/h/AppData/Roaming/Claude/claude_desktop_config.json"},
		"cursor":         {"/h/.cursor/mcp.json", "/h/.cursor/mcp.json", "/h/.cursor/mcp.json"},
		"vscode":         {"/h/.config/Code/User/mcp.json", "/h/Library/Application Support/Code/User/mcp.json", "/h/AppData/Roaming/Code/User/mcp.json"},
		"codex":          {"/h/.codex/config.toml", "/h/.codex/config.toml", "/h/.codex/config.toml"},
		"gemini":         {"/h/.gemini/settings.json", "/h/.gemini/settings.json", "/h/.gemini/settings.json"},
		"zed":            {"/h/.config/zed/settings.json", "/h/.config/zed/settings.json", "/h/AppData/Roaming/Zed/settings.json"},
		"windsurf":       {"/h/.codeium/windsurf/mcp_config.json", "/h/.codeium/windsurf/mcp_config.json", "/h/.codeium/windsurf/mcp_config.json"},
		"goose":          {"/h/.config/goose/config.yaml", "/h/.config/goose/config.yaml", "/h/AppData/Roaming/Block/goose/config/config.yaml"},
	}
	for _, c := range clientconf.Clients() {
		for i, system := range []string{clientconf.Linux, clientconf.MacOS, clientconf.Windows} {
			if got, err := at(system, "/h").File(&c); err != nil || got != want[c.ID][i] {
				t.Errorf("%s on %s: %q, %v; want %q", c.ID, system, got, err, want[c.ID][i])
			}
		}
	}
	vars := map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x", "CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "relative"}
	host := clientconf.Host{System: clientconf.Linux, Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
	for id, want := range map[string]string{"zed": "/x/zed/settings.json", "codex": "/c/config.toml", "claude-code": "/h/.claude.json", "cursor": "/h/.cursor/mcp.json"} {
		if got, err := host.File(clientconf.Find(id)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", id, got, err, want)
		}
	}
	if got, err := (clientconf.Host{Lookup: func(string) (string, bool) { return "", false }}).File(clientconf.Find("cursor")); err == nil {
		t.Errorf("without a home: %q", got)
	}
}

// TestLinks: the addresses that offer an entry hold the entry.
func TestLinks(t *testing.T) {
	l := clientconf.Launch{Program: "/opt/a b/c+d", Arguments: []string{"mcp", "--config", "/x&y=z#"}}
	cursor := clientconf.Find("cursor")
	u, err := url.Parse(cursor.Link("holo type", cursor.Entry("holo type", l)))
	if err != nil {
		t.Fatal(err)
	}
	config, err := base64.StdEncoding.DecodeString(u.Query().Get("config"))
	if err != nil || u.Query().Get("name") != "holo type" || u.Scheme != "cursor" {
		t.Fatal(u, err)
	}
	isEntry(t, config, map[string]any{"command": "/opt/a b/c+d", "args": []any{"mcp", "--config", "/x&y=z#"}})
	code := clientconf.Find("vscode")
	query, ok := strings.CutPrefix(code.Link("holo type", code.Entry("holo type", l)), "vscode:mcp/install?")
	text, err := url.PathUnescape(query) // a plus stays one, as in JavaScript's decodeURIComponent
	if err != nil || !ok {
		t.Fatal(query, err)
	}
	isEntry(t, []byte(text), map[string]any{"name": "holo type", "type": "stdio", "command": "/opt/a b/c+d", "args": []any{"mcp", "--config", "/x&y=z#"}})
}

func isEntry(t *testing.T, text []byte, want map[string]any) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestThePageHasTheTable: what the page says of the clients is what the table says.
func TestThePageHasTheTable(t *testing.T) {
	const page, begin, end = "../../docs/connect.md", "|---|---|---|---|---|---|\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		t.Fatal("the page has no table of the clients")
	}
	var rows strings.Builder
	for _, c := range clientconf.Clients() {
		cells := []string{"[" + c.Title + "](" + c.Docs + ")", "`" + c.ID + "`"}
		for i, path := range c.Files {
			for word, name := range map[string]string{"{HOME}": "~", "{CONFIG}": "~/.config", "{PROFILE}": "%USERPROFILE%", "{APPDATA}": "%APPDATA%"} {
				path = strings.Replace(path, word, name, 1)
			}
			if i == 1 && path == strings.Trim(cells[2], "`") {
				cells = append(cells, "the same")
				continue
			}
			if i == 2 {
				path = strings.ReplaceAll(path, "/", `\`)
			}
			cells = append(cells, "`"+path+"`")
		}
		rows.WriteString("| " + strings.Join(append(cells, c.Limit), " | ") + " |\n")
	}
	want := before + begin + rows.String() + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("run this test with -update (-want +got):\n%s", diff)
	}
}
