// Beside the tests of the kit, these run the official conformance suite of the Model Context
// Protocol over this module, in both revisions that it speaks. Two servers are run:
// the real one, for what holds of any server, and a fixture, which has the tools,
// resources and prompts that the scenarios call by name. The fixture's tools are
// capabilities where one can be what the scenario expects, else bridged tools; what
// the product does not offer is served by the protocol library behind a hook.
//
//	go test -v ./tests/conformance
//
// prints, for every scenario, how it ended and on whose code it ran.

package conformance_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
)

// The revisions of the protocol that the suite judges.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// generic are the scenarios that need no tool of a given name, by revision.
func generic(revision string) []string {
	if revision == legacy {
		return []string{
			"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "server-session-lifecycle", "dns-rebinding-protection",
		}
	}
	return []string{
		"server-stateless", "tools-list", "server-sse-multiple-streams", "caching", "http-header-validation", "dns-rebinding-protection",
	}
}

func TestConformance(t *testing.T) {
	needNode(t)
	var mu sync.Mutex
	var runs []*run
	add := func(r *run) {
		mu.Lock()
		defer mu.Unlock()
		runs = append(runs, r)
	}
	t.Run("suite", func(t *testing.T) {
		for _, revision := range []string{legacy, modern} {
			t.Run("fixture/"+revision, func(t *testing.T) {
				t.Parallel()
				r := runSuite(t, fixtureServer(t), revision)
				for _, want := range scored(t, revision).Server {
					if len(r.checks[want]) == 0 {
						t.Errorf("%s requires the scenario %s, which did not run", revision, want)
					}
				}
				add(r)
			})
			t.Run("real/"+revision, func(t *testing.T) {
				t.Parallel()
				add(runSuite(t, realServer(t), revision, generic(revision)...))
			})
		}
	})
	found := map[finding]string{}
	for _, r := range runs {
		maps.Copy(found, r.found())
	}
	t.Log("\n" + table(runs))
	for _, fault := range compare(expectedFailures(t, "fixture", "real"), found) {
		t.Error(fault)
	}
}

// table answers a line for every scenario that ran.
func table(runs []*run) string {
	var lines []string
	for _, r := range runs {
		for scenario, checks := range r.checks {
			count, result := map[string]int{}, "pass"
			for _, c := range checks {
				count[c.Status]++
			}
			switch {
			case count[failed] > 0:
				result = "FAIL"
			case count[warned] > 0:
				result = "WARN"
			case count[passed] == 0:
				result = "none"
			}
			code := strings.Join(r.proxy.values(r.proxy.origins, scenario), ", ")
			if code == "" {
				code = "protocol" // nothing but the handshake, lists and what is refused
			}
			lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%d passed, %d failed, %d warned, %d skipped\t%s\n",
				r.revision, r.subject, scenario, result, count[passed], count[failed], count[warned], count[skipped], code))
		}
	}
	slices.Sort(lines)
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprint(w, line)
	}
	if err := w.Flush(); err != nil {
		return err.Error()
	}
	return out.String()
}
