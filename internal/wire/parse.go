package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ParseToolResult reads an MCP CallToolResult as [ToolResult] and [Refusal] write
// it. A refusal is the error, an [*capabilities.Error].
func ParseToolResult(data []byte) (*capabilities.Result, error) {
	var r struct {
		Content    []capabilities.Block       `json:"content"`
		Structured json.RawMessage            `json:"structuredContent"`
		IsError    bool                       `json:"isError"`
		Meta       map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("reading a tool result: %w", err)
	}
	if r.IsError {
		meta := r.Meta[MetaError]
		delete(r.Meta, MetaError)
		return nil, refusalOf(meta, resultOf(r.Content, r.Structured, r.Meta))
	}
	return resultOf(r.Content, r.Structured, r.Meta), nil
}

func resultOf(content []capabilities.Block, structured json.RawMessage, meta map[string]json.RawMessage) *capabilities.Result {
	out := &capabilities.Result{Structured: structured, Blocks: content}
	if len(meta) > 0 {
		out.Meta = value(meta)
	}
	return out
}

// refused are the members that a refusal has on every surface, as errorMembers
// writes them.
type refused struct {
	Code         capabilities.Code        `json:"code"`
	Base         capabilities.Code        `json:"base"`
	Violations   []capabilities.Violation `json:"violations"`
	MaybeApplied bool                     `json:"maybe_applied"`
	RetryAfter   int64                    `json:"retry_after_seconds"`
	Approval     *struct {
		ID        string    `json:"id"`
		ExpiresAt time.Time `json:"expires_at"`
		URL       string    `json:"url"`
	} `json:"approval"`
}

func (r refused) refusal(message string) *capabilities.Error {
	e := &capabilities.Error{
		Code: r.Code, Message: message, Violations: r.Violations, MaybeApplied: r.MaybeApplied, RetryAfter: waitOf(r.RetryAfter),
	}
	if r.Approval != nil {
		e.Approval = &capabilities.ApprovalRequest{ID: r.Approval.ID, ExpiresAt: r.Approval.ExpiresAt, URL: r.Approval.URL}
	}
	if r.Base != "" {
		e = e.WithBase(r.Base)
	}
	return e
}

// ParseProblem reads what [Problem] wrote. It fails on anything that carries no
// code.
func ParseProblem(data []byte) (*capabilities.Error, error) {
	var p struct {
		refused
		Detail   string `json:"detail"`
		Upstream *struct {
			Content    []capabilities.Block `json:"content"`
			Structured json.RawMessage      `json:"structuredContent"`
		} `json:"upstream"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("reading a problem: %w", err)
	}
	if p.Code == "" {
		return nil, errors.New("reading a problem: it carries no code")
	}
	e := p.refusal(p.Detail)
	if p.Upstream != nil {
		e.Upstream = resultOf(p.Upstream.Content, p.Upstream.Structured, nil)
	}
	return e, nil
}

// refusalOf reads a refusal off its _meta member and what stands beside it.
func refusalOf(meta json.RawMessage, said *capabilities.Result) error {
	var r refused
	if err := json.Unmarshal(meta, &r); err != nil || r.Code == "" {
		return errors.New("reading a refused tool result: it carries no code")
	}
	e := r.refusal("")
	if len(said.Blocks) > 0 {
		var first struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(said.Blocks[0], &first); err != nil {
			return fmt.Errorf("reading a refused tool result: %w", err)
		}
		e.Message = first.Text
	}
	if r.Code == capabilities.UpstreamError {
		e.Upstream = said
	}
	return e
}

// waitOf answers a wait of whole seconds, between none and the longest there is.
func waitOf(seconds int64) time.Duration {
	return time.Duration(min(max(seconds, 0), int64(math.MaxInt64/time.Second))) * time.Second
}
