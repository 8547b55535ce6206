// Package reference generates the reference as Markdown: a page a capability, a
// page a pack, a page a refusal code, what stands on which surface, and the
// configuration. It is written into docs/reference and served below /docs. Every
// table is derived from the declarations or from the code that writes the wire.
package reference
