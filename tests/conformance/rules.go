package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is one promise that is held.
type Rule struct {
	ID    string // one word
	Says  string // what holds, in a sentence
	Place string // where in docs/ more is said
}

// The rules, in the order in which they are judged.
const (
	Hints        = "hints"
	Listed       = "listed"
	Examples     = "examples"
	Refusals     = "refusals"
	Unstructured = "unstructured"
	Closed       = "closed"
	Codes        = "codes"
	Determinism  = "determinism"
	Effects      = "effects"
	Schemas      = "schemas"
	Relay        = "relay"
	Secrets      = "secrets"
)

// Rules answers all rules, in the order in which they are judged.
func Rules() []Rule {
	return []Rule{
		{Hints, "the hints in the bytes of tools/list and in the OpenAPI document are those of the declared effect, and no others", "decisions/0002-one-effect-derives-four-hints.md"},
		{Listed, "every surface lists the same, what is listed can be called, and what is not is refused", "gate.md"},
		{Examples, "an example is answered, or refused with the code that it names", "conformance.md"},
		{Refusals, "a refusal has one code, one sentence and one list of violations on every surface, and the statuses of its code", "decisions/0004-a-code-per-thing-a-caller-can-do.md"},
		{Unstructured, "a refusal over MCP is a result with isError, its code in _meta and no structuredContent", "decisions/0019-what-is-wrong-with-a-message-is-a-json-rpc-error.md"},
		{Closed, "a field that is not declared and a key that stands twice are refused, in the same words everywhere", "decisions/0007-one-schema-path-judges-every-call.md"},
		{Codes, "a capability answers no code that it does not declare", "decisions/0004-a-code-per-thing-a-caller-can-do.md"},
		{Determinism, "what follows from the input or the store is the same on every surface, and after a new start", "conformance.md"},
		{Effects, "neither a read nor a dry run changes what is read", "decisions/0021-one-store-enforces-effects.md"},
		{Schemas, "what is taken and what is answered fits the schemas that MCP and the OpenAPI document publish", "decisions/0007-one-schema-path-judges-every-call.md"},
		{Relay, "a bridged tool and its results are what the server behind it sent", "decisions/0006-the-bridge-has-two-lanes.md"},
		{Secrets, "nothing that was planted as a secret comes out", "security.md"},
	}
}

// Finding is a rule that does not hold.
type Finding struct {
	Rule       string // the ID of a [Rule]
	Capability string // "" where it is about none alone
	What       string // what was seen, on which surface
}

// String answers the finding in one line.
func (f Finding) String() string {
	if f.Capability == "" {
		return f.Rule + ": " + f.What
	}
	return fmt.Sprintf("%s: %s: %s", f.Rule, f.Capability, f.What)
}

// Report is what was judged and found.
type Report struct {
	Findings []Finding
	// Judged says how many facts each rule was held against, by its ID.
	Judged map[string]int
	// Left says, by the ID, why a rule was held against nothing.
	Left map[string]string
}

// String answers a line for every rule.
func (r *Report) String() string {
	var b strings.Builder
	for _, rule := range Rules() {
		found := len(slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Rule != rule.ID }))
		fmt.Fprintf(&b, "%-13s %5d judged %3d found  %s", rule.ID, r.Judged[rule.ID], found, rule.Says)
		if why := r.Left[rule.ID]; why != "" {
			fmt.Fprintf(&b, " (%s)", why)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// judged counts facts that a rule was held against.
func (r *Report) judged(rule string, facts int) { r.Judged[rule] += facts }

func (r *Report) found(rule, capability, format string, args ...any) {
	f := Finding{rule, capability, fmt.Sprintf(format, args...)}
	if !slices.Contains(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
}

func (r *Report) left(rule, why string) { r.Left[rule] = why }
