package inspect

import "slices"

// Severity says how bad a finding is.
type Severity string

// The closed set of severities.
const (
	Error   Severity = "error"   // a client that is in use loses the tool, the list or the session
	Warning Severity = "warning" // some clients lose it, cut it, or ask about every call
	Note    Severity = "note"    // nothing breaks; a caller knows or can do less
)

// A Kind is one kind of finding.
type Kind struct {
	ID       string   `json:"id"` // stable, for --fail-on and for programs
	Severity Severity `json:"severity"`
	Means    string   `json:"means"`
	Breaks   string   `json:"breaks"` // whom, and how
}

// The limits that findings are about. They are those of the clients named in [Kinds].
const (
	maxName        = 64
	maxDescription = 1024
	maxTools       = 128
	maxDepth       = 10
	heavyTool      = 4_000  // tokens
	heavyList      = 20_000 // tokens: a tenth of a window of 200,000
)

// Kinds answers every kind of finding, by severity and then by what it is about.
func Kinds() []Kind {
	return []Kind{
		{"skipped-tool", Error, "the entry is no tool that can be offered", "every client; those that read the list as one document lose all of it"},
		{"list-endless", Error, "the list of tools does not come to an end", "clients that follow every cursor ask until they run out of time or memory"},
		{"junk-output", Error, "standard output holds lines that are no JSON-RPC messages", "clients on the Go SDK end the session at the first one; others log each"},
		{"contradiction", Error, "readOnlyHint and destructiveHint are both true", "clients that run read-only tools unasked, and those that ask for destructive ones: the two disagree"},
		{"duplicate-name", Error, "two entries have one name", "model APIs refuse a request with it; in a client that keeps one of them the other is never called"},
		{"root-type", Error, "the root of a schema does not say type: object", "clients on the TypeScript SDK 1.x refuse the whole list; gateways on the Go SDK cannot register the tool"},
		{"root-combinator", Error, "anyOf, oneOf or allOf stands at the root of the input schema", "the APIs of Anthropic and OpenAI refuse every request that carries the tool; clients in front of them drop it"},
		{"schema-invalid", Error, "the schema is not valid JSON Schema, or refers to nothing", "clients that compile schemas before a call: each call fails, or the tool is dropped"},
		{"remote-ref", Error, "a $ref leads out of the schema", "every client that does not fetch what a stranger names, which it should not"},

		{"discover-exited", Warning, "the process ends when it is asked server/discover", "clients of 2026-07-28 that do not start it a second time"},
		{"discover-ignored", Warning, "server/discover is not answered at all", "clients of 2026-07-28 wait for it before they initialize, or for ever"},
		{"stop-killed", Warning, "it took SIGKILL to end the process", "clients that stop at SIGTERM leave it running"},
		{"left-processes", Warning, "processes outlive the one that was started", "clients that end one process and not its group collect the rest"},
		{"unknown-hints", Warning, "readOnlyHint, destructiveHint or openWorldHint is absent where it has a meaning", "clients that ask about every call not known to read; directories that refuse a tool without them"},
		{"odd-hint", Warning, "a hint is no boolean, or is spelt almost like one", "clients on the Go SDK lose the whole list by a value of another type; everyone else reads it as absent"},
		{"name-says-write", Warning, "readOnlyHint is true and the name says that the tool changes something", "clients that run read-only tools unasked"},
		{"name-characters", Warning, "the name has characters outside A-Z, a-z, 0-9, _ and -", "model APIs refuse a request with it; clients in front of them rename or drop the tool"},
		{"name-too-long", Warning, "with mcp__, the server's name and __ before it the name is over 64 characters", "model APIs refuse a request with it; the client is a coding assistant that prefixes so"},
		{"invisible-characters", Warning, "texts hold control characters, or ones that show nothing or turn others", "whoever approves a call by what they see: a terminal acts on some, and a model reads what a person does not"},
		{"long-description", Warning, "the description is over 1,024 characters", "APIs of OpenAI's kind refuse a request with it; Claude Code cuts at 2,048"},
		{"root-ref", Warning, "the root of a schema is a $ref", "clients and model APIs that look for properties at the root find none"},
		{"no-properties", Warning, "the root of the input schema has no properties", "OpenAI's API and clients that require the member: it may be empty"},
		{"property-name", Warning, "an argument's name does not match ^[a-zA-Z0-9_.-]{1,64}$", "Anthropic's API refuses every request that carries the tool"},
		{"array-without-items", Warning, "an array does not say what its items are", "OpenAI's and Gemini's APIs and VS Code refuse the tool"},
		{"required-undefined", Warning, "required names a property that is not defined", "Gemini's API refuses a request with it"},
		{"recursion", Warning, "the schema refers to itself", "clients that put definitions in the place of references run out of stack, or cut them"},
		{"pointer-ref", Warning, "a $ref leads to a place outside $defs and definitions", "clients and generators that look references up in those two alone"},
		{"pattern-not-re2", Warning, "a pattern needs look-around or a back-reference, or is none", "validators on RE2 (Go, Rust): they refuse the schema or do not check the argument"},
		{"output-dialect", Warning, "the output schema names another dialect than 2020-12", "clients that take 2020-12 alone: every call of the tool fails, though it worked"},
		{"unknown-dialect", Warning, "$schema names a dialect that nobody knows", "clients that look the dialect up"},
		{"deep-schema", Warning, "the schema nests deeper than 10 levels", "OpenAI's API in strict mode"},
		{"many-tools", Warning, "there are more than 128 tools", "OpenAI's API and VS Code refuse a request with more, those of other servers counted"},
		{"heavy-list", Warning, "the list takes more than about 20,000 tokens", "every conversation pays for it, before anything is asked"},
		{"heavy-tool", Warning, "the tool takes more than about 4,000 tokens", "every conversation pays for it, before anything is asked"},
		{"old-transport", Warning, "the server speaks HTTP+SSE of 2024-11-05 alone", "clients that dropped that transport"},

		{"stop-signalled", Note, "it took SIGTERM to end the process: closing its input did not", "clients that close its input and wait"},
		{"unknown-idempotent", Note, "a tool that may change something leaves idempotentHint out", "nobody: but a call whose answer was lost is not repeated"},
		{"unstated-destructive", Note, "a read-only tool leaves destructiveHint out, which has no meaning there", "directories that want it stated for every tool"},
		{"no-description", Note, "the tool has no description", "a model chooses by it"},
		{"type-list", Note, "type is a list", "Gemini's API takes one type; generators make a union of it, or nothing"},
		{"boolean-subschema", Note, "true or false stands where a schema is expected", "Gemini's API and generators that expect an object"},
		{"nullable", Note, "nullable is no word of JSON Schema", "validators ignore it and refuse null"},
		{"open-input", Note, "unknown arguments are accepted", "nobody: but a misspelt argument is ignored, and no one is told"},
	}
}

// KindOf answers the kind with the id.
func KindOf(id string) (Kind, bool) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.ID == id })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}
