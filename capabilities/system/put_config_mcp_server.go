package system

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// PutConfigMCPServer adds or changes one stored MCP server.
var PutConfigMCPServer = capabilities.Declare(Pack, capabilities.Spec{
	Name:  "put_config_mcp_server",
	Title: "Put configured MCP server",
	Summary: "Add an MCP server, or change one that was added here: the whole entry. " +
		"The whole configuration is checked first; then the server is started.",
	// A server is started: what that does is not bounded by this program.
	Effect:    capabilities.Set(capabilities.World),
	Route:     "PUT /config/mcp-servers/{name}",
	Scope:     capabilities.ScopeAdmin,
	Answers:   capabilities.FromProcess,
	Rehearses: true,
	Refuses:   capabilities.Codes{capabilities.NotFound, capabilities.Exists, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "neither a command nor a url", In: `{"name":"files","entry":{}}`, Refuses: capabilities.Invalid},
	},
}, putConfigMCPServer, needsConfiguration())

// PutConfigMCPServerInput is the whole entry of one server.
type PutConfigMCPServerInput struct {
	// The server's name.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// What the server is: a command or a url, and how its tools are presented.
	Entry MCPServerEntry `json:"entry"`
	// Change it only when it still has this version, as get_config_mcp_server shows it.
	IfMatch string `json:"if_match,omitempty" jsonschema:"maxLength=128"`
	// Add it only when no server has this name.
	IfNoneMatch bool `json:"if_none_match,omitempty"`
}

// MCPServerEntry is an entry of mcp_servers, in the keys of the configuration.
type MCPServerEntry struct {
	// The program to start, on this machine and as the user of this process.
	Command string `json:"command,omitempty"`
	// Its arguments, byte for byte: no shell, no variables.
	Args []string `json:"args,omitzero"`
	// Environment variables of the program. Refer to secrets as ${NAME}.
	Env map[string]string `json:"env,omitzero"`
	// The directory to start it in, as an absolute path.
	Cwd string `json:"cwd,omitempty"`
	// Where the server is, in place of a command.
	URL string `json:"url,omitempty"`
	// Headers of every request to it. Refer to secrets as ${NAME}.
	Headers map[string]string `json:"headers,omitzero"`
	// How it is reached, where that does not follow from command or url.
	Transport Transport `json:"transport,omitempty"`
	// False gives every seat with mcp_env for it a child of its own.
	Shared *bool `json:"shared,omitempty"`
	// Keys of env or headers to leave out while their variables do not resolve.
	OptionalKeys []string `json:"optional_keys,omitzero"`
	// What its tools' names begin with, in place of what the name gives.
	ToolPrefix string `json:"tool_prefix,omitempty"`
	// What to say of tools in place of what the server says, by the tool's name.
	ToolAnnotations map[string]ToolAnnotation `json:"tool_annotations,omitzero"`
	// The tools to keep, by their own names; without it all, and none of an empty list.
	Allow []string `json:"allow,omitzero"`
	// The tools to leave out, by their own names.
	Deny []string `json:"deny,omitzero"`
	// How long its start may take, in seconds.
	StartupTimeoutSeconds int `json:"startup_timeout_seconds,omitempty" jsonschema:"minimum=1,maximum=3600"`
	// How long one call may take, in seconds.
	CallTimeoutSeconds int `json:"call_timeout_seconds,omitempty" jsonschema:"minimum=1,maximum=86400"`
	// What one child of the server may be asked for.
	Limits *MCPServerLimits `json:"limits,omitempty"`
	// What is passed on between the server and MCP clients beside calls of its tools.
	Relay *MCPServerRelay `json:"relay,omitempty"`
	// What a hint that moves towards danger means: warn, or hold the tool until accepted.
	Drift DriftRule `json:"drift,omitempty"`
	// How it is signed in to, where it asks for that.
	OAuth *MCPServerOAuth `json:"oauth,omitempty"`
}

