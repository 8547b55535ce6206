// Package docs embeds the authored pages, so that a running server shows them.
package docs

import "embed"

// Pages are the authored Markdown pages, with the decisions below decisions/.
//
//go:embed *.md decisions/*.md
var Pages embed.FS
