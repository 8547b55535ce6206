package metrics_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/metrics"
)

type nothing struct{}

type answer struct {
	// Always yes.
	Done bool `json:"done"`
}

func builtin(t *testing.T) *capabilities.Capability {
	t.Helper()
	pack := capabilities.NewPack[nothing](capabilities.PackInfo{Name: "shop", Title: "Shop", Summary: "A shop."})
	capabilities.Declare(pack, capabilities.Spec{Name: "put", Title: "Put", Summary: "Put.", Effect: capabilities.Append(capabilities.Shared), Route: "POST /put"},
		func(context.Context, nothing, nothing) (answer, error) { return answer{}, nil })
	capabilities.Comments(pack, map[string]string{"answer.Done": "Always yes."})
	reg, err := capabilities.Assemble(pack.Bind(nothing{}))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := reg.Find("put")
	return c
}

func bridged(t *testing.T, server, tool string) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: server + "__" + tool, Server: server, Tool: tool, Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lines answers the lines of the text that begin with a name.
func lines(c *metrics.Counts, name string) []string {
	s := &metrics.Set{}
	c.Put(s)
	var all []string
	for line := range strings.Lines(string(s.Text())) {
		if strings.HasPrefix(line, name) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

func TestCallsAreCountedByHowTheyEnd(t *testing.T) {
	c, put := metrics.NewCounts(), builtin(t)
	for range 3 {
		c.Begin()
		c.End(put, capabilities.HTTP, capabilities.EndedOK, 250*time.Millisecond)
	}
	c.Begin()
	c.End(put, capabilities.HTTP, "forbidden", 500*time.Millisecond)
	c.Begin()
	c.End(bridged(t, "up", "x"), capabilities.MCP, "upstream_error", time.Hour)
	c.Begin()
	c.Unknown(capabilities.CLI)
	c.Refused("foreign_host")
	c.Refused("foreign_host")
	want := []string{
		`holotype_calls_total{capability="put",source="shop",effect="append",reach="shared",surface="http",outcome="forbidden"} 1`,
		`holotype_calls_total{capability="put",source="shop",effect="append",reach="shared",surface="http",outcome="ok"} 3`,
		`holotype_calls_total{capability="up__x",source="up",effect="unknown",reach="",surface="mcp",outcome="upstream_error"} 1`,
	}
	if diff := cmp.Diff(want, lines(c, "holotype_calls_total{")); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"holotype_calls_running 1"}, lines(c, "holotype_calls_running")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{`holotype_requests_refused_total{reason="foreign_host"} 2`}, lines(c, "holotype_requests_refused_total")); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(lines(c, "holotype_unknown_calls_total"), `holotype_unknown_calls_total{surface="cli"} 1`) {
		t.Errorf("%q", lines(c, "holotype_unknown_calls_total"))
	}
	times := lines(c, `holotype_call_duration_seconds_bucket{capability="put"`)
	for _, one := range []string{`le="0.1"} 0`, `le="0.25"} 3`, `le="0.5"} 4`, `le="+Inf"} 4`} { // whatever became of them
		if !slices.ContainsFunc(times, func(line string) bool { return strings.HasSuffix(line, one) }) {
			t.Errorf("no bucket has %s in\n%s", one, strings.Join(times, "\n"))
		}
	}
	if diff := cmp.Diff([]string{`holotype_call_duration_seconds_sum{capability="put",source="shop",surface="http"} 1.25`, `holotype_call_duration_seconds_sum{capability="up__x",source="up",surface="mcp"} 3600`}, lines(c, "holotype_call_duration_seconds_sum")); diff != "" {
		t.Error(diff)
	}
}

