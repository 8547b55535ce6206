package conformance_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// A finding names one check of one run.
type finding struct{ subject, revision, scenario, check string }

func (f finding) String() string {
	return strings.Join([]string{f.subject, f.revision, f.scenario, f.check}, " / ")
}

// anyCheck stands for whatever fails of a scenario.
const anyCheck = "*"

// nothingJudged is the check of a scenario in which no other one passed or failed.
const nothingJudged = "something-is-judged"

// found answers the checks of a run that did not pass, and what was said of them. To
// be warned of is not to pass, nor is to be skipped.
func (r *run) found() map[finding]string {
	all := map[finding]string{}
	for scenario, checks := range r.checks {
		judged := false
		for _, c := range checks {
			judged = judged || c.Status == passed || c.Status == failed
			if c.Status != passed && c.Status != info {
				all[finding{r.subject, r.revision, scenario, c.ID}] = strings.ToLower(c.Status) + ": " + c.Message
			}
		}
		if !judged {
			all[finding{r.subject, r.revision, scenario, nothingJudged}] = "nothing was found to judge"
		}
	}
	return all
}

// expectedFailures reads what is known not to pass of some subjects, with a reason each.
func expectedFailures(t *testing.T, subjects ...string) map[finding]bool {
	t.Helper()
	data, err := os.ReadFile("expected-failures.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Because  string   `yaml:"because"`
		Subject  string   `yaml:"subject"`
		Revision string   `yaml:"revision"`
		Scenario string   `yaml:"scenario"`
		Checks   []string `yaml:"checks"`
	}
	if err := yaml.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	all := map[finding]bool{}
	for _, row := range rows {
		if row.Because == "" || len(row.Checks) == 0 {
			t.Errorf("expected-failures.yml: %s of %s has no reason or no checks", row.Scenario, row.Subject)
		}
		if !slices.Contains(subjects, row.Subject) {
			continue
		}
		for _, id := range row.Checks {
			all[finding{row.Subject, row.Revision, row.Scenario, id}] = true
		}
	}
	return all
}

// compare answers a sentence for every check that fails and was not expected to, and
// for every one that was and does not.
func compare(expected map[finding]bool, found map[finding]string) []string {
	var faults []string
	failing := map[finding]bool{} // scenarios
	for f, message := range found {
		whole := finding{f.subject, f.revision, f.scenario, anyCheck}
		failing[whole] = true
		if !expected[f] && !expected[whole] {
			faults = append(faults, fmt.Sprintf("%s does not pass: %s", f, message))
		}
	}
	for f := range expected {
		if _, ok := found[f]; !ok && !failing[f] {
			faults = append(faults, fmt.Sprintf("%s is expected to fail and does not: take it out of expected-failures.yml", f))
		}
	}
	return faults
}

func TestExpectedFailuresOnlyShrink(t *testing.T) {
	known := finding{"real", "2026-07-28", "caching", "a"}
	other := finding{"real", "2026-07-28", "caching", "b"}
	whole := finding{"real", "2026-07-28", "caching", anyCheck}
	for _, tc := range []struct {
		name     string
		expected map[finding]bool
		found    map[finding]string
		want     string // a part of the one fault; "" for none
	}{
		{"as expected", map[finding]bool{known: true}, map[finding]string{known: "x"}, ""},
		{"a new failure", map[finding]bool{known: true}, map[finding]string{known: "x", other: "y"}, "caching / b does not pass: y"},
		{"anything is expected to fail", map[finding]bool{whole: true}, map[finding]string{known: "x", other: "y"}, ""},
		{"anything is expected to fail, and nothing does", map[finding]bool{whole: true}, nil, "caching / * is expected to fail and does not"},
		{"an expected failure passes", map[finding]bool{known: true}, nil, "caching / a is expected to fail and does not"},
	} {
		got := strings.Join(compare(tc.expected, tc.found), "\n")
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}
