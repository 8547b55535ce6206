package capabilities

// Spec is what a declaration says about a capability beside its types and its
// handler. [Assemble] checks every field.
type Spec struct {
	// Name is the MCP tool name, the CLI name and the file name: [a-z][a-z0-9_]*,
	// at most 48 characters, no "__", unique. Declared, never derived.
	Name string
	// Title is the name for people.
	Title string
	// Summary is one sentence in the imperative, for a model choosing a tool, at
	// most 200 bytes.
	Summary string
	// Effect is what a call may change, and where.
	Effect Effect
	// Route is "METHOD /path/{field}" under /api/v1. The method follows from the
	// effect; path fields are required fields of the input.
	Route string
	// Delivers names the place a call delivers something to a person at; "" for
	// nowhere. A read delivers nowhere.
	Delivers string
	// Scope is what a principal must have been granted. "" means "<pack>:read" or
	// "<pack>:write", by the effect; [ScopeAnyone] is for who has neither.
	Scope string
	// Answers says what a result is a function of.
	Answers Answers
	// Refuses names the codes the handler may answer beyond the implicit ones.
	Refuses Codes
	// Examples are shown by the docs and run by the tests.
	Examples []Example
	// Aliases are old names, listed during their window.
	Aliases []Alias
	// Rehearses says that the handler answers a dry run itself: it reads DryRun of
	// [CallFrom]'s operation, judges the call, and changes nothing.
	Rehearses bool
	// Undo names the capability that brings the earlier state back; "" for none.
	Undo string
}

// Example is one call of a capability: JSON arguments that pass the input
// schema, or the refusal they must meet.
type Example struct {
	Name    string // what it shows, in a few words
	In      string // the arguments as JSON
	Refuses Code   // the refusal the call answers; "" for success
}

// Alias is an old name of a capability. It stays listed, marked deprecated, and
// callable during its window.
type Alias struct {
	Name  string
	Since string // the version that renamed it
	Until string // the version that drops it
}
