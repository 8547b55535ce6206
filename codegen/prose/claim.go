package prose

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is what sort of thing a claim is about. A [Further] reader has kinds of its own.
type Kind string

// The kinds of claims that this package reads.
const (
	KindName    Kind = "name"    // list_tools: a capability, a code, a key, a member, an event
	KindTool    Kind = "tool"    // the word after "the tool"
	KindPack    Kind = "pack"    // the word after "the pack"
	KindBridged Kind = "bridged" // filesystem__read_file: a tool of a bridged server
	KindRoute   Kind = "route"   // GET /api/v1/tools, /livez
	KindCommand Kind = "command" // a command line of the program
	KindFlag    Kind = "flag"    // --source
	KindKey     Kind = "key"     // a key of the configuration: gate.deny, or one of an example
	KindCode    Kind = "code"    // the word after "the code"
	KindEvent   Kind = "event"   // the word after "the event"
	KindCount   Kind = "count"   // how many there are: N tools
)

// The kinds of findings that are about no claim.
const (
	KindAllow  Kind = "allow"  // an allowance or an escape that nothing needs, or without a reason
	KindUnread Kind = "unread" // a text that could not be read, or not whole
)

// A Claim is one thing that a text says there is.
type Claim struct {
	Kind Kind
	Text string
}

// A Finding is a claim that is not true, and where it stands.
type Finding struct {
	File    string `json:"file"` // as it was given, with slashes
	Line    int    `json:"line"` // from 1; 0 for the file as a whole
	Kind    Kind   `json:"kind"`
	Claim   string `json:"claim"`             // as it is written; "" for the file as a whole
	Why     string `json:"why"`               // a clause without a period
	Nearest string `json:"nearest,omitempty"` // the name that was most likely meant, or ""
}

// String answers "file:line: claim: why; did you mean X?".
func (f Finding) String() string {
	s := f.File
	if f.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, f.Line)
	}
	if f.Claim != "" {
		s = fmt.Sprintf("%s: %q", s, f.Claim)
	}
	s += ": " + f.Why
	if f.Nearest != "" {
		s = fmt.Sprintf("%s; did you mean %q?", s, f.Nearest)
	}
	return s
}

// Sort puts findings in the order of their places, each once.
func Sort(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Claim, b.Claim), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(all)
}
