package prose_test

import "github.com/seed-89b9419b/holotype/codegen/prose"

// What is claimed here and is not about this product, or not about its present. A file of
// allowances says the same of other products.
var allowedHere = []prose.Allowance{
	{Kind: prose.KindName, Text: "parent_num", In: "capabilities/tracker/item_store.go", Why: "a column that a statement names"},
	{Kind: prose.KindFlag, Text: "--format", In: "internal/store/postgres/engine.go", Why: "a flag of pg_dump"},
	// The capability that the tutorial has its reader add; tests/arch compiles it.
	{Kind: prose.KindName, Text: "get_caller", In: "docs/add-a-capability.md", Why: "the reader adds it", Optional: true},
	{Kind: kindFile, Text: "get_caller.go", In: "docs/add-a-capability.md", Why: "the reader adds it", Optional: true},
	{Kind: kindFile, Text: "capabilities/system/get_caller.go", In: "docs/add-a-capability.md", Why: "the reader adds it", Optional: true},
	{Kind: prose.KindCommand, Text: "holotype call get_caller", In: "docs/add-a-capability.md", Why: "the reader adds it", Optional: true},
	{Kind: prose.KindBridged, Text: "mcp__holotype__", In: "docs/gate.md", Why: "how clients show a tool of this server"},
	{Kind: prose.KindRoute, Text: "GET /api/v1/caller", In: "docs/add-a-capability.md", Why: "the reader adds it", Optional: true},

	// Examples of what somebody else has or declares.
	{Kind: prose.KindName, Text: "create_issue", In: "projection/mcpserver/find.go", Why: "a name of a tool as people search for it"},
	{Kind: prose.KindRoute, Text: "POST /projects/{project}/work-items", In: "capabilities/doc.go", Why: "a declaration of somebody else's pack"},
	{Kind: prose.KindName, Text: "update_issue", In: "docs/decisions/0012-*", Why: "a name that several servers share"},
	{Kind: prose.KindName, Text: "mcp_command", In: "internal/config/fault.go", Why: "a key that is misspelt"},
	{Kind: prose.KindBridged, Text: "server__tool", In: "README.md", Why: "the shape of a name"},
	{Kind: prose.KindBridged, Text: "server__tool", In: "docs/projections.md", Why: "the shape of a name"},
	{Kind: prose.KindBridged, Text: "notes__greet", In: "docs/relays.md", Why: "a prompt of an example"},
	{Kind: kindFile, Text: "notes__resources/read", In: "docs/relays.md", Why: "a relayed method of an example"},
	{Kind: kindFile, Text: "notes__resources/*", In: "docs/relays.md", Why: "a pattern of an example"},
	{Kind: kindFile, Text: "holotype/unlisted", In: "docs/relays.md", Why: "a key of _meta"},
	{Kind: kindFile, Text: "mcp_servers.json", In: "docs/backup.md", Why: "a file of the data directory"},
	{Kind: kindFile, Text: "hints.json", In: "docs/backup.md", Why: "a file of the data directory"},
	{Kind: prose.KindBridged, Text: "mcp__holotype__", In: "docs/decisions/0012-*", Why: "what a client puts before a name"},
	{Kind: prose.KindFlag, Text: "--flag", In: "projection/cli/*.go", Why: "any flag"},
	{Kind: kindFile, Text: "docs/decisions/NNNN-claim.md", In: "docs/conventions.md", Why: "the shape of a name"},
	{Kind: kindFile, Text: "open_windows.go", In: "docs/decisions/0005-*", Why: "a name that Go drops"},
	{Kind: kindFile, Text: "run_test.go", In: "docs/decisions/0005-*", Why: "a name that Go drops"},

	// What is decided before it is there; the text says so.
	{Kind: kindFile, Text: "features/<noun>/", In: "docs/conventions.md", Why: "holds from the first file of a console"},

	{Kind: prose.KindName, Text: "list_wrogn", In: "codegen/prose/escape.go", Why: "what an escape is shown with"},

	// Words of other systems.
	{Kind: prose.KindName, Text: "node_modules", Why: "a folder of npm"},
	{Kind: kindFile, Text: "server.json", Why: "what is written for a configuration"},
	{Kind: kindFile, Text: "mcpb/manifest.json", In: "docs/generate.md", Why: "what is written for a configuration"},
	{Kind: kindFile, Text: "mcpb/server/holotype", In: "docs/generate.md", Why: "what is written for a configuration"},
	{Kind: kindFile, Text: "man/man1/", In: "docs/generate.md", Why: "what is written for a configuration"},
	{Kind: kindFile, Text: "completions/", In: "docs/generate.md", Why: "what is written for a configuration"},
	{Kind: prose.KindName, Text: "siginfo_t", In: "capabilities/bridge/child_darwin.go", Why: "a type of the system"},
	{Kind: prose.KindName, Text: "sun_path", In: "internal/datadir/socket.go", Why: "a field of the system"},
	{Kind: prose.KindName, Text: "snake_case", In: "docs/conventions.md", Why: "English"},
	{Kind: prose.KindName, Text: "x_test", In: "docs/conventions.md", Why: "a Go package of tests"},
	{Kind: prose.KindName, Text: "jsonschema_description", In: "docs/decisions/0009-*", Why: "a struct tag of the library that reflects"},
	{Kind: prose.KindName, Text: "resource_link", In: "projection/httpapi/openapi/response.go", Why: "a content type of MCP"},
	{Kind: prose.KindName, Text: "o200k_base", Why: "a tokenizer's vocabulary"},
	{Kind: prose.KindName, Text: "holotype_session", In: "projection/httpapi/*.go", Why: "the cookie's name, put together from the program's"},
	{Kind: kindFile, Text: "mcp/protocol.go", In: "docs/decisions/0003-*", Why: "a file of the protocol's SDK"},
	{Kind: prose.KindRoute, Text: "POST /v1/call", In: "internal/remote/doc.go", Why: "spoken on the socket of the data directory alone"},
	{Kind: prose.KindRoute, Text: "POST /v1/leave", In: "internal/remote/doc.go", Why: "spoken on the socket of the data directory alone"},
	{Kind: prose.KindRoute, Text: "POST /v1/login", In: "internal/remote/doc.go", Why: "spoken on the socket of the data directory alone"},
	{Kind: prose.KindRoute, Text: "POST /v1/mcp", In: "internal/remote/doc.go", Why: "spoken on the socket of the data directory alone"},

	// Where a service of systemd has its files, and a container its data.
	{Kind: prose.KindRoute, Text: "/etc/holotype/config.yaml", In: "docs/install.md", Why: "a path of a service"},
	{Kind: prose.KindRoute, Text: "/var/lib/holotype", In: "docs/install.md", Why: "a path of a service"},
	{Kind: prose.KindRoute, Text: "/var/lib/holotype-key", In: "docs/install.md", Why: "a path of a service"},
	{Kind: prose.KindRoute, Text: "/data", In: "docs/install.md", Why: "a path within a container"},
	{Kind: kindFile, Text: "mcpb/manifest.json", In: "docs/install.md", Why: "what is written for a configuration"},

	// What OpenTelemetry and the modules beside it call things.
	{Kind: prose.KindName, Text: "tool_error", In: "docs/operate.md", Why: "a type of an error by the conventions for MCP"},
	{Kind: prose.KindName, Text: "tool_error", In: "internal/telemetry/traces.go", Why: "a type of an error by the conventions for MCP"},
	{Kind: prose.KindRoute, Text: "/v1/traces", In: "internal/config/telemetry.go", Why: "a route of a collector"},
	{Kind: prose.KindRoute, Text: "/v1/metrics", In: "internal/config/telemetry.go", Why: "a route of a collector"},
	{Kind: kindFile, Text: "github.com/prometheus/client_golang", In: "docs/decisions/0041-*", Why: "a module that is not taken"},

	// What OAuth calls things; its addresses are there when the configuration has the entry.
	{Kind: kindWord, Text: "audience", In: "docs/oauth.md", Why: "whom an access token is for"},
	{Kind: kindWord, Text: "audience", In: "docs/decisions/0033-*", Why: "whom an access token is for"},
	{Kind: kindWord, Text: "endpoint", In: "docs/oauth.md", Why: "an address of MCP or of OAuth"},
	{Kind: kindWord, Text: "endpoint", In: "docs/decisions/0033-*", Why: "an address of MCP"},
	{Kind: kindWord, Text: "endpoint", In: "docs/decisions/0043-*", Why: "an address of OAuth"},
	{Kind: kindWord, Text: "account", In: "docs/decisions/0043-*", Why: "what one has at somebody else's server"},
	{Kind: prose.KindRoute, Text: "/oauth/authorize", In: "docs/oauth.md", Why: "where the configuration has oauth"},
	{Kind: prose.KindRoute, Text: "/oauth/token", In: "docs/oauth.md", Why: "where the configuration has oauth"},
	{Kind: prose.KindRoute, Text: "/oauth/register", In: "docs/oauth.md", Why: "where the configuration has oauth"},
	{Kind: prose.KindRoute, Text: "/oauth/revoke", In: "docs/oauth.md", Why: "where the configuration has oauth"},
	{Kind: prose.KindRoute, Text: "/.well-known/oauth-authorization-server", In: "docs/oauth.md", Why: "where the configuration has oauth"},
	{Kind: prose.KindRoute, Text: "/.well-known/", In: "docs/oauth.md", Why: "the root of what a host says about itself"},
	{Kind: kindFile, Text: "github.com/zitadel/oidc/v3", In: "docs/decisions/0033-*", Why: "a module that is not taken"},
	{Kind: kindFile, Text: "github.com/ory/fosite", In: "docs/decisions/0033-*", Why: "a module that is not taken"},
	{Kind: prose.KindName, Text: "code_challenge", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},
	{Kind: prose.KindName, Text: "code_challenge_method", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},
	{Kind: prose.KindName, Text: "code_verifier", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},
	{Kind: prose.KindName, Text: "grant_type", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},
	{Kind: prose.KindName, Text: "redirect_uri", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},
	{Kind: prose.KindName, Text: "response_type", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},
	{Kind: prose.KindName, Text: "response_mode", In: "internal/authserver/*.go", Why: "a parameter of OAuth"},

	// What the official conformance suite calls its scenarios.
	{Kind: prose.KindName, Text: "tools_call", In: "docs/conformance.md", Why: "a scenario of the suite"},
	{Kind: kindWord, Text: "endpoint", In: "docs/conformance.md", Why: "in names of scenarios of the suite"},
	{Kind: kindWord, Text: "failure", In: "docs/conformance.md", Why: "in the name of a file"},

	// Synonyms that have a meaning of their own where they stand.
	{Kind: kindWord, Text: "client", Why: "an MCP client, a program that nobody here wrote"},
	{Kind: kindWord, Text: "user", Why: "a person who has the program"},
	{Kind: kindWord, Text: "module", Why: "a Go module"},
	{Kind: kindWord, Text: "function", Why: "a Go function, or one of mathematics"},
	{Kind: kindWord, Text: "status", Why: "of HTTP, of a process, of a decision"},
	{Kind: kindWord, Text: "error type", In: "docs/decisions/0004-*", Why: "a Go type"},
	{Kind: kindWord, Text: "failure", In: "docs/decisions/0004-*", Why: "what happened to a server, not to a call"},
	{Kind: kindWord, Text: "request", Why: "what a surface receives"},
	{Kind: kindWord, Text: "verb", Why: "of HTTP"},
	{Kind: kindWord, Text: "flag", Why: "of a command line"},
	{Kind: kindWord, Text: "annotation", Why: "the MCP object"},
	{Kind: kindWord, Text: "transport", Why: "of MCP, below a surface"},
	{Kind: kindWord, Text: "origin", Why: "of a web page"},
	{Kind: kindWord, Text: "interface", In: "docs/conventions.md", Why: "a Go interface"},
	{Kind: kindWord, Text: "channel", In: "docs/decisions/0011-*", Why: "a Go channel"},
	{Kind: kindWord, Text: "snapshot", In: "docs/conventions.md", Why: "what a card must not be"},
	{Kind: kindWord, Text: "adapter", In: "docs/decisions/0011-*", Why: "of a library"},
	{Kind: kindWord, Text: "adapter", In: "docs/decisions/0012-*", Why: "the name of a repository"},
	{Kind: kindWord, Text: "middleware", In: "docs/decisions/0011-*", Why: "of a router"},
	{Kind: kindWord, Text: "router", Why: "of HTTP"},
	{Kind: kindWord, Text: "request id", In: "docs/speed.md", Why: "the header X-Request-Id, which names what a surface received"},
}
