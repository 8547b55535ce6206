// Package surface keeps the public surface of a program from changing unnoticed. A
// [Picture] is everything that a caller can rely on, in one canonical file; [Diff] names
// what changed between two of them and classes each change; [Judge] says whether the
// declared version carries it. A picture is taken of a registry, or of what any MCP
// server lists.
package surface
