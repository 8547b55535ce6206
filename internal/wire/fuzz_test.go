package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// FuzzParseProblem: a problem of somebody else is an error or a refusal, and a refusal
// that was read is written so that it reads the same again.
func FuzzParseProblem(f *testing.F) {
	for _, s := range []string{
		`{"type":"/docs/codes/invalid","title":"x","status":400,"detail":"no","code":"invalid","violations":[{"pointer":"/a","keyword":"type","message":"must be a string"}]}`,
		`{"code":"shelved","base":"conflict","maybe_applied":true,"retry_after_seconds":3}`, `{"code":""}`, `{"code":"x","retry_after_seconds":-9223372036854775808}`, `{"code":"x","retry_after_seconds":10000000000}`,
		`{"code":"upstream_error","upstream":{"content":[{"type":"text","text":"no"}],"structuredContent":{"n":9007199254740993}}}`, `{"code":"x","upstream":{"content":[null]}}`, `[]`, `{"code":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := wire.ParseProblem(data)
		if err != nil {
			return
		}
		if e.Code == "" || e.RetryAfter < 0 {
			t.Fatalf("%q is read as %+v", data, e)
		}
		out := wire.Problem(e, e.Info().Status, "r")
		if !json.Valid(out) {
			t.Fatalf("%q is written as %q", data, out)
		}
		back, err := wire.ParseProblem(out)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", data, out, err)
		}
		if d := cmp.Diff(facts(e), facts(back)); d != "" {
			t.Fatalf("%q (-once +twice):\n%s", data, d)
		}
	})
}

// FuzzParseToolResult: a tool result is a result, a refusal or an error, whoever wrote
// it.
func FuzzParseToolResult(f *testing.F) {
	for _, s := range []string{
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"n":9007199254740993},"_meta":{"a":1}}`, `{"isError":true,"content":[{"type":"text","text":"no"}],"_meta":{"holotype/error":{"code":"invalid"}}}`,
		`{"isError":true}`, `{"isError":true,"content":[7],"_meta":{"holotype/error":{"code":"upstream_error","retry_after_seconds":-1}}}`, `{"content":[null]}`, `[]`, `{"_meta":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := wire.ParseToolResult(data)
		if (res == nil) == (err == nil) {
			t.Fatalf("%q: result %v, error %v", data, res, err)
		}
		if e, ok := capabilities.AsError(err); ok && (e.Code == "" || e.RetryAfter < 0) {
			t.Fatalf("%q is read as %+v", data, e)
		}
		if res == nil {
			return
		}
		for _, part := range append([]capabilities.Block{capabilities.Block(res.Structured), capabilities.Block(res.Meta)}, res.Blocks...) {
			if part != nil && !json.Valid(part) {
				t.Fatalf("%q: a part is %q", data, part)
			}
		}
	})
}

// facts is what a caller can see of a refusal.
func facts(e *capabilities.Error) map[string]any {
	return map[string]any{
		"code": e.Code, "base": e.Info().Base, "message": e.Message, "violations": len(e.Violations), "maybe": e.MaybeApplied, "wait": e.RetryAfter,
	}
}
