package clientconf

import (
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// Clients answers the table of the clients, in the order in which they are listed. What it
// says was read in their makers' documentation; a change there is a change of a row here.
func Clients() []Client {
	restart := "restart it, or reload its window"
	return []Client{
		{
			ID: "claude-code", Title: "Claude Code", Format: entrytext.JSON, Key: []string{"mcpServers"},
			Files: [3]string{"{HOME}/.claude.json", "{HOME}/.claude.json", "{PROFILE}/.claude.json"},
			Moved: "CLAUDE_CONFIG_DIR", MovedFile: ".claude.json", Projects: "projects",
			Stdio:    []Field{{"type", Constant, "stdio"}, {"command", Program, ""}, {"args", Arguments, ""}},
			HTTP:     []Field{{"type", Constant, "http"}, {"url", Address, ""}, {"headers", Headers, ""}},
			Variable: "${%s}", Refers: RefersBrace,
			Limit: "it writes the file itself while it runs: leave it first",
			Next:  "start it again; /mcp lists the servers", Docs: "https://code.claude.com/docs/en/mcp",
		},
		{
			ID: "claude-desktop", Title: "Claude Desktop", Format: entrytext.JSON, Key: []string{"mcpServers"},
			Files: [3]string{"{CONFIG}/Claude/claude_desktop_config.json", "{HOME}/Library/Application Support/Claude/claude_desktop_config.json", "{APPDATA}/Claude/claude_desktop_config.json"},
			Stdio: []Field{{"command", Program, ""}, {"args", Arguments, ""}},
			Limit: "its file starts programs only; a server with an address is added under Settings, Connectors",
			Next:  "quit it and start it again", Docs: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
		},
		{
			ID: "cursor", Title: "Cursor", Format: entrytext.JSON, Key: []string{"mcpServers"},
			Files:    [3]string{"{HOME}/.cursor/mcp.json", "{HOME}/.cursor/mcp.json", "{PROFILE}/.cursor/mcp.json"},
			Stdio:    []Field{{"command", Program, ""}, {"args", Arguments, ""}},
			HTTP:     []Field{{"url", Address, ""}, {"headers", Headers, ""}},
			Variable: "${env:%s}", Refers: RefersEnv, Link: cursorLink,
			Limit: "a tool whose name has more than 60 characters together with that of the entry is left out",
			Next:  restart, Docs: "https://cursor.com/docs/mcp",
		},
		{
			ID: "vscode", Title: "VS Code", Format: entrytext.JSON, Key: []string{"servers"},
			Files:    [3]string{"{CONFIG}/Code/User/mcp.json", "{HOME}/Library/Application Support/Code/User/mcp.json", "{APPDATA}/Code/User/mcp.json"},
			Others:   "profiles/*/mcp.json",
			Stdio:    []Field{{"type", Constant, "stdio"}, {"command", Program, ""}, {"args", Arguments, ""}},
			HTTP:     []Field{{"type", Constant, "http"}, {"url", Address, ""}, {"headers", Headers, ""}},
			Variable: "${env:%s}", Refers: RefersEnv, Link: codeLink,
			Limit: "a request takes at most 128 tools; each profile has a file of its own",
			Next:  "run MCP: List Servers and start it there", Docs: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
		},
		{
			ID: "codex", Title: "Codex", Format: entrytext.TOML, Key: []string{"mcp_servers"},
			Files: [3]string{"{HOME}/.codex/config.toml", "{HOME}/.codex/config.toml", "{PROFILE}/.codex/config.toml"},
			Moved: "CODEX_HOME", MovedFile: "config.toml",
			Stdio: []Field{{"command", Program, ""}, {"args", Arguments, ""}},
			HTTP:  []Field{{"url", Address, ""}, {"bearer_token_env_var", TokenName, ""}},
			Limit: "a server that has not started after 10 seconds is given up, unless its entry gives it longer",
			Next:  "start it again; /mcp lists the servers", Docs: "https://developers.openai.com/codex/mcp",
		},
		{
			ID: "gemini", Title: "Gemini CLI", Format: entrytext.JSON, Key: []string{"mcpServers"},
			Files:    [3]string{"{HOME}/.gemini/settings.json", "{HOME}/.gemini/settings.json", "{PROFILE}/.gemini/settings.json"},
			Stdio:    []Field{{"command", Program, ""}, {"args", Arguments, ""}},
			HTTP:     []Field{{"httpUrl", Address, ""}, {"headers", Headers, ""}},
			Variable: "${%s}", Refers: RefersShell,
			Limit: "a name of a tool is cut at 63 characters",
			Next:  "start it again; /mcp lists the servers", Docs: "https://geminicli.com/docs/tools/mcp-server/",
		},
		{
			ID: "zed", Title: "Zed", Format: entrytext.JSON, Key: []string{"context_servers"},
			Files: [3]string{"{CONFIG}/zed/settings.json", "{HOME}/.config/zed/settings.json", "{APPDATA}/Zed/settings.json"},
			Stdio: []Field{{"command", Program, ""}, {"args", Arguments, ""}, {"env", Nothing, ""}},
			HTTP:  []Field{{"url", Address, ""}, {"headers", Headers, ""}},
			Limit: "it replaces no variable in a header, so that the token itself would have to stand in its settings",
			Next:  "nothing: it reads its settings again by itself", Docs: "https://zed.dev/docs/ai/mcp",
		},
		{
			ID: "windsurf", Title: "Windsurf", Format: entrytext.JSON, Key: []string{"mcpServers"},
			Files:    [3]string{"{HOME}/.codeium/windsurf/mcp_config.json", "{HOME}/.codeium/windsurf/mcp_config.json", "{PROFILE}/.codeium/windsurf/mcp_config.json"},
			Stdio:    []Field{{"command", Program, ""}, {"args", Arguments, ""}},
			HTTP:     []Field{{"serverUrl", Address, ""}, {"headers", Headers, ""}},
			Variable: "${env:%s}", Refers: RefersEnv,
			Limit: "it takes at most 100 tools of all servers together",
			Next:  "press refresh in its list of MCP servers", Docs: "https://docs.windsurf.com/windsurf/cascade/mcp",
		},
		{
			ID: "goose", Title: "goose", Format: entrytext.YAML, Key: []string{"extensions"},
			Files:    [3]string{"{CONFIG}/goose/config.yaml", "{HOME}/.config/goose/config.yaml", "{APPDATA}/Block/goose/config/config.yaml"},
			Stdio:    []Field{{"enabled", On, ""}, {"type", Constant, "stdio"}, {"name", Name, ""}, {"cmd", Program, ""}, {"args", Arguments, ""}, {"envs", Nothing, ""}, {"env_keys", NoNames, ""}, {"timeout", Seconds, "300"}},
			HTTP:     []Field{{"enabled", On, ""}, {"type", Constant, "streamable_http"}, {"name", Name, ""}, {"uri", Address, ""}, {"headers", Headers, ""}, {"envs", Nothing, ""}, {"env_keys", TokenNames, ""}, {"timeout", Seconds, "300"}},
			Variable: "${%s}", Refers: RefersShell,
			Limit: "a call may take as long as timeout says, in seconds",
			Next:  "begin a new session", Docs: "https://goose-docs.ai/docs/guides/config-files",
		},
	}
}

// Find answers a client by its id, nil for none.
func Find(id string) *Client {
	for _, c := range Clients() {
		if c.ID == id {
			return &c
		}
	}
	return nil
}

// IDs answers the ids of the clients.
func IDs() []string {
	var ids []string
	for _, c := range Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}