// TestNamesOfOthersCannotGrowTheSeries calls more tools, of more servers, with more ways to
// end than are told apart.
func TestNamesOfOthersCannotGrowTheSeries(t *testing.T) {
	c := metrics.NewCounts()
	const servers, endings = 700, 30
	for i := range servers {
		name := fmt.Sprintf("s%d", i)
		tool := bridged(t, name, "x")
		for code := range endings {
			c.Begin()
			c.End(tool, capabilities.MCP, fmt.Sprintf("code_%d", code), time.Millisecond)
		}
		c.Answered(name, capabilities.EndedOK, time.Millisecond)
	}
	s := &metrics.Set{}
	c.Put(s)
	calls, rest := 0.0, 0.0
	for _, one := range s.Of(metrics.Calls) {
		calls += one.Value
		if one.Labels[0] == "other" && one.Labels[1] == "other" {
			rest += one.Value
		}
	}
	if calls != servers*endings {
		t.Errorf("%g calls are counted of %d", calls, servers*endings)
	}
	if rest == 0 {
		t.Error("nothing stands under other")
	}
	seen := map[[2]string]bool{}
	for _, o := range c.Operations() {
		if seen[[2]string{o.Tool, o.Outcome}] {
			t.Errorf("%s that ended with %s is there twice", o.Tool, o.Outcome)
		}
		seen[[2]string{o.Tool, o.Outcome}] = true
	}
	for id, most := range map[metrics.ID]int{metrics.Calls: 8192 + endings, metrics.CallSeconds: 502 + 256, metrics.ServerCallSeconds: 257} {
		if n := len(s.Of(id)); n > most {
			t.Errorf("%s has %d series, at most %d are meant", metrics.Table()[id].Name, n, most)
		}
	}
}

// TestToolsOfOthersAreToldApartUpToABound calls more tools than that of one server.
func TestToolsOfOthersAreToldApartUpToABound(t *testing.T) {
	c := metrics.NewCounts()
	const tools = 700
	for i := range tools {
		c.Begin()
		c.End(bridged(t, "up", fmt.Sprintf("t%d", i)), capabilities.MCP, capabilities.EndedOK, time.Millisecond)
	}
	s := &metrics.Set{}
	c.Put(s)
	all := s.Of(metrics.Calls)
	if len(all) != 500+1 {
		t.Errorf("%d series", len(all))
	}
	for _, one := range all {
		if want := 1.0; one.Labels[0] == "other" && (one.Value != tools-500 || one.Labels[1] != "up") || one.Labels[0] != "other" && one.Value != want {
			t.Errorf("%q has %g", one.Labels, one.Value)
		}
	}
}

func TestCountsAreSafe(t *testing.T) {
	c, put := metrics.NewCounts(), builtin(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 500 {
				c.Begin()
				c.End(put, capabilities.HTTP, fmt.Sprintf("code_%d", i%7), time.Millisecond)
				c.Answered("up", capabilities.EndedOK, time.Millisecond)
				if i%100 == 0 {
					c.Put(&metrics.Set{})
				}
			}
		})
	}
	all.Wait()
	s, n := &metrics.Set{}, 0.0
	c.Put(s)
	for _, one := range s.Of(metrics.Calls) {
		n += one.Value
	}
	if n != 8*500 {
		t.Errorf("%g calls are counted", n)
	}
}

func TestWhatACallerNamesStaysAName(t *testing.T) {
	s := &metrics.Set{}
	s.Put(metrics.ServerTools, 1, "a\"b\\c\nd\xffe")
	want := "holotype_server_tools{server=\"a\\\"b\\\\c\\nd\uFFFDe\"} 1\n"
	if got := string(s.Text()); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 3 {
		t.Errorf("got %q", got)
	}
}

// TestTheTableHolds judges every row: its name, its words, and that each label is
// explained once and none for nothing.
func TestTheTableHolds(t *testing.T) {
	name := regexp.MustCompile(`^(holotype|process|go)(_[a-z0-9]+)+$`)
	explained := map[string]bool{}
	for _, l := range metrics.Labels() {
		if explained[l.Name] || l.Means == "" {
			t.Errorf("the label %q is explained twice, or not", l.Name)
		}
		explained[l.Name] = true
	}
	used, seen := map[string]bool{}, map[string]bool{}
	for _, m := range metrics.Table() {
		if !name.MatchString(m.Name) || seen[m.Name] || m.Means == "" || m.Unit == "" {
			t.Errorf("the row of %q is not whole", m.Name)
		}
		seen[m.Name] = true
		if (m.Kind == metrics.Counter) != strings.HasSuffix(m.Name, "_total") {
			t.Errorf("%s is a %s", m.Name, m.Kind)
		}
		for _, l := range m.Labels {
			if !explained[l] {
				t.Errorf("the label %q of %s is not explained", l, m.Name)
			}
			used[l] = true
		}
	}
	for l := range explained {
		if !used[l] {
			t.Errorf("the label %q is of no metric", l)
		}
	}
}
