// Package prose holds what is written to what exists. A [Checker] reads authored text:
// Markdown, Go comments and messages, HTML templates, TypeScript strings, examples in
// YAML and JSON. Of each it takes the claims, which are names of tools, routes,
// commands and flags, keys of the configuration, refusal codes, events and how many
// there are of something, and looks every claim up in a [Truth], which is made from a
// registry. What is not true is a [Finding] with its place and the nearest name that
// exists.
//
// A text is cut into passages (markdown.go, gosource.go, script.go, template.go,
// example.go), a passage into claims (read.go, counts.go), and a claim is judged
// (judge.go, commandline.go, keys.go, totals.go, agree.go). What is rightly not of this
// program stands in a list with a reason, or is marked where it stands (allow.go,
// escape.go).
package prose
