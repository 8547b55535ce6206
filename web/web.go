// Package web holds the pages of the server as embedded files: html/template
// sources and the style sheet. It has no code of its own and no script.
package web

import "embed"

// Templates holds the sources of the pages, one file a page, for html/template.
//
//go:embed templates/*.html
var Templates embed.FS

// Assets holds what the pages load from the server itself.
//
//go:embed assets
var Assets embed.FS
