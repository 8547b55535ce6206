package vectors

import (
	"encoding/json"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Name is a case of names.json.
type Name struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Exposed string `json:"exposed"`
}

// Relay is a case of relay.json.
type Relay struct {
	Server     string          `json:"server"`
	Upstream   string          `json:"upstream"`
	Advertised json.RawMessage `json:"advertised"`
}

// advertised answers a tool as tools/list of the newest revision has it, and its name; nil
// where it cannot be listed.
func advertised(server, tool string) (name string, entry json.RawMessage) {
	c, err := bridge.Advertise(server, json.RawMessage(tool))
	if err != nil {
		return "", nil
	}
	return c.Name(), wire.NativeTool(c)
}

func names() ([]any, error) {
	var all []any
	for _, one := range [][2]string{
		{"alpha", "create_issue"},
		{"alpha", "createIssue"},
		{"my-server_2", "a-b_c"},
		{"Alpha", "create_issue"},
		{"my server", "read"},
		{"büro", "lesen"},
		{"_hidden", "x"},
		{"-", "x"},
		{"日本", "読む"},
		{"exactly-nineteen-ab", "x"},
		{"exactly-twenty-chars", "x"},
		{strings.Repeat("s", 64), "x"},
		{"s", "a.b"},
		{"s", "a/b"},
		{"s", "a_b"},
		{"s", "a b"},
		{"s", "ünïcode"},
		{"s", "A"},
		{"s", strings.Repeat("t", 46)},
		{"s", strings.Repeat("t", 47)},
		{"s", strings.Repeat("t", 200)},
		{"s", strings.Repeat("t", 199) + "u"},
		{"a server with a long name", strings.Repeat("t", 60)},
		{"s", "x__y"},
		{"s", "__"},
	} {
		tool, err := encoded(map[string]any{"name": one[1], "inputSchema": map[string]any{"type": "object"}})
		if err != nil {
			return nil, err
		}
		name, _ := advertised(one[0], string(tool))
		all = append(all, Name{one[0], one[1], name})
	}
	return all, nil
}

func relay() ([]any, error) {
	const schema = `"inputSchema":{"type":"object","properties":{}}`
	var all []any
	for _, tool := range []string{
		`{"name":"plain",` + schema + `}`,
		`{"name":"texts","title":"A title","description":"What it does, <b> & é.",` + schema + `}`,
		`{"name":"hints",` + schema + `,"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`,
		`{"name":"some",` + schema + `,"annotations":{"destructiveHint":true}}`,
		`{"name":"empty",` + schema + `,"annotations":{}}`,
		`{"name":"null",` + schema + `,"annotations":null}`,
		`{"name":"list",` + schema + `,"annotations":[true]}`,
		`{"name":"words",` + schema + `,"annotations":{"readOnlyHint":"true","destructiveHint":1,"idempotentHint":null,"openWorldHint":{}}}`,
		`{"name":"case",` + schema + `,"annotations":{"ReadOnlyHint":true,"readonlyhint":true}}`,
		`{"name":"contradiction",` + schema + `,"annotations":{"readOnlyHint":true,"destructiveHint":true}}`,
		`{"name":"titled",` + schema + `,"annotations":{"title":"In the annotations","readOnlyHint":true}}`,
		`{"name":"more",` + schema + `,"annotations":{"vendor.example/x":{"n":9007199254740993}}}`,
		`{"name":"meta",` + schema + `,"_meta":{"vendor.example/x":[1.10],"holotype/effect":{"asserts":"reads"}}}`,
		`{"name":"icons",` + schema + `,"icons":[{"src":"https://vendor.example/i.png"}]}`,
		`{"name":"output",` + schema + `,"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`,
		`{"name":"output_list",` + schema + `,"outputSchema":{"type":"array","items":{"type":"string"}}}`,
		`{"name":"no_type","inputSchema":{"properties":{"a":{"type":"string"}}}}`,
		`{"name":"no_properties","inputSchema":{"type":"object"}}`,
		`{"name":"draft_07","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string"}}}}`,
		`{"name":"big","inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}}`,
		`{"name":"a.b",` + schema + `}`,
		`{"name":"no_schema"}`,
		`{"name":"broken_schema","inputSchema":{"type":"object","properties":{"a":{"type":"nonsense"}}}}`,
		`{"name":"",` + schema + `}`,
		`{` + schema + `}`,
		`{"name":7,` + schema + `}`,
		`7`,
	} {
		_, entry := advertised("far", tool)
		all = append(all, Relay{"far", tool, entry})
	}
	return all, nil
}
