package parity_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// Every example of every capability answers what its declaration says, every way
// that can carry it. Results that follow from the input or the store are the same;
// what follows from the process (its sessions, its clock) is compared by its code.
func TestExamples(t *testing.T) {
	r := start(t)
	if err := tracker.Seed(t.Context(), commands{t, r}, capabilities.OwnerPrincipal()); err != nil {
		t.Fatal(err)
	}
	ways := r.ways(t)
	ran := 0
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		tool := r.tools[name]
		for _, e := range tool.Examples {
			ran++
			t.Run(name+"/"+e.Name, func(t *testing.T) { showExample(t, tool, e, ways) })
		}
	}
	if ran < 10 {
		t.Errorf("only %d examples were found", ran)
	}
}

// madeUp is an id that a call makes up, another one every time.
var madeUp = regexp.MustCompile(`\b([a-z]{1,4})_[0-9a-z]{26}\b`)

// commands are a door that is reached by command lines.
type commands struct {
	t *testing.T
	r *running
}

func (c commands) Invoke(_ context.Context, call capabilities.Call) (*capabilities.Result, error) {
	out, errw, exit := c.r.CLI(c.t, string(call.Arguments), "call", call.Name, "-o", "json", "--yes", "--json", "-")
	if exit != 0 {
		return nil, fmt.Errorf("exit status %d: %s", exit, errw)
	}
	return &capabilities.Result{Structured: out}, nil
}

func showExample(t *testing.T, tool inputs.Tool, e inputs.Example, ways []way) {
	t.Helper()
	// Writes of the store are tried, so that every way meets the same.
	in := inputs.Input{Call: tool.Name, In: string(e.Arguments), Code: capabilities.Code(e.Refuses), DryRun: tool.Receipts()}
	var first *said
	heard := 0
	for _, w := range ways {
		got, why := w.send(t, in)
		if why != "" {
			if w.family != inputs.AsFlags && why != inputs.NoRoute {
				t.Errorf("%s cannot carry a declared example: %s", w.name, why)
			}
			continue
		}
		heard++
		if got.code != in.Code {
			t.Errorf("%s: code %q, want %q: %s", w.name, got.code, in.Code, clip(got.raw))
			continue
		}
		if tool.Answers != capabilities.FromInput.String() && tool.Answers != capabilities.FromStore.String() {
			continue
		}
		if in.DryRun {
			got.structured, got.content = madeUp.ReplaceAll(got.structured, []byte("${1}_ID")), madeUp.ReplaceAll(got.content, []byte("${1}_ID"))
		}
		if first == nil {
			first = &got
			continue
		}
		agree(t, in, ways[0].name, w.name, *first, got)
	}
	if heard < len(ways)-2 {
		t.Errorf("only %d of %d ways carry it", heard, len(ways))
	}
}
