package conformance_test

import (
	"bytes"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A twin is the fixture with one thing wrong on the wire, and the scenarios that must
// fail of it.
type twin struct {
	fault
	fails []string
}

// twins answers the broken twins of a revision. No two of them fail the same scenario,
// so that one run shows what each of them does.
func twins(revision string) []twin {
	shared := []twin{
		{call("an isError is dropped", "test_error_handling", `"isError":true`, `"isError":false`), []string{"tools-call-error"}},
		{call("an image has no type", "test_image_content", `"mimeType":"image/png"`, `"mime":"image/png"`), []string{"tools-call-image"}},
		{call("progress is reported of another call", "test_tool_with_progress", `"progressToken":"progress-test-1"`, `"progressToken":"another"`), []string{"tools-call-with-progress"}},
	}
	shared = append(shared, twin{
		fault{name: "Host and Origin are not looked at", meets: anything, ask: func(r *http.Request, _ request) {
			r.Host = "localhost"
			r.Header.Del("Origin")
		}},
		[]string{"dns-rebinding-protection"},
	})
	const hint = "a hint is no boolean"
	broken := replace(`"readOnlyHint":true`, `"readOnlyHint":"true"`)
	if revision == legacy {
		return append(shared, twin{fault{name: hint, meets: lists, answer: broken}, []string{"json-schema-2020-12", "tools-list"}})
	}
	return append(shared,
		twin{fault{name: hint, meets: lists, answer: broken}, []string{
			"http-custom-header-server-validation", "input-required-result-unsupported-methods", "json-schema-2020-12", "caching", "tools-list",
		}},
		twin{call("a result does not say that it is whole", "test_simple_text", `,"resultType":"complete"`, ``), []string{"tools-call-simple-text"}},
		twin{
			fault{name: "Mcp-Method is not looked at", meets: anything, ask: func(r *http.Request, asked request) {
				r.Header.Set("Mcp-Method", asked.Method)
			}},
			[]string{"http-header-validation", "tasks-request-headers"},
		},
	)
}

func anything(string, string) bool { return true }
func lists(method, _ string) bool  { return method == listMethod }

func call(name, tool, old, replacement string) fault {
	return fault{
		name:   name,
		meets:  func(method, target string) bool { return method == callMethod && target == tool },
		answer: replace(old, replacement),
	}
}

func replace(old, replacement string) func([]byte) []byte {
	return func(answer []byte) []byte { return bytes.ReplaceAll(answer, []byte(old), []byte(replacement)) }
}

// The run bites: what is broken on the wire fails the scenarios that look at it, and
// those alone.
func TestBrokenTwinsFail(t *testing.T) {
	needNode(t)
	expected := expectedFailures(t, "fixture")
	for _, revision := range []string{legacy, modern} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			var faults []fault
			var want []string
			for _, tw := range twins(revision) {
				faults, want = append(faults, tw.fault), append(want, tw.fails...)
			}
			r := runBroken(t, fixtureServer(t), revision, faults)
			for _, tw := range twins(revision) {
				met := r.proxy.values(r.proxy.broken, tw.name)
				for _, scenario := range tw.fails {
					if !slices.Contains(met, scenario) {
						t.Errorf("%s: it was not met in %s, only in %v", tw.name, scenario, met)
					}
				}
			}
			var got []string
			for f := range r.found() {
				if !expected[f] && !slices.Contains(got, f.scenario) {
					got = append(got, f.scenario)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("scenarios that fail (-want +got):\n%s", diff)
			}
		})
	}
}
