package wire

import (
	"maps"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The keys of our own facts in _meta objects.
const (
	MetaEffect = "holotype/effect"
	MetaError  = "holotype/error"
)

// Tool writes a capability as one MCP tool (schema Tool, 2025-11-25 and
// 2026-07-28). A known hint is true or false, an unknown one is absent, and
// without any annotation the object is absent. _meta carries the effect of a
// builtin, and what a bridged tool's hints assert beside the server's own keys, with the
// servers of this kind that it comes through.
//
// The output schema of a builtin has the words that [BriefRule] leaves in it.
// One that is not that of an object stands as the one of what
// [capabilities.WrapResult] makes of a value, which every revision takes; see
// [NativeTool].
func Tool(c *capabilities.Capability) []byte { return AppendTool(nil, c) }

// AppendTool is [Tool] that appends to dst: of lists of thousands nothing is left over.
func AppendTool(dst []byte, c *capabilities.Capability) []byte {
	return appendTool(dst, c, c.Input().Raw(), nil)
}

// NativeTool is [Tool] for 2026-07-28 and later: an output schema stands as the server
// sent it. It goes with [NativeResult].
func NativeTool(c *capabilities.Capability) []byte { return AppendNativeTool(nil, c) }

// AppendNativeTool is [NativeTool] that appends to dst.
func AppendNativeTool(dst []byte, c *capabilities.Capability) []byte {
	if native := c.NativeOutput(); native != nil {
		return appendTool(dst, c, c.Input().Raw(), native)
	}
	return AppendTool(dst, c)
}

// appendTool writes a tool with an input schema, and with an output schema of another kind
// than it has otherwise; nil is that one.
func appendTool(dst []byte, c *capabilities.Capability, input, output []byte) []byte {
	room := len(c.Summary()) + len(input) + len(output) + 512
	if out := c.Output(); out != nil && output == nil {
		room += len(out.Raw())
	}
	o := newObjectAt(slices.Grow(dst, room))
	extras := c.Extras()
	o.text("name", c.Name())
	o.text("title", c.Title())
	o.text("description", c.Summary())
	o.raw("icons", extras.Icons)
	o.raw("inputSchema", input)
	if output != nil {
		o.raw("outputSchema", output)
	} else {
		o.made("outputSchema", func(dst []byte) []byte { return appendBrief(dst, c) })
	}
	o.made("annotations", func(dst []byte) []byte { return appendAnnotations(dst, c) })
	o.raw("execution", extras.Execution)
	o.made("_meta", func(dst []byte) []byte {
		return appendWithMembers(dst, extras.Meta, member{MetaEffect, Effect(c)}, member{MetaThrough, marks(extras.Through)})
	})
	return o.end()
}

// Annotations writes the known hints, the title and a bridged server's unknown
// keys, or nil for none of them.
func Annotations(c *capabilities.Capability) []byte {
	if all := appendAnnotations(nil, c); len(all) > 0 {
		return all
	}
	return nil
}

func appendAnnotations(dst []byte, c *capabilities.Capability) []byte {
	o := newObjectAt(dst)
	o.text("title", c.Title())
	c.Hints().Each(func(key string, h capabilities.Hint) {
		switch h {
		case capabilities.Yes:
			o.raw(key, []byte("true"))
		case capabilities.No:
			o.raw(key, []byte("false"))
		case capabilities.Unknown:
		}
	})
	extra := c.Extras().Annotations
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		o.raw(key, extra[key])
	}
	return o.endOrNone()
}

// Effect writes the facts the four hints cannot say: {change, reach, undo?} of a
// builtin, {asserts} of a bridged tool.
func Effect(c *capabilities.Capability) []byte {
	o := newObjectFor(0)
	if e, ok := c.Effect(); ok {
		o.text("change", e.Change().String())
		o.text("reach", e.Reach().String())
		o.text("undo", c.Undo())
	} else {
		o.text("asserts", c.Hints().Word())
	}
	return o.end()
}
