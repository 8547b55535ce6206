package httpapi

import (
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	keyTraceParent = "Traceparent"
	keyTraceState  = "Tracestate"
)

// traceOf answers the trace that a request says it is a part of (W3C Trace Context).
func traceOf(h http.Header) capabilities.Trace {
	parent := h[keyTraceParent]
	if len(parent) != 1 {
		return capabilities.Trace{}
	}
	return capabilities.ParseTrace(parent[0], strings.Join(h[keyTraceState], ","))
}
