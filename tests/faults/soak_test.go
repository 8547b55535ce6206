//go:build soak

package faults_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// These modes have the times that servers in the wild take: a first start that installs
// for more than a minute, headers that come after more than a minute, an answer that
// drips for two. They take as long as that, so `make soak` runs them; beside every
// other test their short forms run.

func TestSlowForLong(t *testing.T) {
	t.Parallel()
	u := serveHTTP(t)
	life := []fault{
		{mode: "slow-start", entry: entry{"startup_timeout_seconds": 180}, calls: []call{{says: "pid"}}},
		{mode: "die-idle 100", calls: []call{{says: "pid"}}, more: exits("exited with status 7", 1)},
	}
	http := []fault{
		{mode: "slow-headers", entry: entry{"call_timeout_seconds": 120}, calls: []call{{says: "got hello"}}},
		{mode: "slow-init", entry: entry{"startup_timeout_seconds": 120}, calls: []call{{says: "got hello"}}},
		{mode: "slow-body", entry: entry{"call_timeout_seconds": 170}, calls: []call{{says: "got hello"}}},
		{mode: "sse-retry-huge", entry: entry{"call_timeout_seconds": 60}, calls: refusedCall(capabilities.Unavailable, "could not resume it")},
	}
	var entries []entry
	for _, f := range life {
		entries = append(entries, f.command("life.mjs"))
	}
	for _, f := range http {
		entries = append(entries, f.address(u))
	}
	runFaults(t, start(t, entries...), append(life, http...))
}
