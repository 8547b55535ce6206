package capabilities

import (
	"encoding/hex"
	"strings"
)

// Trace is where a call stands in a distributed trace, as W3C Trace Context has it
// (https://www.w3.org/TR/trace-context/). The zero value is no trace.
type Trace struct {
	ID   [16]byte
	Span [8]byte // the span that what comes next is a part of
	// Sampled says that whoever began the trace has it recorded.
	Sampled bool
	// State is what the systems on the way say to each other: the list of tracestate, or "".
	State string
}

// maxTraceState is the most bytes of a state that is passed on; a longer one is left
// out, as the recommendation allows.
const maxTraceState = 512

// parentLength is how long a traceparent of the version 00 is.
const parentLength = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

// ParseTrace reads a traceparent and a tracestate, the latter "" for none. What is not
// well formed is no trace, and a state alone is none either: both are texts of a
// caller's.
func ParseTrace(parent, state string) Trace {
	var t Trace
	switch {
	case len(parent) < parentLength, parent[2] != '-', parent[35] != '-', parent[52] != '-', parent[:2] == "ff":
		return Trace{}
	case len(parent) > parentLength && (parent[:2] == "00" || parent[parentLength] != '-'):
		return Trace{} // a later version may have more, behind a dash
	}
	var version, flags [1]byte
	if !lowerHex(version[:], parent[:2]) || !lowerHex(t.ID[:], parent[3:35]) || !lowerHex(t.Span[:], parent[36:52]) || !lowerHex(flags[:], parent[53:55]) {
		return Trace{}
	}
	if t.IsZero() || t.Span == [8]byte{} {
		return Trace{}
	}
	t.Sampled = flags[0]&1 != 0
	if len(state) <= maxTraceState && plainState(state) {
		t.State = state
	}
	return t
}

// IsZero reports whether there is no trace.
func (t *Trace) IsZero() bool { return t.ID == [16]byte{} }

// Parent answers the trace as a traceparent, "" for none.
func (t *Trace) Parent() string {
	return string(t.AppendParent(make([]byte, 0, parentLength)))
}

// AppendParent appends what [Trace.Parent] answers.
func (t *Trace) AppendParent(b []byte) []byte {
	if t.IsZero() {
		return b
	}
	b = hex.AppendEncode(append(b, "00-"...), t.ID[:])
	b = hex.AppendEncode(append(b, '-'), t.Span[:])
	if t.Sampled {
		return append(b, "-01"...)
	}
	return append(b, "-00"...)
}

// lowerHex decodes hexadecimal digits, which are small letters alone.
func lowerHex(to []byte, text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}

// plainState reports whether a state can stand in a header and in JSON as it is.
func plainState(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' })
}
