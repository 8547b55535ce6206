// Package reference generates the reference as Markdown: a page a capability, a
// page a pack, a page a refusal code, a page a key of the configuration, a page an
// event of the log, and what stands on which surface. It is written into
// docs/reference and served below /docs. Every table is derived from the declarations
// or from the code that writes the wire; the table of events is held to the source.
package reference
