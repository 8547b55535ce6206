package faults_test

import (
	"strings"
	"testing"
)

// skipped fails unless exactly these tools of a server are left out, each with one
// reason that says so.
func skipped(t *testing.T, p *product, name string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, s := range p.rows(t)[name].Skipped {
		if _, twice := got[s.Tool]; twice {
			t.Errorf("%q is left out for two reasons", s.Tool)
		}
		got[s.Tool] = s.Reason
		if reason, ok := want[s.Tool]; !ok || !strings.Contains(s.Reason, reason) {
			t.Errorf("%q is left out because %s; want %q", s.Tool, s.Reason, reason)
		}
	}
	for tool, reason := range want {
		if got[tool] == "" {
			t.Errorf("%q is not left out, want %q", tool, reason)
		}
	}
	if lines := p.log.of(name, "server_tools_skipped"); len(want) > 0 && len(lines) != 1 {
		t.Errorf("the log has %d lines about what is left out, want 1", len(lines))
	}
}
