package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/config"
)

// The guide's examples are configurations, and do what it says.
func TestTheGuidesExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	if len(blocks) < 3 {
		t.Fatalf("%d examples: they were not found", len(blocks))
	}
	held := map[string]int{}
	for _, b := range blocks {
		example, _, _ := strings.Cut(b, "```")
		c := mustLoad(t, example, nil)
		for _, n := range c.Notices {
			t.Errorf("an example is not as one should write it: %v", n)
		}
		for _, s := range c.Instances() {
			held[s.Name+s.Seat] = len(s.Unresolved)
			if _, registry := s.Env["BUILD_REGISTRY"]; registry {
				t.Error("BUILD_REGISTRY is not left out")
			}
			if s.Seat == "builder" && (s.Env["TRACKER_PROJECT"] != "WEB" || s.Env["TRACKER_URL"] == "") {
				t.Errorf("the builder's child has %v", s.Env)
			}
			if s.Name == "tickets" && s.Drift != config.DriftHold {
				t.Errorf("drift of tickets: %s", s.Drift)
			}
			if limits := (config.Limits{ConcurrentCalls: 1, CallsPerMinute: 60, ResultBytes: 200_000}); s.Name == "browser" && s.Limits != limits {
				t.Errorf("limits of browser: %+v", s.Limits)
			}
		}
	}
	for name, want := range map[string]int{"files": 0, "tickets": 1, "build": 1, "trackerbuilder": 1, "browser": 0} {
		if got, ok := held[name]; got != want || !ok {
			t.Errorf("%s: %d reasons to hold it back, %v; want %d", name, got, ok, want)
		}
	}
	if len(held) != 5 {
		t.Errorf("instances: %v, want five", held)
	}
}
