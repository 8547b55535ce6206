package capabilities

import (
	"errors"
	"fmt"
	"time"
)

// Violation is one fault of the arguments: where (an RFC 6901 pointer into them,
// "" for the whole), which JSON Schema keyword or JSON rule it breaks, and a
// sentence that says what to fix. Violations are sorted by pointer.
type Violation struct {
	Pointer string `json:"pointer"`
	Keyword string `json:"keyword"`
	Message string `json:"message"`
}

// Error is a refusal: the one error type that reaches a caller. Its message is
// written for the person or the model who must act and is shown on every surface.
// A cause is for errors.Is and the log and is never shown.
type Error struct {
	Code       Code
	Message    string
	Violations []Violation
	// MaybeApplied says that the call may have taken effect although it is refused.
	MaybeApplied bool
	// RetryAfter is how long to wait before a retry can land; 0 when unknown.
	RetryAfter time.Duration
	// Approval is the request that a person decides on. Only with [ApprovalNeeded].
	Approval *ApprovalRequest
	// Upstream is the failed result of a bridged server, relayed unchanged by
	// surfaces that can carry it. Only with [UpstreamError].
	Upstream *Result

	base  Code
	cause error
}

// Refuse answers a refusal with the given code. The message says what failed, on
// what, and what to do: lower case, no period.
func Refuse(code Code, format string, args ...any) *Error {
	e := &Error{Code: code}
	err := fmt.Errorf(format, args...)
	e.Message, e.cause = err.Error(), errors.Unwrap(err)
	return e
}

// Violates answers the refusal of wrong arguments, with at least one violation.
func Violates(violations ...Violation) *Error {
	e := &Error{Code: Invalid, Violations: violations}
	switch len(violations) {
	case 0:
		e.Message = "the arguments are wrong"
	case 1:
		e.Message = violations[0].sentence()
	default:
		e.Message = fmt.Sprintf("%s (and %d more)", violations[0].sentence(), len(violations)-1)
	}
	return e
}

func (v Violation) sentence() string {
	if v.Pointer == "" {
		return v.Message
	}
	return v.Pointer + ": " + v.Message
}

// Error answers the message.
func (e *Error) Error() string { return e.Message }

// Unwrap answers the cause, which is never shown to a caller.
func (e *Error) Unwrap() error { return e.cause }

// Because sets the cause and answers e.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Info answers the row of the error's code. For a pack's own code it is the row
// of its base under the pack's word, once the error has passed the [Door]; a code
// nobody declared is classed as [InternalError].
func (e *Error) Info() CodeInfo {
	if i, ok := e.Code.info(); ok {
		return i
	}
	i, ok := e.base.info()
	if !ok {
		i, _ = InternalError.info()
	}
	i.Code = e.Code
	return i
}

// WithBase sets the base of a pack's own code on an error that did not pass the
// [Door] of this process, such as one decoded from another, and answers e.
func (e *Error) WithBase(base Code) *Error {
	e.base = base
	return e
}

// AsError finds the refusal in err's chain.
func AsError(err error) (*Error, bool) {
	if err == nil { // what follows takes memory, and most calls end well
		return nil, false
	}
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// ErrUnknownCapability is wrapped by the refusal of a name that is in no view.
var ErrUnknownCapability = errors.New("no capability has this name")
