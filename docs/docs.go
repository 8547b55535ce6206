// Package docs embeds the authored pages, so that a running server shows them.
package docs

import "embed"

// Pages are the authored Markdown pages, README.md the first of them, with the
// decisions below decisions/. What is generated below reference/ is not among them:
// a server shows the reference of the capabilities it runs.
//
//go:embed *.md decisions/*.md
var Pages embed.FS
