// Package openapi writes the OpenAPI 3.1 document of a set of capabilities.
//
// The document is a projection like any other: one operation a capability, with
// its effect, its hints and every code it may answer, and nothing that the
// declaration or the bridged server did not say. It is written as ordered JSON, so
// that properties stand in the order they were declared in and a number keeps
// every digit; the same capabilities give the same bytes.
//
// Generators read a smaller language than JSON Schema has. Schemas are therefore
// rewritten on a copy: what they refer to becomes a component of its own, older
// drafts become 2020-12, and constructs that a generator refuses become others of
// the same meaning. Calls are judged by the original. What cannot be said is
// marked x-holotype-opaque and admits everything, so that the document may know
// less than the server but never contradicts it.
package openapi
