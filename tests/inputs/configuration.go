package inputs

import "github.com/seed-89b9419b/holotype/capabilities"

// The capabilities that show and change the configuration of MCP servers.
const (
	putServer     = "put_config_mcp_server"
	getConfigured = "get_config_mcp_server"
	removeServer  = "remove_config_mcp_server"
	listServers   = "list_config_mcp_servers"
	revisions     = "list_config_revisions"
	showServer    = "get_mcp_server"
	acceptHints   = "accept_mcp_server_hints"
	reload        = "reload_config"
)

// Stored is the name of the one server that [Configuration] stores.
const Stored = "stored"

// Stores is the input that stores it. Sent again it changes nothing.
func Stores() Input {
	return Input{Name: "a server is stored", Call: putServer, In: `{"name":"stored","entry":` + waiting + `}`}
}

// waiting is an entry of a server that nothing starts: its variable has no value.
const waiting = `{"command":"no-such-program","env":{"TOKEN":"${PARITY_TOKEN}","LEFT_OUT":"${PARITY_WISH}","WHO":"nobody"},"optional_keys":["LEFT_OUT"],"deny":["drop"],"tool_annotations":{"echo":{"read_only":"unknown"}},"drift":"hold"}`

// Removes is the input that removes the stored server.
func Removes() Input {
	return Input{Name: "a stored server is removed", Call: removeServer, In: `{"name":"stored"}`}
}

