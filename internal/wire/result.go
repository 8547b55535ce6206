package wire

import (
	"bytes"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ToolResult writes a result as an MCP CallToolResult. A builtin's structured
// value stands as structuredContent and, for clients that read only content, as
// the first text block. A bridged result passes as it came.
func ToolResult(c *capabilities.Capability, r *capabilities.Result) []byte {
	return toolResult(c, r, structured(c, r))
}

// NativeResult is [ToolResult] for 2026-07-28 and later: a structured value stands as
// the server sent it, an object or not. It goes with [NativeTool].
func NativeResult(c *capabilities.Capability, r *capabilities.Result) []byte {
	return toolResult(c, r, r.Structured)
}

func toolResult(c *capabilities.Capability, r *capabilities.Result, structured []byte) []byte {
	o := newObjectFor(sizeOf(c, r))
	o.content(c, r)
	o.raw("structuredContent", structured)
	o.raw("_meta", r.Meta)
	o.members(r.Extra)
	return o.end()
}

// structured is the structured value in the form that the tool's listed schema is for.
func structured(c *capabilities.Capability, r *capabilities.Result) json.RawMessage {
	if c.NativeOutput() == nil || r.Structured == nil {
		return r.Structured
	}
	return capabilities.WrapResult(r.Structured)
}

// Older answers a result, or one like it, that revisions before 2026-07-28 can carry: a
// structured value that is no object, which they do not know, stands in one. What
// [ToolResult] wraps for its schema it leaves alone. nil stays nil.
func Older(c *capabilities.Capability, r *capabilities.Result) *capabilities.Result {
	if r == nil || len(r.Structured) == 0 || r.Structured[0] == '{' || c.NativeOutput() != nil {
		return r
	}
	older := *r
	older.Structured = capabilities.WrapResult(r.Structured)
	return &older
}

// Refusal writes a refusal as an MCP CallToolResult with isError: the sentence as
// text, no structuredContent, the code and what goes with it in _meta. What a
// bridged server said is relayed unchanged beside our code.
func Refusal(e *capabilities.Error, requestID string) []byte {
	o := newObject()
	if up := e.Upstream; up != nil {
		o.raw("content", blocks(up.Blocks))
		o.raw("structuredContent", up.Structured)
		o.raw("isError", []byte("true"))
		o.raw("_meta", withMembers(up.Meta, member{MetaError, errorMeta(e, requestID)}))
		o.members(up.Extra)
		return o.end()
	}
	o.raw("content", blocks([]capabilities.Block{capabilities.TextBlock(sentence(e))}))
	o.raw("isError", []byte("true"))
	o.raw("_meta", withMembers(nil, member{MetaError, errorMeta(e, requestID)}))
	return o.end()
}

// sentence is the message with every violation, for a model that reads text alone.
func sentence(e *capabilities.Error) string {
	if len(e.Violations) < 2 {
		return e.Message
	}
	var b bytes.Buffer
	b.WriteString("the arguments are wrong:")
	for _, v := range e.Violations {
		b.WriteString("\n- ")
		if v.Pointer != "" {
			b.WriteString(v.Pointer + ": ")
		}
		b.WriteString(v.Message)
	}
	return b.String()
}

// Body writes an answer as HTTP and the command line give it: the structured
// value, or, where a result has content blocks, {content, structuredContent} as
// an MCP tool result has them.
func Body(c *capabilities.Capability, r *capabilities.Result) []byte {
	if !c.HasBlocks() {
		return r.Structured
	}
	o := newObjectFor(sizeOf(c, r))
	o.content(c, r)
	o.raw("structuredContent", structured(c, r))
	return o.end()
}

// content adds the blocks of a result. A builtin's structured value comes first, as
// a text.
func (o *object) content(c *capabilities.Capability, r *capabilities.Result) {
	o.key("content")
	o.buf = append(o.buf, '[')
	if !c.Bridged() {
		o.buf = append(appendText(append(o.buf, `{"type":"text","text":`...), []byte(r.Structured)), '}')
		if len(r.Blocks) > 0 {
			o.buf = append(o.buf, ',')
		}
	}
	o.buf = append(appendBlocks(o.buf, r.Blocks), ']')
}

// sizeOf answers about how many bytes a result has on the wire, or a little more.
func sizeOf(c *capabilities.Capability, r *capabilities.Result) int {
	n := len(r.Structured) + len(r.Meta) + len(r.Extra) + 128
	if !c.Bridged() {
		n += len(r.Structured) + len(r.Structured)/4 // every quote gets a backslash
	}
	for _, one := range r.Blocks {
		n += len(one) + 1
	}
	return n
}

func blocks(all []capabilities.Block) []byte { return append(appendBlocks([]byte("["), all), ']') }

func appendBlocks(b []byte, all []capabilities.Block) []byte {
	for i, one := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, one...)
	}
	return b
}
