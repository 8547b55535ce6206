// Package site serves the documentation below /docs: the authored pages and the
// reference generated from the registry that runs, rendered on the server, without
// a script and without a request to anywhere else. Every page has a Markdown twin
// at its address with .md behind it, which a client that asks for text/markdown
// gets at the address itself. Text of strangers stays text, and raw HTML is left
// out.
package site
