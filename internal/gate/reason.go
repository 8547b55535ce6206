package gate

import "github.com/seed-89b9419b/holotype/capabilities"

// The reasons of the rules, in the order in which they are looked at. Together with
// [capabilities.ReasonNarrowed] and [capabilities.ReasonScope], which come first, and
// [capabilities.ReasonApproval], which comes last, they are every reason.
const (
	// NoSeat: the caller's seat is not configured.
	NoSeat = "no_seat"
	// Off: the pack or the server is switched off.
	Off = "switched_off"
	// Denied: a pattern takes the tool away.
	Denied = "denied"
	// NotAllowed: there is a list of what is left, and the tool is not in it.
	NotAllowed = "not_allowed"
	// NotReadOnly: only what is known to change nothing is left.
	NotReadOnly = "not_read_only"
	// Destructive: only what is known to destroy nothing is left.
	Destructive = "destructive"
	// OpenWorld: only what is known to touch nothing outside is left.
	OpenWorld = "open_world"
	// Refused: the tool stays listed, and its calls are refused.
	Refused = "refused"
	// RateLimited: the tool stays listed, and this call is one too many. Package ratelimit
	// judges it, by what was called before.
	RateLimited = "rate_limited"
)

// Reason is one word of why a call is refused.
type Reason struct {
	Word  string
	Means string // one sentence
	// Listed says that the tool is listed all the same.
	Listed bool
}

// Reasons answers every reason of the gate, in the order in which they are looked at.
func Reasons() []Reason {
	return []Reason{
		{capabilities.ReasonNarrowed, "The caller's address serves a part of the tools, and the tool is not in it.", false},
		{capabilities.ReasonScope, "The caller was not granted the scope that the tool needs.", false},
		{NoSeat, "The caller's seat is not configured any more.", false},
		{Off, "The tool's pack or server is switched off, under `gate.off`.", false},
		{Denied, "A pattern under `deny` names the tool.", false},
		{NotAllowed, "There is a list under `allow`, and no pattern of it names the tool.", false},
		{NotReadOnly, "`read_only` is set, and the tool is not known to change nothing.", false},
		{Destructive, "`no_destructive` is set, and the tool is not known to leave what exists as it is.", false},
		{OpenWorld, "`no_open_world` is set, and the tool is not known to stay away from what others read and write.", false},
		{Refused, "A pattern under `refuse` names the tool: it stays listed, and every call of it is refused.", true},
		{RateLimited, "The caller has made as many calls as `rate_limits` lets in just now: the tool stays listed, and can be called in a while.", true},
		{capabilities.ReasonApproval, "`approve` is about the tool: it stays listed, and each call waits until a [person approves](approvals.md) it.", true},
	}
}
