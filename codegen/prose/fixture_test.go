package prose_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

const configSchema = `{"type":"object","properties":{
	"listen":{"type":"string"},
	"gate":{"type":"object","properties":{"deny":{"type":"array","items":{"type":"string"}},"read_only":{"type":"boolean"}},"additionalProperties":false},
	"mcp_servers":{"oneOf":[
		{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"command":{"type":"string"},"tool_prefix":{"type":"string"}},"additionalProperties":false}},
		{"type":"object","additionalProperties":{"type":"object","properties":{"command":{"type":"string"},"tool_prefix":{"type":"string"}},"additionalProperties":false}}]}},
	"additionalProperties":false}`

// small is a program that a reader can hold in the head: five tools of its own in two
// packs, one old name, and two tools of a bridged server.
func small() prose.Truth {
	return prose.Truth{
		Program: "acme",
		Tools: []prose.Tool{
			{Name: "list_tools", Group: "system", Flags: []string{"--limit"}},
			{Name: "get_tool", Group: "system", Flags: []string{"--name"}},
			{Name: "add_book", Group: "books", Flags: []string{}},
			{Name: "find_books", Group: "books"},
			{Name: "burn_book", Group: "books"},
			{Name: "search_books", Group: "books", Alias: true},
			{Name: "files__read_file", Group: "files", Server: true},
			{Name: "files__stat", Group: "files", Server: true},
		},
		Recorded: []string{"notes__read_note"},
		Packs:    []string{"books", "system"},
		Codes:    []string{"invalid", "op_id_invalid", "shelved"}, BaseCodes: 2,
		Members: []string{"next_cursor"}, Words: []string{"streamable_http"}, Events: []string{"server_ready", "stopped"},
		Config:   []byte(configSchema),
		Routes:   []string{"GET /api/v1/tools", "GET /api/v1/tools/{name}", "POST /login", "GET /livez"},
		Serves:   func(path string) bool { return path == "/docs" || path == "/docs/codes/invalid" },
		Address:  "127.0.0.1:4280",
		Commands: map[string][]string{"": {"--config"}, "serve": {"--listen"}, "call": {"--json"}, "tools": nil, "secrets": nil, "secrets set": {"--force"}, "prose": nil},
	}
}

func check(t *testing.T, name, text string, allow ...prose.Allowance) (lines []string) {
	t.Helper()
	return checkWith(t, small(), name, text, allow...)
}

func checkWith(t *testing.T, truth prose.Truth, name, text string, allow ...prose.Allowance) (lines []string) {
	t.Helper()
	c, err := prose.New(prose.Options{Truth: truth, Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(c.Check(name, text), c.Idle("allow.yaml")...) {
		lines = append(lines, f.String())
	}
	return lines
}
