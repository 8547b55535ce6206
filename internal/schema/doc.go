// Package schema is the one place where JSON text and JSON Schema are judged: scan, compile, validate, accept,
// repair, and read properties.
//
// A call's arguments are judged as bytes, before anything is decoded. [Scan] answers whether the text is JSON we
// take at all (RFC 8259, valid UTF-8, no duplicate keys, bounded). [Schema.Validate] answers whether it fits a schema,
// and says in sentences what to change. [Schema.Accept] is a second, allocation-free reading of the same schema that
// may only say "certainly valid"; whatever it cannot prove goes to the full validator, so it decides speed and never
// meaning.
//
// A schema is data from a stranger. Nothing here does I/O: an external $ref is refused, never fetched. References may
// recurse; depth, size, and the work one call may cause are bounded.
package schema