// MCPServerOAuth is how a server is signed in to.
type MCPServerOAuth struct {
	// False never signs in.
	Enabled *bool `json:"enabled,omitempty"`
	// The id of a client that is registered already; without it one is.
	ClientID string `json:"client_id,omitempty"`
	// The secret of that client, as ${NAME}; it goes with issuer.
	ClientSecret string `json:"client_secret,omitempty"`
	// The one authorization server to sign in at.
	Issuer string `json:"issuer,omitempty" jsonschema:"maxLength=2048"`
	// What to ask for, in place of what the server names.
	Scopes []string `json:"scopes,omitzero"`
}

// MCPServerLimits are what one child of a server may be asked for.
type MCPServerLimits struct {
	// How many calls may run at once; further ones wait for their turn.
	ConcurrentCalls int `json:"concurrent_calls,omitempty" jsonschema:"minimum=1,maximum=1000"`
	// How many calls may begin within any 60 seconds; further ones are refused.
	CallsPerMinute int `json:"calls_per_minute,omitempty" jsonschema:"minimum=1,maximum=10000"`
	// How many bytes the result of a call may have; a larger one is refused whole.
	ResultBytes int `json:"result_bytes,omitempty" jsonschema:"minimum=1024,maximum=16777216"`
}

// MCPServerRelay is what is passed on between a server and the clients of its callers.
type MCPServerRelay struct {
	// Questions to the user of the client whose call it serves; on unless false.
	Elicitation *bool `json:"elicitation,omitempty"`
	// Questions to the model of that client; off unless true, or on for a seat's own server.
	Sampling *bool `json:"sampling,omitempty"`
	// Which directories that client works in; off unless true, or on for a seat's own server.
	Roots *bool `json:"roots,omitempty"`
	// What the server logs while a call runs; on unless false.
	Logging *bool `json:"logging,omitempty"`
	// Its prompts; on unless false.
	Prompts *bool `json:"prompts,omitempty"`
	// Its resources; on unless false.
	Resources *bool `json:"resources,omitempty"`
}

// ToolAnnotation is what the operator says of one tool's hints.
type ToolAnnotation struct {
	// Whether the tool changes nothing.
	ReadOnly HintWord `json:"read_only,omitempty"`
	// Whether the tool may change or remove what exists.
	Destructive HintWord `json:"destructive,omitempty"`
	// Whether calling the tool twice is calling it once.
	Idempotent HintWord `json:"idempotent,omitempty"`
	// Whether the tool reaches anything outside its own closed domain.
	OpenWorld HintWord `json:"open_world,omitempty"`
	// The title to show in place of the server's.
	Title string `json:"title,omitempty" jsonschema:"maxLength=200"`
}

// HintWord is yes, no or unknown; unknown takes back what the server says.
type HintWord string

// SchemaEnum lists the members.
func (HintWord) SchemaEnum() []string { return []string{"yes", "no", "unknown"} }

// DriftRule is what happens when hints move towards danger.
type DriftRule string

// SchemaEnum lists the members.
func (DriftRule) SchemaEnum() []string { return []string{"warn", "hold"} }

func putConfigMCPServer(ctx context.Context, d Deps, in PutConfigMCPServerInput) (ConfiguredServer, error) {
	if all := in.Entry.maskedValues(); all != nil {
		return ConfiguredServer{}, capabilities.Violates(all...)
	}
	raw, err := json.Marshal(in.Entry)
	if err != nil {
		return ConfiguredServer{}, fmt.Errorf("writing the entry: %w", err)
	}
	return d.Configuration.Put(ctx, change(ctx, in.Name, raw, in.IfMatch, in.IfNoneMatch))
}

func change(ctx context.Context, name string, raw json.RawMessage, version string, absent bool) EntryChange {
	call := capabilities.CallFrom(ctx)
	return EntryChange{
		Name: name, Entry: raw, By: call.Principal.ID, Absent: absent, Version: version, Rehearsal: call.Operation.DryRun,
	}
}
