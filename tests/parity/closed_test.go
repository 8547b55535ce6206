package parity_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/tests/fixture"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// The corpus gives every reason of the closed set, and no other.
func TestEveryReasonIsShown(t *testing.T) {
	given := map[inputs.Reason]bool{}
	for _, in := range inputs.Corpus() {
		for family, why := range in.Cannot {
			if !slices.Contains(inputs.Reasons(), why) {
				t.Errorf("%s: %q is not in the closed set (%s)", in.Name, why, family)
			}
			given[why] = true
		}
	}
	for _, why := range inputs.Reasons() {
		if !given[why] {
			t.Errorf("no input shows that %q", why)
		}
	}
}

// Every code that a capability of this server can answer is fired on every surface.
func TestEveryCodeIsFired(t *testing.T) {
	registry, err := capabilities.Assemble(fixture.Pack.Describe(), tracker.Pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	want, fired := map[capabilities.Code]bool{}, map[capabilities.Code]bool{}
	for _, i := range registry.Codes() {
		want[i.Code] = true
	}
	for _, in := range inputs.Corpus() {
		if in.Code != "" {
			fired[in.Code] = true
		}
	}
	for c := range registry.All() {
		for _, e := range c.Examples() { // TestExamples runs them every way
			if e.Refuses != "" {
				fired[e.Refuses] = true
			}
		}
	}
	sorted := func(m map[capabilities.Code]bool) []capabilities.Code { return slices.Sorted(maps.Keys(m)) }
	if diff := cmp.Diff(sorted(want), sorted(fired)); diff != "" {
		t.Errorf("the codes of the registry and of the corpus differ (-registry +corpus):\n%s", diff)
	}
	if diff := cmp.Diff(sorted(want), slices.Sorted(maps.Keys(inputs.Statuses()))); diff != "" {
		t.Errorf("the codes of the registry and of the table differ (-registry +table):\n%s", diff)
	}
}
