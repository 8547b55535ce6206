// Package tsclient generates a TypeScript client of a set of capabilities, as a package
// for npm.
//
// Its types are those of the OpenAPI document, in the shape that the tool
// openapi-typescript gives them: [Types] writes them, and a test compiles both and
// compares. What a call takes, answers and is refused with is a table on top of them. The
// runtime that sends the calls is one file without dependencies, the same for every
// program.
package tsclient
