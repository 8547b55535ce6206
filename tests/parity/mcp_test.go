package parity_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// overMCPBy sends an input as a client of the protocol.
func overMCPBy(s *drive.Speaker) func(*testing.T, inputs.Input) (said, inputs.Reason) {
	return func(t *testing.T, in inputs.Input) (said, inputs.Reason) {
		call := s.Call
		if in.DryRun {
			call = s.Rehearse
		}
		status, data := call(t, in.Call, in.In)
		if status == http.StatusRequestEntityTooLarge {
			got, _ := ofProblem(t, data)
			return long(got, in)
		}
		return ofMessage(t, data, in)
	}
}

// long tells an input that is too large from one that only its message makes so.
func long(got said, in inputs.Input) (said, inputs.Reason) {
	if got.code == capabilities.TooLarge && in.Code != capabilities.TooLarge {
		return got, inputs.LongMessage
	}
	return got, ""
}

// ofMessage reads a JSON-RPC answer.
func ofMessage(t *testing.T, data []byte, in inputs.Input) (said, inputs.Reason) {
	t.Helper()
	m := parse[struct {
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
		Result *struct {
			IsError    bool            `json:"isError"`
			Content    json.RawMessage `json:"content"`
			Structured json.RawMessage `json:"structuredContent"`
			Meta       struct {
				Error *problem `json:"holotype/error"`
			} `json:"_meta"`
		} `json:"result"`
	}](t, data)
	got := said{raw: data}
	switch {
	case m.Error != nil && m.Error.Code == -32700:
		return got, inputs.BrokenMessage
	case m.Error != nil && m.Error.Code == -32602:
		return got, inputs.NoSuchTool
	case m.Error != nil || m.Result == nil:
		t.Errorf("the answer is no result: %s", clip(data))
		return got, ""
	case !m.Result.IsError:
		if m.Result.Meta.Error != nil {
			t.Errorf("a result carries a refusal: %s", clip(data))
		}
		got.structured, got.content = m.Result.Structured, m.Result.Content
		return got, ""
	case m.Result.Meta.Error == nil || m.Result.Structured != nil:
		t.Errorf("a refusal carries no code, or a result: %s", clip(data))
		return got, ""
	}
	e := m.Result.Meta.Error
	got.code, got.violations, got.maybe, got.retry = e.Code, e.Violations, e.Maybe, e.Retry
	got.message = settled(refusedText(t, m.Result.Content, e), e.RequestID)
	return long(got, in)
}

// refusedText reads the sentence of a refusal off its one text block. With several
// violations the block lists them, and the sentence is the one that other surfaces
// derive from the same list.
func refusedText(t *testing.T, content json.RawMessage, e *problem) string {
	t.Helper()
	blocks := parse[[]struct{ Type, Text string }](t, content)
	if len(blocks) != 1 || blocks[0].Type != "text" {
		t.Errorf("a refusal has the content %s", clip(content))
		return ""
	}
	if len(e.Violations) < 2 {
		return blocks[0].Text
	}
	for _, v := range e.Violations {
		if !strings.Contains(blocks[0].Text, v.Message) {
			t.Errorf("the text leaves out %q:\n%s", v.Message, blocks[0].Text)
		}
	}
	return capabilities.Violates(e.Violations...).Message
}
