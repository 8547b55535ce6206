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
// An output schema that is not that of an object stands as the one of what
// [capabilities.WrapResult] makes of a value, which every revision takes; see
// [NativeTool].
func Tool(c *capabilities.Capability) []byte {
	if out := c.Output(); out != nil {
		return tool(c, out.Raw())
	}
	return tool(c, nil)
}

// NativeTool is [Tool] for 2026-07-28 and later: an output schema stands as the server
// sent it. It goes with [NativeResult].
func NativeTool(c *capabilities.Capability) []byte {
	if native := c.NativeOutput(); native != nil {
		return tool(c, native)
	}
	return Tool(c)
}

func tool(c *capabilities.Capability, output []byte) []byte {
	return toolOf(c, c.Input().Raw(), output)
}

func toolOf(c *capabilities.Capability, input, output []byte) []byte {
	size := len(c.Summary()) + len(input) + len(output) + 512
	o := newObjectFor(size)
	o.text("name", c.Name())
	o.text("title", c.Title())
	o.text("description", c.Summary())
	o.raw("icons", c.Extras().Icons)
	o.raw("inputSchema", input)
	o.raw("outputSchema", output)
	o.raw("annotations", Annotations(c))
	o.raw("execution", c.Extras().Execution)
	o.raw("_meta", toolMeta(c))
	return o.end()
}

// Annotations writes the known hints, the title and a bridged server's unknown
// keys, or nil for none of them.
func Annotations(c *capabilities.Capability) []byte {
	o := newObject()
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
	o := newObject()
	if e, ok := c.Effect(); ok {
		o.text("change", e.Change().String())
		o.text("reach", e.Reach().String())
		o.text("undo", c.Undo())
	} else {
		o.text("asserts", c.Hints().Word())
	}
	return o.end()
}

func toolMeta(c *capabilities.Capability) []byte {
	return withMembers(c.Extras().Meta, member{MetaEffect, Effect(c)}, member{MetaThrough, marks(c.Extras().Through)})
}
