package httpapi

import (
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Part is one part of the server as /readyz?verbose shows it to whoever runs it.
type Part struct {
	Name   string `json:"name"`
	Grade  string `json:"grade"` // "ok", "note" or "fault"
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// metricsPath is where the metrics are read.
const metricsPath = "/metrics"

// metrics answers the metrics.
func (s *Server) metrics(x *exchange, r *http.Request) {
	if !s.o.MetricsPublic && !x.principal.Has(capabilities.ScopeAdmin) {
		x.refuse(r, capabilities.Refuse(capabilities.Forbidden, "the metrics are for those who have the scope %s", capabilities.ScopeAdmin))
		return
	}
	contentType, text := s.o.Metrics(r.Context())
	x.send(r, http.StatusOK, []string{contentType}, text)
}

// open reports whether a path needs no credential on this server.
func (s *Server) open(path string) bool {
	return public(path) || s.signsIn(path) || path == metricsPath && s.o.Metrics != nil && s.o.MetricsPublic
}

// verbose answers whoever runs the server how each part of it is, and reports whether it
// did: everybody else is told whether calls are served, and no more.
func (s *Server) verbose(x *exchange, r *http.Request, refusal *capabilities.Error) (answered bool) {
	if s.o.Parts == nil || !r.URL.Query().Has("verbose") || r.Header[keyAuthorization] == nil && r.Header["Cookie"] == nil {
		return false
	}
	if e := s.identify(x, r); e != nil {
		if e.Code == capabilities.Unauthenticated && r.Header[keyAuthorization] == nil {
			return false // ports do not part cookies: that of another server is no bad credential
		}
		x.refuse(r, e)
		return true
	}
	if !x.principal.Has(capabilities.ScopeAdmin) {
		return false
	}
	body := struct {
		Status string `json:"status"`
		Parts  []Part `json:"parts"`
	}{"ok", s.o.Parts(r.Context())}
	status := http.StatusOK
	if refusal != nil {
		body.Status, status = "unavailable", http.StatusServiceUnavailable
	}
	text, err := json.Marshal(body)
	if err != nil { // texts alone stand in it
		return false
	}
	x.send(r, status, s.values.json, text)
	return true
}

// answered counts answers by their status. The zero value is ready.
type answered [600]atomic.Uint64

func (a *answered) count(status int) {
	if status >= http.StatusOK && status < len(a) { // those below go before an answer
		a[status].Add(1)
	}
}

// Answers answers how many answers there were, by their status.
func (s *Server) Answers() map[int]uint64 {
	all := map[int]uint64{}
	for status := range s.answered {
		if n := s.answered[status].Load(); n > 0 {
			all[status] = n
		}
	}
	return all
}
