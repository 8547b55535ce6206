package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ProblemType is the path of the page of a code, which a problem's type names.
func ProblemType(code capabilities.Code) string { return "/docs/codes/" + string(code) }

// Problem writes a refusal as RFC 9457 problem+json: type, title, status, detail,
// and our members code, base (for a pack's own code), violations, maybe_applied,
// retry_after_seconds, request_id, and upstream (what a bridged server answered).
func Problem(e *capabilities.Error, status int, requestID string) []byte {
	info := e.Info()
	o := newObject()
	o.text("type", ProblemType(e.Code))
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
	o.text("request_id", requestID)
}

// RetryAfterSeconds rounds a wait up to whole seconds, as Retry-After has them.
func RetryAfterSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// ParseProblem reads what [Problem] wrote. It fails on anything that carries no
// code.
func ParseProblem(data []byte) (*capabilities.Error, error) {
	var p struct {
		Detail       string                   `json:"detail"`
		Code         capabilities.Code        `json:"code"`
		Base         capabilities.Code        `json:"base"`
		Violations   []capabilities.Violation `json:"violations"`
		MaybeApplied bool                     `json:"maybe_applied"`
		RetryAfter   int64                    `json:"retry_after_seconds"`
		Upstream     *struct {
			Content    []capabilities.Block `json:"content"`
			Structured json.RawMessage      `json:"structuredContent"`
		} `json:"upstream"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("reading a problem: %w", err)
	}
	if p.Code == "" {
		return nil, fmt.Errorf("reading a problem: it carries no code")
	}
	e := &capabilities.Error{
		Code: p.Code, Message: p.Detail, Violations: p.Violations,
		MaybeApplied: p.MaybeApplied, RetryAfter: time.Duration(p.RetryAfter) * time.Second,
	}
	if p.Base != "" {
		e = e.WithBase(p.Base)
	}
	if p.Upstream != nil {
		e.Upstream = &capabilities.Result{Blocks: p.Upstream.Content, Structured: p.Upstream.Structured}
	}
	return e, nil
}
