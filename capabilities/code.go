package capabilities

import "slices"

// Code is the word that classes a refusal, the same on every surface. The base
// set is closed; a pack adds its own with [Pack.Code], each with a base.
type Code string

// The closed base set. [BaseCodes] has their meaning, HTTP status, exit status
// and remedy.
const (
	Invalid         Code = "invalid"
	OpIDInvalid     Code = "op_id_invalid"
	TooLarge        Code = "too_large"
	Unauthenticated Code = "unauthenticated"
	Forbidden       Code = "forbidden"
	NotFound        Code = "not_found"
	Exists          Code = "exists"
	Conflict        Code = "conflict"
	StaleVersion    Code = "stale_version"
	ApprovalNeeded  Code = "approval_needed"
	RateLimited     Code = "rate_limited"
	Unavailable     Code = "unavailable"
	Timeout         Code = "timeout"
	UnknownOutcome  Code = "unknown_outcome"
	UpstreamError   Code = "upstream_error"
	InternalError   Code = "internal_error"
)

// CodeInfo is one row of the table of codes.
type CodeInfo struct {
	Code   Code
	Base   Code   // equal to Code in the base set
	Pack   string // the pack that declared it; "" in the base set
	Status int    // HTTP status (RFC 9110)
	Exit   int    // exit status of the command line
	Means  string // what happened, one clause
	Remedy string // what the caller should do
	// Implicit codes may be answered by any capability, because the door and not
	// the handler answers them; the others are named in [Spec.Refuses].
	Implicit bool
}

var baseCodes = []CodeInfo{
	{Invalid, Invalid, "", 400, 2, "an argument is wrong, and the message says which", "send something different", true},
	{OpIDInvalid, OpIDInvalid, "", 400, 2, "the operation key is missing, malformed, or was used for another call", "use a fresh key", true},
	{TooLarge, TooLarge, "", 413, 2, "over a limit, which the message names; nothing was cut", "send or ask for less", true},
	{Unauthenticated, Unauthenticated, "", 401, 4, "no credential, or a bad one", "authenticate", true},
	{Forbidden, Forbidden, "", 403, 4, "this principal may not do this here", "ask whom the message names", true},
	{NotFound, NotFound, "", 404, 3, "the thing the call is about does not exist", "stop", false},
	{Exists, Exists, "", 409, 5, "what it would create is already there", "edit that one", false},
	{Conflict, Conflict, "", 409, 5, "lost a race, or the state moved under it", "read again; a retry may land", false},
	{StaleVersion, StaleVersion, "", 412, 5, "it changed after the caller read it", "read again and decide", false},
	{ApprovalNeeded, ApprovalNeeded, "", 403, 4, "a person has to approve this very call first", "wait for the decision the message names", true},
	{RateLimited, RateLimited, "", 429, 1, "too many calls, or a budget is spent", "wait as told", true},
	{Unavailable, Unavailable, "", 503, 1, "cannot serve it right now; waiting clears it", "retry", true},
	{Timeout, Timeout, "", 504, 1, "the time limit passed", "retry if it only reads", true},
	{UnknownOutcome, UnknownOutcome, "", 500, 6, "a write of this server may or may not have landed", "repeat with the same op_id, or look", true},
	{UpstreamError, UpstreamError, "", 502, 1, "a bridged server failed in its own words", "read its words", true},
	{InternalError, InternalError, "", 500, 1, "this server failed; the cause is in its log", "tell the operator", true},
}

// bridgedCodes are what any bridged tool may answer, shared by all of them: every
// implicit code. One of them, [UnknownOutcome], is for calls with an operation key.
var bridgedCodes = slices.Clip(slices.DeleteFunc(slices.Clone(baseCodes), func(i CodeInfo) bool { return !i.Implicit }))

// BaseCodes answers the closed base set in a fixed order.
func BaseCodes() []CodeInfo { return slices.Clone(baseCodes) }

// info answers the row of a base code.
func (c Code) info() (CodeInfo, bool) {
	for _, i := range baseCodes {
		if i.Code == c {
			return i, true
		}
	}
	return CodeInfo{}, false
}

// Codes is a set of codes a capability may answer.
type Codes []Code
