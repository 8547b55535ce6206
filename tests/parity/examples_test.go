package parity_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// Every example of every capability answers what its declaration says, every way
// that can carry it. Results that follow from the input or the store are the same;
// what follows from the process (its sessions, its clock) is compared by its code.
func TestExamples(t *testing.T) {
	r := start(t)
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

func showExample(t *testing.T, tool inputs.Tool, e inputs.Example, ways []way) {
	t.Helper()
	in := inputs.Input{Call: tool.Name, In: string(e.Arguments), Code: capabilities.Code(e.Refuses)}
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
