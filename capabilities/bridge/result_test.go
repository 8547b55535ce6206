package bridge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// shape is a result as a caller compares it.
type shape struct {
	Blocks     string // one JSON array
	Structured string
	Meta       string
}

func shapeOf(t *testing.T, r *capabilities.Result) shape {
	t.Helper()
	parts := make([]string, len(r.Blocks))
	for i, b := range r.Blocks {
		parts[i] = string(b)
	}
	return shape{"[" + strings.Join(parts, ",") + "]", string(r.Structured), string(r.Meta)}
}

func TestResults(t *testing.T) {
	h := run(t, fakeServer(t, "s", "good"))
	note := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	for _, c := range []struct {
		name, result string
		want         shape
		failed       bool
	}{
		{"a plain text", `{"content":[{"type":"text","text":"a"}]}`, shape{Blocks: `[{"type":"text","text":"a"}]`}, false},
		{"no content", `{}`, shape{Blocks: `[]`}, false},
		{"null content", `{"content":null}`, shape{Blocks: `[]`}, false},
		{
			"integers beyond 2^53",
			`{"content":[],"structuredContent":{"id":9007199254740993,"u":18446744073709551615,"d":0.1000000000000000055511151231257827}}`,
			shape{
				Blocks:     `[{"type":"text","text":"{\"id\":9007199254740993,\"u\":18446744073709551615,\"d\":0.1000000000000000055511151231257827}"}]`,
				Structured: `{"id":9007199254740993,"u":18446744073709551615,"d":0.1000000000000000055511151231257827}`,
			},
			false,
		},
		{"a block of a type nobody knows", `{"content":[{"type":"hologram","data":{"x":1e400}}]}`, shape{Blocks: `[{"type":"hologram","data":{"x":1e400}}]`}, false},
		{
			"blocks in their order with their own members",
			`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"},{"annotations":{"audience":["user"]},"type":"text","text":"b","_meta":{"a/b":1}}]}`,
			shape{Blocks: `[{"type":"image","data":"aGk=","mimeType":"image/png"},{"annotations":{"audience":["user"]},"type":"text","text":"b","_meta":{"a/b":1}}]`},
			false,
		},
		{"the result's own _meta", `{"content":[],"_meta":{"demo/y":[1,2]}}`, shape{Blocks: `[]`, Meta: `{"demo/y":[1,2]}`}, false},
		{
			"a null block", `{"content":[null,{"type":"text","text":"after"}]}`,
			shape{Blocks: "[" + note("[content block 1 of the server's result cannot be shown: it is no object]") + `,{"type":"text","text":"after"}]`},
			false,
		},
		{
			"a text that is a number", `{"content":[{"type":"text","text":5}]}`,
			shape{Blocks: "[" + note("[content block 1 of the server's result cannot be shown: a text block without a text]") + "]"},
			false,
		},
		{
			"an image that is not Base64", `{"content":[{"type":"image","data":"***","mimeType":"image/png"}]}`,
			shape{Blocks: "[" + note("[content block 1 of the server's result cannot be shown: image whose data is not Base64]") + "]"},
			false,
		},
		{"Base64 without padding, with escaped slashes", `{"content":[{"type":"audio","data":"a\/8","mimeType":"audio/wav"}]}`, shape{Blocks: `[{"type":"audio","data":"a\/8","mimeType":"audio/wav"}]`}, false},
		{
			"a resource without text", `{"content":[{"type":"resource","resource":{"uri":"mem://a"}}]}`,
			shape{Blocks: "[" + note("[content block 1 of the server's result cannot be shown: a resource without text or blob]") + "]"},
			false,
		},
		{
			"content that is a text", `{"content":"x"}`,
			shape{Blocks: "[" + note("x") + "," + note("[the server sent its content as a text and not as blocks]") + "]"},
			false,
		},
		{"structured null is none", `{"content":[],"structuredContent":null}`, shape{Blocks: `[]`}, false},
		{"isError false", `{"content":[],"isError":false}`, shape{Blocks: `[]`}, false},
		{"isError null", `{"content":[],"isError":null}`, shape{Blocks: `[]`}, false},
		{
			"isError true is relayed unchanged", `{"content":[{"type":"text","text":"row not found"}],"isError":true,"structuredContent":{"error":1},"_meta":{"a":2}}`,
			shape{`[{"type":"text","text":"row not found"}]`, `{"error":1}`, `{"a":2}`},
			true,
		},
		{
			"isError that is no boolean", `{"content":[{"type":"text","text":"?"}],"isError":"true"}`,
			shape{Blocks: `[{"type":"text","text":"?"},` + note(`[the server marked this result with isError \"true\", which is no boolean; it is taken as failed]`) + "]"},
			true,
		},
		{"isError said twice", `{"content":[],"isError":true,"isError":false}`, shape{Blocks: `[]`}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"result": c.result})
			if err != nil {
				t.Fatal(err)
			}
			r, err := h.call("s__echo", string(args))
			if c.failed {
				e := refused(t, r, err, capabilities.UpstreamError)
				if e.Upstream == nil {
					t.Fatal("the refusal does not carry what the server said")
				}
				r = e.Upstream
			} else if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, shapeOf(t, r)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAnswersThatAreNoResults(t *testing.T) {
	h := run(t, fakeServer(t, "s", "good"))
	for _, c := range []struct {
		name, line, says string
		code             capabilities.Code
		upstream         []string
	}{
		{
			"a JSON-RPC error", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32042,"message":"needs a link","data":{"u":"x"}}}`, "JSON-RPC error -32042: needs a link", capabilities.UpstreamError,
			[]string{"JSON-RPC error -32042: needs a link", `the error's data: {"u":"x"}`},
		},
		{"an error that is a text", `{"jsonrpc":"2.0","id":ID,"error":"it broke"}`, "it broke", capabilities.UpstreamError, []string{"JSON-RPC error: it broke"}},
		{
			"both a result and an error", `{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":{"code":-1,"message":"and an error"}}`, "and an error", capabilities.UpstreamError,
			[]string{"JSON-RPC error -1: and an error"},
		},
		{
			"an error with much data", `{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"","data":"` + strings.Repeat("x", 70_000) + `"}}`, "no message", capabilities.UpstreamError,
			[]string{"JSON-RPC error -1: no message", "[the error's data of 70002 bytes is left out, the limit is 65536]"},
		},
		{"neither", `{"jsonrpc":"2.0","id":ID}`, "neither a result nor an error", capabilities.UpstreamError, nil},
		{"a number that is none", `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"x":NaN}}}`, "not valid JSON", capabilities.UpstreamError, nil},
		{"nesting over the limit", `{"jsonrpc":"2.0","id":ID,"result":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "512 levels", capabilities.TooLarge, nil},
		{"a result that is a list", `{"jsonrpc":"2.0","id":ID,"result":[]}`, "no tool result", capabilities.UpstreamError, nil},
		{
			"a question", `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"sure?"}}},"requestState":"a"}}`,
			"q (elicitation/create) sure?", capabilities.UpstreamError, nil,
		},
		{"a task", `{"jsonrpc":"2.0","id":ID,"result":{"task":{"taskId":"t1","status":"working"}}}`, "a task", capabilities.UpstreamError, nil},
		{"a kind of result nobody knows", `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"riddle","content":[]}}`, "riddle", capabilities.UpstreamError, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"line": c.line})
			if err != nil {
				t.Fatal(err)
			}
			e := h.refusal("s__echo", string(args), c.code)
			if !strings.Contains(e.Message, c.says) {
				t.Errorf("refusal %q does not say %q", e.Message, c.says)
			}
			var said []string
			if e.Upstream != nil {
				for i := range e.Upstream.Blocks {
					said = append(said, firstText(t, &capabilities.Result{Blocks: e.Upstream.Blocks[i:]}))
				}
			}
			if d := cmp.Diff(c.upstream, said); d != "" {
				t.Error(d)
			}
		})
	}
	if got := h.must("s__echo", `{"text":"still here"}`); got != "got still here" {
		t.Errorf("got %q", got)
	}
}

func TestMessagesInOtherFrames(t *testing.T) {
	h := run(t, fakeServer(t, "s", "good"))
	good := `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}]}}`
	for name, line := range map[string]string{
		"two on a line":       `{"jsonrpc":"2.0","method":"notifications/message","params":{}}` + good,
		"in a batch":          "[" + good + "]",
		"with a mark":         "\ufeff" + good,
		"an unknown id first": `{"jsonrpc":"2.0","id":77,"result":{}}` + "\n" + good,
		"twice":               good + "\n" + good,
		"members reordered":   `{"result":{"content":[{"type":"text","text":"x"}]},"id":ID,"jsonrpc":"2.0"}`,
		"an escaped key":      `{"jsonrpc":"2.0","\u0069d":ID,"result":{"content":[{"type":"text","text":"x"}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"line": line})
			if err != nil {
				t.Fatal(err)
			}
			if got := h.must("s__echo", string(args)); got != "x" {
				t.Errorf("got %q", got)
			}
		})
	}
}