// Configuration answers inputs to the capabilities of the configuration, for a server
// whose file declares one server with the name declared that waits for a variable, and
// that [Stores] was sent to. What they answer is of the process: no answer is written
// beside them, and every way must give the same.
func Configuration() []Input {
	entry := func(keys string) string { return `{"name":"new","entry":` + keys + `}` }
	command := `{"command":"no-such-program"}`
	const invalid = capabilities.Invalid
	return []Input{
		Stores(),
		{Name: "it is shown", Call: getConfigured, In: `{"name":"stored"}`},
		{Name: "the one of the file is shown", Call: getConfigured, In: `{"name":"declared"}`},
		{Name: "both are listed", Call: listServers, In: `{}`},
		{Name: "both are listed, a page of one", Call: listServers, In: `{"limit":1}`},
		{Name: "its revisions are listed", Call: revisions, In: `{"server":"stored"}`},
		{Name: "the revisions of a name that nobody has", Call: revisions, In: `{"server":"nobody"}`},
		{Name: "how it is doing", Call: showServer, In: `{"name":"stored"}`},
		{Name: "how the one of the file is doing", Call: showServer, In: `{"name":"declared"}`},
		{Name: "nothing of it is to accept", Call: acceptHints, In: `{"name":"stored"}`},

		// A dry run answers what would be, and TestConfiguration that nothing is.
		{Name: "what a new server would be", Call: putServer, In: entry(command), DryRun: true},
		{Name: "what a change would make of it", Call: putServer, In: `{"name":"stored","entry":` + command + `}`, DryRun: true},
		{Name: "what a credential that is written out would be", Call: putServer, In: entry(`{"command":"no-such-program","env":{"API_TOKEN":"literal-1"},"limits":{"concurrent_calls":1}}`), DryRun: true},
		{Name: "what its removal would remove", Call: removeServer, In: `{"name":"stored"}`, DryRun: true},
		{Name: "what a reload would change", Call: reload, In: `{}`, DryRun: true},
		{Name: "a dry run of what would be refused", Call: putServer, In: entry(`{}`), DryRun: true, Code: invalid, At: []string{"/entry configuration"}, Says: "command"},
		{Name: "a dry run of a removal of nothing", Call: removeServer, In: `{"name":"stord"}`, DryRun: true, Code: capabilities.NotFound, Says: `"stord"`},
		{Name: "a limit of none", Call: putServer, In: entry(`{"command":"a","limits":{"concurrent_calls":0}}`), Code: invalid, At: []string{"/entry/limits/concurrent_calls minimum"}},

		{Name: "an entry with neither a command nor a url", Call: putServer, In: entry(`{}`), Code: invalid, At: []string{"/entry configuration"}, Says: "command"},
		{Name: "an entry with both", Call: putServer, In: entry(`{"command":"a","url":"https://a.example"}`), Code: invalid, At: []string{"/entry configuration"}, Says: "keep one"},
		{Name: "a look-alike of a variable", Call: putServer, In: entry(`{"command":"a","env":{"A":"$B"}}`), Code: invalid, At: []string{"/entry/env/A configuration"}, Says: "${NAME}"},
		{Name: "a key that must be escaped in a pointer", Call: putServer, In: entry(`{"command":"a","env":{"a/~b":"%C%"}}`), Code: invalid, At: []string{"/entry/env/a~1~0b configuration"}},
		{Name: "an optional key that leaves nothing out", Call: putServer, In: entry(`{"command":"a","optional_keys":["B"]}`), Code: invalid, At: []string{"/entry/optional_keys/0 configuration"}},
		{Name: "a header with a line break", Call: putServer, In: entry(`{"url":"https://a.example","headers":{"A":"b\nc"}}`), Code: invalid, At: []string{"/entry/headers/A configuration"}},
		{Name: "an unknown key of an entry", Call: putServer, In: entry(`{"comand":"a"}`), Code: invalid, At: []string{"/entry/comand additionalProperties"}, Says: `did you mean "command"`},
		{Name: "an entry that is no object", Call: putServer, In: entry(`"a"`), Code: invalid, At: []string{"/entry type"}},
		{Name: "an argument that is no text", Call: putServer, In: entry(`{"command":"a","args":[1]}`), Code: invalid, At: []string{"/entry/args/0 type"}},
		{Name: "a hint that is no word", Call: putServer, In: entry(`{"command":"a","tool_annotations":{"t":{"read_only":"maybe"}}}`), Code: invalid, At: []string{"/entry/tool_annotations/t/read_only enum"}},
		{Name: "a time that is too short", Call: putServer, In: entry(`{"command":"a","call_timeout_seconds":0}`), Code: invalid, At: []string{"/entry/call_timeout_seconds minimum"}},
		{Name: "no entry", Call: putServer, In: `{"name":"new"}`, Code: invalid, At: []string{"/entry required"}},
		{Name: "an unknown field beside the entry", Call: putServer, In: `{"name":"new","entry":` + command + `,"entrys":1}`, Code: invalid, At: []string{"/entrys additionalProperties"}, Cannot: noFlags(NoField)},
		{Name: "a key of an entry twice", Call: putServer, In: entry(`{"command":"a","command":"b"}`), Code: invalid, At: []string{"/entry/command duplicate"}, OwnOffset: true},
		{Name: "a name of a pack", Call: putServer, In: `{"name":"system","entry":` + command + `}`, Code: invalid, At: []string{"/name configuration"}, Says: `"system"`},
		{Name: "a name that is in the file", Call: putServer, In: `{"name":"declared","entry":` + command + `}`, Code: capabilities.Exists, Says: "declared at"},
		{Name: "added a second time", Call: putServer, In: `{"name":"stored","entry":` + command + `,"if_none_match":true}`, Code: capabilities.Exists, Says: "stored already"},
		{Name: "changed by an old version", Call: putServer, In: `{"name":"stored","entry":` + command + `,"if_match":"0-0"}`, Code: capabilities.StaleVersion, Says: "read it again"},
		{Name: "a change of what is not there", Call: putServer, In: `{"name":"new","entry":` + command + `,"if_match":"0-0"}`, Code: capabilities.NotFound, Says: `"new"`},

		{Name: "a configured name that nobody has", Call: getConfigured, In: `{"name":"stord"}`, Code: capabilities.NotFound, Says: `"stord"`},
		{Name: "a configured name that is too long", Call: getConfigured, In: `{"name":"` + longName + `"}`, Code: invalid, At: []string{"/name maxLength"}},
		{Name: "a removed name that nobody has", Call: removeServer, In: `{"name":"stord"}`, Code: capabilities.NotFound, Says: `"stord"`},
		{Name: "a removal of what stands in the file", Call: removeServer, In: `{"name":"declared"}`, Code: capabilities.Conflict, Says: "take it out there"},
		{Name: "removed by an old version", Call: removeServer, In: `{"name":"stored","if_match":"0-0"}`, Code: capabilities.StaleVersion, Says: "read it again"},
		{Name: "a made-up cursor of the configured servers", Call: listServers, In: `{"cursor":"made-up"}`, Code: invalid, At: []string{"/cursor cursor"}},
		{Name: "too many revisions in a page", Call: revisions, In: `{"limit":1001}`, Code: invalid, At: []string{"/limit maximum"}},
		{Name: "how a name that nobody has is doing", Call: showServer, In: `{"name":"stord"}`, Code: capabilities.NotFound, Says: `"stord"`},
		{Name: "hints of a server that nobody has", Call: acceptHints, In: `{"name":"stord"}`, Code: capabilities.NotFound, Says: `"stord"`},
		{Name: "hints of a tool that nobody lists", Call: acceptHints, In: `{"name":"stored","tools":["echo"]}`, Code: invalid, At: []string{"/tools enum"}, Says: `"echo"`},
		{Name: "hints of tools that are no list", Call: acceptHints, In: `{"name":"stored","tools":"echo"}`, Code: invalid, At: []string{"/tools type"}, Cannot: Cannot{AsFlags: TextOnly}},
	}
}

// longName is longer than a name of a server may be.
const longName = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
