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
// builtin, and what a bridged tool's hints assert beside the server's own keys.
func Tool(c *capabilities.Capability) []byte {
	size := len(c.Summary()) + len(c.Input().Raw()) + 512
	if out := c.Output(); out != nil {
		size += len(out.Raw())
	}
	o := newObjectFor(size)
	o.text("name", c.Name())
	o.text("title", c.Title())
	o.text("description", c.Summary())
	o.raw("icons", c.Extras().Icons)
	o.raw("inputSchema", c.Input().Raw())
	if out := c.Output(); out != nil {
		o.raw("outputSchema", out.Raw())
	}
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
	return withMember(c.Extras().Meta, MetaEffect, Effect(c))
}
