// Package web holds the pages of the server as embedded files: html/template
// sources and the style sheet, which need no script, and Swagger UI for the one page
// that is about trying the HTTP surface. It has no code of its own.
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

// Swagger holds Swagger UI, the scripts compressed as the package of that name brings
// them (SHA256SUMS says which), and start.js, which is ours.
//
//go:embed swagger/swagger-ui-bundle.js.gz swagger/swagger-ui.css.gz swagger/start.js
var Swagger embed.FS
