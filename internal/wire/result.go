package wire

import (
	"bytes"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// ToolResult writes a result as an MCP CallToolResult. A builtin's structured
// value stands as structuredContent and, for clients that read only content, as
// the first text block. A bridged result passes as it came.
func ToolResult(c *capabilities.Capability, r *capabilities.Result) []byte {
	o := newObjectFor(sizeOf(c, r))
	o.content(c, r)
	o.raw("structuredContent", r.Structured)
	o.raw("_meta", r.Meta)
	return o.end()
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
		o.raw("_meta", withMember(up.Meta, MetaError, errorMeta(e, requestID)))
		return o.end()
	}
	o.raw("content", blocks([]capabilities.Block{capabilities.TextBlock(sentence(e))}))
	o.raw("isError", []byte("true"))
	o.raw("_meta", withMember(nil, MetaError, errorMeta(e, requestID)))
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
	o.raw("structuredContent", r.Structured)
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
	n := len(r.Structured) + len(r.Meta) + 128
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
