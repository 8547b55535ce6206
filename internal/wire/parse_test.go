package wire_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

func TestRefusalsAreReadAsWritten(t *testing.T) {
	upstream := &capabilities.Result{
		Blocks: []capabilities.Block{capabilities.TextBlock("it broke")}, Structured: []byte(`{"n":12345678901234567890}`), Meta: []byte(`{"theirs":1}`),
	}
	for name, want := range map[string]*capabilities.Error{
		"a sentence":   {Code: capabilities.NotFound, Message: "there is no such thing"},
		"violations":   capabilities.Violates(capabilities.Violation{Pointer: "/a", Keyword: "required", Message: "is required"}),
		"an approval":  {Code: capabilities.ApprovalNeeded, Message: "ask", Approval: &capabilities.ApprovalRequest{ID: "apr_1", ExpiresAt: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}},
		"a wait":       {Code: capabilities.Unavailable, Message: "later", RetryAfter: 3 * time.Second, MaybeApplied: true},
		"a pack's own": (&capabilities.Error{Code: "box_full", Message: "the box is full"}).WithBase(capabilities.Conflict),
		"upstream":     {Code: capabilities.UpstreamError, Message: "it broke", Upstream: upstream},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.ParseToolResult(wire.Refusal(want, "r1"))
			got, ok := capabilities.AsError(err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(capabilities.Error{})); diff != "" || got.Info() != want.Info() {
				t.Errorf("%s\n%+v and %+v", diff, got.Info(), want.Info())
			}
		})
	}
}

func TestResultsAreReadAsWritten(t *testing.T) {
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "x__y", Tool: "y", Server: "x", Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &capabilities.Result{Structured: []byte(`{"n":12345678901234567890}`), Blocks: []capabilities.Block{capabilities.TextBlock("<b>")}, Meta: []byte(`{"a":1}`)}
	got, err := wire.ParseToolResult(wire.ToolResult(c, want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A refusal is one by its code, with words or without.
func TestARefusalMayCarryNoText(t *testing.T) {
	for _, content := range []string{``, `"content":[],`, `"content":null,`} {
		_, err := wire.ParseToolResult([]byte(`{"isError":true,` + content + `"_meta":{"holotype/error":{"code":"invalid"}}}`))
		if got, refused := capabilities.AsError(err); !refused || got.Code != capabilities.Invalid || got.Message != "" {
			t.Errorf("with %s it is read as %v", content, err)
		}
	}
}

func TestWhatIsNoToolResult(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": `{`, "a list": `[]`, "a refusal without a code": `{"isError":true,"content":[]}`,
		"a refusal whose text is none": `{"isError":true,"content":[{"text":1}],"_meta":{"holotype/error":{"code":"invalid"}}}`,
	} {
		if _, err := wire.ParseToolResult([]byte(text)); err == nil {
			t.Errorf("%s is read", name)
		} else if _, refused := capabilities.AsError(err); refused {
			t.Errorf("%s is a refusal: %v", name, err)
		}
	}
}
