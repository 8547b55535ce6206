package mcpserver

import (
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// traced answers the trace that a call is a part of: the one that its own _meta names, which
// is nearer to it than the headers of the request it came in.
func (c *toolCall) traced() capabilities.Trace {
	if c.params.meta.traceparent == nil {
		return c.trace
	}
	parent, _ := rawjson.String(c.params.meta.traceparent)
	state, _ := rawjson.String(c.params.meta.tracestate)
	return capabilities.ParseTrace(parent, state)
}

// traceOf answers the trace that the headers of a request name (W3C Trace Context).
func traceOf(h http.Header) capabilities.Trace {
	parent := h["Traceparent"]
	if len(parent) != 1 {
		return capabilities.Trace{}
	}
	return capabilities.ParseTrace(parent[0], strings.Join(h["Tracestate"], ","))
}
