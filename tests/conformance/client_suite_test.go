package conformance_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// clientEndsWell is the check that the client of a scenario did all it was asked for.
const clientEndsWell = "the-client-ends-well"

// bridgeSubject is the subject of runs that judge the bridge as a client.
const bridgeSubject = "bridge"

// A clientRun is one run of the suite over clients: at once over every scenario that its
// arguments name.
type clientRun struct {
	revision  string
	arguments []string
}

// clientRuns are two of what a revision requires, and two of what the older ones had. What
// the suite has besides is an extension that is not offered.
func clientRuns() []clientRun {
	return []clientRun{
		{legacy, []string{"--requirements", legacy}},
		{modern, []string{"--requirements", modern}},
		{"2025-06-18", []string{"--suite", "all", "--spec-version", "2025-06-18"}},
		{"2025-03-26", []string{"--suite", "all", "--spec-version", "2025-03-26"}},
	}
}

// run runs the suite over errands that have the given variables besides.
func (c clientRun) run(t *testing.T, environment ...string) *run {
	t.Helper()
	program := needNode(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// The suite has a shell run the command, which finds the name where no space matters.
	arguments := append([]string{suiteDir + "/dist/index.js", "client", "--command", `"$ERRAND"`, "--timeout", clientTime, "--output-dir", dir}, c.arguments...)
	cmd := exec.CommandContext(ctx, program, arguments...)
	out := takeTurns(t)
	cmd.Env = append(os.Environ(), append(environment, "ERRAND="+self, turnsVariable+"="+out.listener.Addr().String())...)
	cmd.Stdout, cmd.Stderr = out, out
	// Its own status says whether all that is scored passed; the checks say more.
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("running the suite: %v\n%s", err, &out.printed)
	}
	r := &run{subject: bridgeSubject, revision: c.revision, checks: map[string][]check{}}
	for line := range strings.Lines(out.printed.String()) {
		if name, ok := strings.CutPrefix(line, "Starting scenario: "); ok {
			name = strings.TrimSpace(name)
			r.checks[name] = clientChecks(t, dir, name)
		}
	}
	if len(r.checks) == 0 {
		t.Fatalf("the suite ran nothing:\n%s", &out.printed)
	}
	return r
}

// clientChecks answers what a scenario found of its client, and how the client ended.
func clientChecks(t *testing.T, dir, scenario string) []check {
	t.Helper()
	found := results(t, dir, scenario)
	if len(found) != 1 {
		return []check{{ID: scenarioEnds, Status: failed, Message: fmt.Sprintf("it left %d results", len(found))}}
	}
	all := checksIn(t, found[0])
	named := map[string]string{}
	several := map[string]bool{}
	for _, c := range all {
		if name, ok := named[c.ID]; ok && name != c.Name {
			several[c.ID] = true
		}
		named[c.ID] = c.Name
	}
	for i, c := range all {
		if several[c.ID] {
			all[i].ID += " " + c.Name
		}
	}
	end := check{ID: clientEndsWell, Status: passed}
	said := map[string][]byte{}
	for _, name := range []string{"stdout.txt", "stderr.txt"} {
		data, err := os.ReadFile(filepath.Join(found[0], name))
		if err != nil {
			t.Fatal(err)
		}
		said[name] = bytes.TrimSpace(data)
	}
	if !bytes.HasSuffix(said["stdout.txt"], []byte(errandDone)) {
		end.Status = failed
		end.Message = string(said["stderr.txt"][bytes.LastIndexByte(said["stderr.txt"], '\n')+1:])
	}
	return append(all, end)
}

// The bridge, with a client before it, is the client of every scenario that the suite has.
func TestClientConformance(t *testing.T) {
	needNode(t)
	var runs []*run
	for _, c := range clientRuns() {
		t.Run(c.revision, func(t *testing.T) {
			r := c.run(t)
			if c.arguments[0] == "--requirements" {
				for _, want := range scored(t, c.revision).Client {
					if len(r.checks[want]) == 0 {
						t.Errorf("%s requires the scenario %s, which did not run", c.revision, want)
					}
				}
			}
			runs = append(runs, r)
		})
	}
	found := map[finding]string{}
	for _, r := range runs {
		maps.Copy(found, r.found())
	}
	t.Log("\n" + clientCounts(runs))
	for _, fault := range compare(expectedFailures(t, bridgeSubject), found) {
		t.Error(fault)
	}
	for _, name := range clientScenarios(t) {
		if !strings.HasPrefix(name, skills) && !slices.ContainsFunc(runs, func(r *run) bool { return len(r.checks[name]) > 0 }) {
			t.Errorf("the suite has the scenario %s, which is in no run", name)
		}
	}
	doc, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := clientTable(runs); !strings.Contains(string(doc), table) {
		t.Errorf("docs/conformance.md has another table than this:\n%s", table)
	}
}

// skills begins the scenarios of an extension that is not offered, and of which nothing is
// relayed: the suite has nothing to judge there.
const skills = "sep-2640-"

// clientScenarios answers what the suite has for clients.
func clientScenarios(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command(needNode(t), suiteDir+"/dist/index.js", "list", "--client").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			name, _, _ = strings.Cut(name, " ")
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		t.Fatalf("the suite lists no scenarios:\n%s", out)
	}
	return all
}

// counts are how many checks of a scenario have each status.
func counts(checks []check) map[string]int {
	count := map[string]int{}
	for _, c := range checks {
		count[c.Status]++
	}
	return count
}

// clientTable answers the table of the documentation: a scenario is passed where nothing of
// it failed and nothing was warned of.
func clientTable(runs []*run) string {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b *run) int { return strings.Compare(a.revision, b.revision) })
	names := map[string]bool{}
	head, rule := "| scenario |", "|---|"
	for _, r := range runs {
		head, rule = head+" "+r.revision+" |", rule+"---|"
		for name := range r.checks {
			names[name] = true
		}
	}
	lines := []string{head, rule}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		line := "| " + name + " |"
		for _, r := range runs {
			count := counts(r.checks[name])
			switch {
			case len(count) == 0:
				line += " - |"
			case count[failed]+count[warned] > 0:
				line += " no |"
			default:
				line += " yes |"
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// clientCounts answers a line for every scenario that ran.
func clientCounts(runs []*run) string {
	var lines []string
	for _, r := range runs {
		for scenario, checks := range r.checks {
			count := counts(checks)
			lines = append(lines, fmt.Sprintf("%s\t%s\t%d passed, %d failed, %d warned, %d skipped\n",
				r.revision, scenario, count[passed], count[failed], count[warned], count[skipped]))
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
