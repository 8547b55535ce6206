package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestShow(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	own := writeAt(t, file, `listen: 127.0.0.1:9
people: [{id: ada, accounts: {github: a}}]
units:
  - id: web
    mcp_env:
      git: {BASE: "${BASE}"}
seats:
  - {id: s.1, unit: web, mcp_env: {git: {TOKEN: hunter2}}, scopes: ["*"]}
mcp_servers:
  - name: git
    command: npx
    args: [--token, hunter2]
    shared: false
    env:
      TOKEN: hunter2
      MIX: hunter2${V}
    tool_annotations: {t: {read_only: no}}
`)
	client := writeAt(t, filepath.Join(dir, "m.json"), "{\"mcpServers\": {\"far away\": {\"serverUrl\": \"https://h/mcp?k=hunter2\",\n\"type\": \"sse\",\n\"tools\": [\"a\"]}}}")
	c, err := config.Load(config.Options{
		Path: own, MCPConfigPath: client, Lookup: variables(map[string]string{"V": "hunter2", "BASE": "hunter2"}),
		Stored: []config.StoredEntry{stored("kept", `{"url": "https://${V}", "drift": "hold", "limits": {"concurrent_calls": 4}}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range c.Show() {
		got = append(got, s.Path+" = "+string(s.Value)+" # "+strings.TrimPrefix(s.Origin.String(), dir+string(filepath.Separator)))
	}
	want := []string{
		`auth = "token" # default`,
		`listen = "127.0.0.1:9" # c.yaml:1`,
		`packs = null # default`,
		`store = null # default`,
		`mcp_servers.git.command = "npx" # c.yaml:11`,
		`mcp_servers.git.args = ["--token","(set)"] # c.yaml:12`,
		`mcp_servers.git.env.TOKEN = "(set)" # c.yaml:15`,
		`mcp_servers.git.env.MIX = "(set)${V}" # c.yaml:16`,
		`mcp_servers.git.transport = "stdio" # default`,
		`mcp_servers.git.shared = false # c.yaml:13`,
		`mcp_servers.git.tool_annotations.t.read_only = false # c.yaml:17`,
		`mcp_servers.git.startup_timeout_seconds = 180 # default`,
		`mcp_servers.git.call_timeout_seconds = 60 # default`,
		`mcp_servers.git.drift = "warn" # default`,
		`mcp_servers["far away"].url = "https://h/mcp?k=(set)" # m.json:1`,
		`mcp_servers["far away"].transport = "sse" # m.json:2`,
		`mcp_servers["far away"].shared = true # default`,
		`mcp_servers["far away"].allow = ["a"] # m.json:3`,
		`mcp_servers["far away"].startup_timeout_seconds = 60 # default`,
		`mcp_servers["far away"].call_timeout_seconds = 60 # default`,
		`mcp_servers["far away"].drift = "warn" # default`,
		`mcp_servers.kept.url = "https://${V}" # stored revision 7`,
		`mcp_servers.kept.transport = "http" # default`,
		`mcp_servers.kept.shared = true # default`,
		`mcp_servers.kept.startup_timeout_seconds = 60 # default`,
		`mcp_servers.kept.call_timeout_seconds = 60 # default`,
		`mcp_servers.kept.limits = {"concurrent_calls":4} # stored revision 7`,
		`mcp_servers.kept.drift = "hold" # stored revision 7`,
		`people.ada.id = "ada" # c.yaml:2`,
		`people.ada.name = "ada" # default`,
		`people.ada.accounts = {"github":"a"} # c.yaml:2`,
		`people.ada.withheld = false # default`,
		`units.web.id = "web" # c.yaml:4`,
		`units.web.name = "web" # default`,
		`units.web.mcp_env.git.BASE = "${BASE}" # c.yaml:6`,
		`seats["s.1"].id = "s.1" # c.yaml:8`,
		`seats["s.1"].name = "s.1" # default`,
		`seats["s.1"].unit = "web" # c.yaml:8`,
		`seats["s.1"].scopes = ["*"] # c.yaml:8`,
		`seats["s.1"].mcp_env.git.TOKEN = "(set)" # c.yaml:8`,
		`metrics = "admin" # default`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, s := range c.Servers {
		if strings.Contains(string(s.MaskedEntry), "hunter2") {
			t.Errorf("the masked entry shows a secret: %s", s.MaskedEntry)
		}
	}
}

// The clients' other words for a key have the place where they stand.
func TestShowKnowsTheClientsWords(t *testing.T) {
	for word, key := range map[string]string{
		`"httpUrl": "http://h"`: "url", `"serverUrl": "http://h"`: "url", `"url": "http://h", "type": "http"`: "transport", `"url": "http://h", "transportType": "http"`: "transport",
		`"url": "http://h", "includeTools": ["a"]`: "allow", `"url": "http://h", "tools": ["a"]`: "allow", `"url": "http://h", "excludeTools": ["a"]`: "deny", `"url": "http://h", "disabledTools": ["a"]`: "deny",
	} {
		c, err := loadClient(t, "{\"mcpServers\": {\"a\": {\n"+word+"}}}", nil)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, s := range c.Show() {
			if s.Path == "mcp_servers.a."+key {
				found = s.Origin.Line == 2
			}
		}
		if !found {
			t.Errorf("%s: no %s from line 2 among %v", word, key, c.Show())
		}
	}
}
