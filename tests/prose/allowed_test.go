package prose_test

import "path"

// An allowed claim is one that is not about this product, or not about its present.
type allowed struct {
	kind kind
	text string
	in   string // a pattern of the files it may stand in; "" is every file
	why  string
}

// allowance is a list of allowed claims that knows which of them were needed.
type allowance struct {
	entries []allowed
	needed  map[int]bool
}

func newAllowance(entries ...allowed) *allowance {
	if entries == nil {
		entries = allowedHere
	}
	return &allowance{entries, map[int]bool{}}
}

// covers says whether an untrue claim is allowed.
func (a *allowance) covers(c claim) bool {
	for i, e := range a.entries {
		if e.kind != c.kind || e.text != c.text {
			continue
		}
		if ok, err := path.Match(e.in, c.file); e.in == "" || ok && err == nil {
			a.needed[i] = true
			return true
		}
	}
	return false
}

// readerAdds is why a claim is allowed that becomes true when the reader does as told.
const readerAdds = "the reader adds it"

// idle answers the entries that nothing needed.
func (a *allowance) idle() []allowed {
	var all []allowed
	for i, e := range a.entries {
		if !a.needed[i] && e.why != readerAdds {
			all = append(all, e)
		}
	}
	return all
}

var allowedHere = []allowed{
	{kindName, "parent_num", "capabilities/tracker/item_store.go", "a column that a statement names"},
	{kindName, "version_id", "internal/store/export.go", "a column of the library that numbers schema files"},
	{kindFlag, "--format", "internal/store/postgres/engine.go", "a flag of pg_dump"},
	// The capability that CONTRIBUTING has its reader add; tests/arch compiles it.
	{kindName, "get_caller", "CONTRIBUTING.md", readerAdds},
	{kindFile, "get_caller.go", "CONTRIBUTING.md", readerAdds},
	{kindFile, "capabilities/system/get_caller.go", "CONTRIBUTING.md", readerAdds},
	{kindCommand, "./bin/holotype call get_caller", "CONTRIBUTING.md", readerAdds},
	{kindBridged, "mcp__holotype__", "docs/gate.md", "how clients show a tool of this server"},
	{kindRoute, "GET /api/v1/caller", "CONTRIBUTING.md", readerAdds},

	// Examples of what somebody else has or declares.
	{kindRoute, "POST /projects/{project}/work-items", "capabilities/doc.go", "a declaration of somebody else's pack"},
	{kindName, "update_issue", "docs/decisions/0012-*", "a name that several servers share"},
	{kindName, "mcp_command", "internal/config/fault.go", "a key that is misspelt"},
	{kindBridged, "server__tool", "README.md", "the shape of a name"},
	{kindBridged, "mcp__holotype__", "docs/decisions/0012-*", "what a client puts before a name"},
	{kindFlag, "--flag", "projection/cli/*.go", "any flag"},
	{kindFile, "docs/decisions/NNNN-claim.md", "docs/conventions.md", "the shape of a name"},
	{kindFile, "open_windows.go", "docs/decisions/0005-*", "a name that Go drops"},
	{kindFile, "run_test.go", "docs/decisions/0005-*", "a name that Go drops"},

	// What is decided before it is there; the text says so.
	{kindFile, "features/<noun>/", "docs/conventions.md", "holds from the first file of a console"},
	{kindRoute, "/.well-known/", "projection/httpapi/server.go", "whoever may ask for it, nothing stands there yet"},

	// Words of other systems.
	{kindName, "siginfo_t", "capabilities/bridge/child_darwin.go", "a type of the system"},
	{kindName, "sun_path", "internal/datadir/socket.go", "a field of the system"},
	{kindName, "snake_case", "docs/conventions.md", "English"},
	{kindName, "x_test", "docs/conventions.md", "a Go package of tests"},
	{kindName, "jsonschema_description", "docs/decisions/0009-*", "a struct tag of the library that reflects"},
	{kindName, "resource_link", "projection/httpapi/openapi/response.go", "a content type of MCP"},
	{kindName, "o200k_base", "", "a tokenizer's vocabulary"},
	{kindName, "holotype_session", "projection/httpapi/*.go", "the cookie's name, put together from the program's"},
	{kindFile, "mcp/protocol.go", "docs/decisions/0003-*", "a file of the protocol's SDK"},
	{kindRoute, "POST /v1/call", "internal/remote/doc.go", "spoken on the socket of the data directory alone"},
	{kindRoute, "POST /v1/leave", "internal/remote/doc.go", "spoken on the socket of the data directory alone"},
	{kindRoute, "POST /v1/login", "internal/remote/doc.go", "spoken on the socket of the data directory alone"},
	{kindRoute, "POST /v1/mcp", "internal/remote/doc.go", "spoken on the socket of the data directory alone"},

	// What OAuth calls things; its addresses are there when the configuration has the entry.
	{kindWord, "audience", "docs/oauth.md", "whom an access token is for"},
	{kindWord, "audience", "docs/decisions/0033-*", "whom an access token is for"},
	{kindWord, "endpoint", "docs/oauth.md", "an address of MCP or of OAuth"},
	{kindWord, "endpoint", "docs/decisions/0033-*", "an address of MCP"},
	{kindRoute, "/oauth/authorize", "docs/oauth.md", "where the configuration has oauth"},
	{kindRoute, "/oauth/token", "docs/oauth.md", "where the configuration has oauth"},
	{kindRoute, "/oauth/register", "docs/oauth.md", "where the configuration has oauth"},
	{kindRoute, "/oauth/revoke", "docs/oauth.md", "where the configuration has oauth"},
	{kindRoute, "/.well-known/oauth-authorization-server", "docs/oauth.md", "where the configuration has oauth"},
	{kindRoute, "/.well-known/", "docs/oauth.md", "the root of what a host says about itself"},
	{kindFile, "github.com/zitadel/oidc/v3", "docs/decisions/0033-*", "a module that is not taken"},
	{kindFile, "github.com/ory/fosite", "docs/decisions/0033-*", "a module that is not taken"},
	{kindName, "code_challenge", "internal/authserver/*.go", "a parameter of OAuth"},
	{kindName, "code_challenge_method", "internal/authserver/*.go", "a parameter of OAuth"},
	{kindName, "code_verifier", "internal/authserver/*.go", "a parameter of OAuth"},
	{kindName, "grant_type", "internal/authserver/*.go", "a parameter of OAuth"},
	{kindName, "redirect_uri", "internal/authserver/*.go", "a parameter of OAuth"},
	{kindName, "response_type", "internal/authserver/*.go", "a parameter of OAuth"},
	{kindName, "response_mode", "internal/authserver/*.go", "a parameter of OAuth"},

	// Synonyms that have a meaning of their own where they stand.
	{kindWord, "client", "", "an MCP client, a program that nobody here wrote"},
	{kindWord, "user", "", "a person who has the program"},
	{kindWord, "module", "", "a Go module"},
	{kindWord, "function", "", "a Go function, or one of mathematics"},
	{kindWord, "status", "", "of HTTP, of a process, of a decision"},
	{kindWord, "error type", "docs/decisions/0004-*", "a Go type"},
	{kindWord, "failure", "docs/decisions/0004-*", "what happened to a server, not to a call"},
	{kindWord, "request", "", "what a surface receives"},
	{kindWord, "verb", "", "of HTTP"},
	{kindWord, "flag", "", "of a command line"},
	{kindWord, "annotation", "", "the MCP object"},
	{kindWord, "transport", "", "of MCP, below a surface"},
	{kindWord, "origin", "", "of a web page"},
	{kindWord, "interface", "docs/conventions.md", "a Go interface"},
	{kindWord, "channel", "docs/decisions/0011-*", "a Go channel"},
	{kindWord, "snapshot", "docs/conventions.md", "what a card must not be"},
	{kindWord, "adapter", "docs/decisions/0011-*", "of a library"},
	{kindWord, "adapter", "docs/decisions/0012-*", "the name of a repository"},
	{kindWord, "middleware", "docs/decisions/0011-*", "of a router"},
	{kindWord, "router", "", "of HTTP"},
	{kindWord, "request id", "docs/speed.md", "the header X-Request-Id, which names what a surface received"},
}
