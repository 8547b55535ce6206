// Package reference generates the reference as Markdown: a page a capability, a
// page a pack, a page a refusal code, the table of codes on every surface, and the
// configuration. It is written into docs/reference and served below /docs.
package reference
