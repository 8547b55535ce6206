// Package conformance judges a program of this kind from outside: what its packs declare
// against what its surfaces say and do. It asks a running server over HTTP, over MCP and
// on the command line, and holds the answers against each other and against the
// declarations. Every [Rule] has a word, a sentence and a place that says more.
//
// A pack's own tests run it with a few lines:
//
//	func TestConforms(t *testing.T) {
//		conformance.Run(t, conformance.Of(t, options))
//	}
//
// What is asked follows from the declarations, the examples and the samples of a
// [Target], so a capability that is added is judged without a line of a test.
package conformance
