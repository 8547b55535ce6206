package site

import (
	"mime"
	"strconv"
	"strings"
)

// prefersMarkdown reports whether an Accept header (RFC 9110 section 12.5.1) asks
// for text/markdown before HTML: by a higher weight, or by the same weight and
// naming it first. Who accepts anything gets HTML.
func prefersMarkdown(accept []string) bool {
	var markdown, html float64
	first := "" // the first of the two that is named
	for field := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, params, err := mime.ParseMediaType(field)
		if err != nil {
			continue
		}
		weight := 1.0
		if q, ok := params["q"]; ok {
			if weight, err = strconv.ParseFloat(q, 64); err != nil || weight < 0 || weight > 1 {
				continue
			}
		}
		switch kind {
		case "text/markdown":
			markdown = max(markdown, weight)
		case "text/html", "application/xhtml+xml":
			html = max(html, weight)
		default:
			continue
		}
		if first == "" {
			first = kind
		}
	}
	return markdown > html || markdown > 0 && markdown == html && first == "text/markdown"
}
