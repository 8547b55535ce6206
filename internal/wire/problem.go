package wire

import (
	"strconv"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ProblemType is the path of the page of a code, which a problem's type names.
func ProblemType(code capabilities.Code) string { return "/docs/codes/" + string(code) }

// Problem writes a refusal as RFC 9457 problem+json: type, title, status, detail,
// and our members code, base (for a pack's own code), violations, maybe_applied,
// retry_after_seconds, approval (the request that a person decides on), request_id, and
// upstream (what a bridged server answered).
func Problem(e *capabilities.Error, status int, requestID string) []byte {
	return ProblemBelow("", e, status, requestID)
}

// ProblemBelow is [Problem] for a server whose pages stand below a path, which its
// type begins with.
func ProblemBelow(path string, e *capabilities.Error, status int, requestID string) []byte {
	info := e.Info()
	o := newObject()
	o.text("type", path+ProblemType(e.Code))
	o.text("title", titleOf(info))
	o.raw("status", strconv.AppendInt(nil, int64(status), 10))
	o.text("detail", e.Message)
	errorMembers(o, e, requestID)
	if up := e.Upstream; up != nil {
		u := newObject()
		u.raw("content", blocks(up.Blocks))
		u.raw("structuredContent", up.Structured)
		o.raw("upstream", u.end())
	}
	return o.end()
}

func titleOf(i capabilities.CodeInfo) string {
	if i.Means != "" {
		return i.Means
	}
	return string(i.Code)
}

// errorMeta is the _meta member of a refused tool result.
func errorMeta(e *capabilities.Error, requestID string) []byte {
	o := newObject()
	errorMembers(o, e, requestID)
	return o.end()
}

func errorMembers(o *object, e *capabilities.Error, requestID string) {
	o.text("code", string(e.Code))
	if base := e.Info().Base; base != e.Code {
		o.text("base", string(base))
	}
	if len(e.Violations) > 0 {
		o.raw("violations", value(e.Violations))
	}
	o.flag("maybe_applied", e.MaybeApplied)
	if e.RetryAfter > 0 {
		o.raw("retry_after_seconds", strconv.AppendInt(nil, RetryAfterSeconds(e.RetryAfter), 10))
	}
	if e.Approval != nil {
		a := newObject()
		a.text("id", e.Approval.ID)
		a.text("expires_at", e.Approval.ExpiresAt.UTC().Format(time.RFC3339))
		a.text("url", e.Approval.URL)
		o.raw("approval", a.end())
	}
	o.text("request_id", requestID)
}

// RetryAfterSeconds rounds a wait up to whole seconds, as Retry-After has them.
func RetryAfterSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 { // adding a second first would wrap round
		s++
	}
	return s
}
