package capabilities

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync/atomic"
	"time"
)

// Surface is where a call arrived.
type Surface string

// The closed set of surfaces. InProcess is a typed call through a [Handle].
const (
	HTTP      Surface = "http"
	MCP       Surface = "mcp"
	CLI       Surface = "cli"
	Console   Surface = "console"
	InProcess Surface = "in_process"
)

// Call is one invocation as a surface hands it to the door: decoded as far as
// the name, the arguments still raw.
type Call struct {
	Name string
	// Method is that of another server's which is relayed, see [NewRelayed]; "" is a call
	// of a tool. What the door finds is of this method.
	Method    string
	Arguments json.RawMessage // a JSON object; empty means {}
	Principal *Principal
	Surface   Surface
	Operation Operation
	RequestID string
	// Trace is the trace that the caller says the call is a part of; the zero value is none.
	Trace Trace
	// Wait is how long the caller is ready to have the call held, at most [MaxWait], where
	// a person has to approve it; 0 leaves that to the rule, and [NoWait] is not at all.
	Wait time.Duration
	// Progress receives what the handler reports; nil when the caller did not ask.
	Progress func(Progress)
	// Asks is the client that makes the call, where it can be asked something meanwhile;
	// nil where nobody can.
	Asks Asker
	// Logs is the client as somebody who is told what a bridged server logs meanwhile; nil
	// where it did not ask for that.
	Logs *LogReader
	// Refusal is what the surface refuses the call with, such as one whose operation key
	// is none; nil for a call to be served. The door notes such a call as any other one,
	// answers this very value where the caller may call at all, and runs nothing.
	Refusal *Error
	// Admit judges the capability that the door found, where the surface may call some
	// alone, and answers the Refusal of any other; nil admits all. It is asked about the very
	// value that is called, so that no swap of the registry comes between.
	Admit func(c *Capability) *Error
}

// Operation is the idempotent identity of a call, and how to run it.
type Operation struct {
	ID     string // the caller's op_id or Idempotency-Key; "" for none
	DryRun bool   // answer what the call would do, and do nothing
}

// MaxKey is the most characters of an operation key.
const MaxKey = 128

// ValidKey reports whether a text can be an operation key: 1 to [MaxKey] visible ASCII
// characters.
func ValidKey(key string) bool {
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return false
		}
	}
	return key != "" && len(key) <= MaxKey
}

// Progress is one report of a running call. Value only grows; Total is 0 when
// unknown.
type Progress struct {
	Value   float64
	Total   float64
	Message string
}

// Result is the answer of a call that was not refused.
type Result struct {
	// Structured is the result as JSON, or nil where a bridged server sent none.
	Structured json.RawMessage
	// Blocks are content blocks: what a bridged server sent, or what a builtin's
	// output offers through [Blocker]. A builtin's Structured is not repeated in them.
	Blocks []Block
	// Meta is a bridged server's own _meta object, or nil.
	Meta json.RawMessage
	// Extra is an object of the members of a bridged server's result that have no field
	// here, or nil. It holds none that a tool result is defined to have.
	Extra json.RawMessage
}

// WrapResult answers an object whose one member, "result", is the value: the shape that
// revisions of the Model Context Protocol before 2026-07-28 carry a structured value in
// that is no object.
func WrapResult(value json.RawMessage) json.RawMessage {
	b := make([]byte, 0, len(value)+len(`{"result":}`))
	b = append(append(b, `{"result":`...), value...)
	return append(b, '}')
}

// Invoker is the one door. It answers a result or an error whose chain holds an
// [*Error].
type Invoker interface {
	Invoke(ctx context.Context, call Call) (*Result, error)
}

type callKey struct{}

// Running is what a handler may know of the call it serves.
type Running struct {
	Principal *Principal
	Operation Operation
	RequestID string
	// Capability is what is called.
	Capability *Capability
	// Asks is the client that makes the call, where it can be asked something; nil where
	// nobody can.
	Asks      Asker
	arguments json.RawMessage
	progress  func(Progress)
	written   atomic.Bool
}

// Name answers the name of what is called; an alias answers the name it stands for.
func (r *Running) Name() string {
	if r.Capability == nil {
		return ""
	}
	return cmp.Or(r.Capability.AliasOf(), r.Capability.Name())
}

// Digest answers what an operation key is bound to: see [Digest].
func (r *Running) Digest() [sha256.Size]byte { return Digest(r.Name(), r.arguments) }

// MarkWrite notes that the call's one write begins, for the store that runs it. It
// answers false when the call has written already.
func (r *Running) MarkWrite() bool { return !r.written.Swap(true) }

// Report sends progress to the caller, if it asked for any.
func (r *Running) Report(p Progress) {
	if r.progress != nil {
		r.progress(p)
	}
}

// CallFrom answers what the handler may know of the call it serves. Outside a
// call it answers an empty value, never nil.
func CallFrom(ctx context.Context) *Running {
	if r, ok := ctx.Value(callKey{}).(*Running); ok {
		return r
	}
	return &Running{}
}
