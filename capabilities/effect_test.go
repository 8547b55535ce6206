package capabilities_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The whole table, written out: a change of one derivation must be made here too.
func TestHintsOfEveryEffect(t *testing.T) {
	const y, n = capabilities.Yes, capabilities.No
	type row struct {
		change, reach                                string
		readOnly, destructive, idempotent, openWorld capabilities.Hint
		methods                                      []string
	}
	read, app := []string{"GET", "POST"}, []string{"POST", "PUT"}
	amend, set, destroy := []string{"PATCH", "PUT", "POST", "DELETE"}, []string{"PUT", "POST"}, []string{"DELETE", "POST"}
	want := []row{
		{"read", "private", y, n, y, n, read},
		{"read", "local", y, n, y, n, read},
		{"read", "shared", y, n, y, y, read},
		{"read", "world", y, n, y, y, read},
		{"append", "private", n, n, n, n, app},
		{"append", "local", n, n, n, n, app},
		{"append", "shared", n, n, n, y, app},
		{"append", "world", n, n, n, y, app},
		{"amend", "private", n, y, n, n, amend},
		{"amend", "local", n, y, n, n, amend},
		{"amend", "shared", n, y, n, y, amend},
		{"amend", "world", n, y, n, y, amend},
		{"set", "private", n, y, y, n, set},
		{"set", "local", n, y, y, n, set},
		{"set", "shared", n, y, y, y, set},
		{"set", "world", n, y, y, y, set},
		{"destroy", "private", n, y, y, n, destroy},
		{"destroy", "local", n, y, y, n, destroy},
		{"destroy", "shared", n, y, y, y, destroy},
		{"destroy", "world", n, y, y, y, destroy},
	}
	var got []row
	for _, e := range capabilities.Effects() {
		h := e.Hints()
		got = append(got, row{e.Change().String(), e.Reach().String(), h.ReadOnly, h.Destructive, h.Idempotent, h.OpenWorld, e.Methods()})
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(row{})); d != "" {
		t.Errorf("hints by effect (-want +got):\n%s", d)
	}
}

func TestUndeclaredEffectAssertsNothing(t *testing.T) {
	var zero capabilities.Effect
	if zero.Declared() || zero.Writes() || zero.Hints().Asserted() || zero.Methods() != nil {
		t.Errorf("the zero effect asserts something: %v", zero)
	}
	half := capabilities.Read(capabilities.ReachUndeclared)
	if half.Declared() || half.Hints().Asserted() {
		t.Errorf("a half declared effect asserts something: %v", half)
	}
}

func TestNoWriteIsGET(t *testing.T) {
	for _, e := range capabilities.Effects() {
		if e.Writes() && slices.Contains(e.Methods(), "GET") {
			t.Errorf("%v admits GET", e)
		}
	}
}

func TestParseEffectReadsWhatStringWrites(t *testing.T) {
	for _, e := range capabilities.Effects() {
		got, ok := capabilities.ParseEffect(e.Change().String(), e.Reach().String())
		if !ok || got != e {
			t.Errorf("ParseEffect(%v) = %v, %v", e, got, ok)
		}
	}
	if _, ok := capabilities.ParseEffect("undeclared", "private"); ok {
		t.Error("the undeclared change was read")
	}
}

// The 81 rows of the classifiers over bridged hints, against the rules written as
// plain sentences here and as a switch there.
func TestClassifiersOverEveryHint(t *testing.T) {
	values := []capabilities.Hint{capabilities.Unknown, capabilities.Yes, capabilities.No}
	rows, writers, proven, known := 0, 0, 0, 0
	for _, ro := range values {
		for _, de := range values {
			for _, id := range values {
				for _, ow := range values {
					rows++
					h := capabilities.Hints{ReadOnly: ro, Destructive: de, Idempotent: id, OpenWorld: ow}
					c := bridged(t, h)
					wantWrites := de == capabilities.Yes || (ro == capabilities.No && ow != capabilities.No)
					if got := capabilities.WritesToSharedSurface(c); got != wantWrites {
						t.Errorf("WritesToSharedSurface(%+v) = %v, want %v", h, got, wantWrites)
					}
					wantKnown := de == capabilities.Yes || ro == capabilities.No
					if got := capabilities.KnownToWrite(c); got != wantKnown {
						t.Errorf("KnownToWrite(%+v) = %v, want %v", h, got, wantKnown)
					}
					if wantKnown {
						known++
					}
					wantProven := ro == capabilities.Yes && de != capabilities.Yes
					if got := capabilities.ReadOnlyProven(c); got != wantProven {
						t.Errorf("ReadOnlyProven(%+v) = %v, want %v", h, got, wantProven)
					}
					wantDelivers := "far"
					if wantProven {
						wantDelivers = ""
					}
					if got := capabilities.Delivers(c); got != wantDelivers {
						t.Errorf("Delivers(%+v) = %q, want %q", h, got, wantDelivers)
					}
					if c.Writes() == wantProven {
						t.Errorf("Writes(%+v) = %v beside ReadOnlyProven %v", h, c.Writes(), wantProven)
					}
					if wantWrites {
						writers++
					}
					if wantProven {
						proven++
					}
				}
			}
		}
	}
	// Counted by hand from the rules: 27 destructive, and of the 54 others the 18
	// that are not read-only less the 6 that say their world is closed; those 6 are
	// known to write all the same.
	if rows != 81 || writers != 39 || proven != 18 || known != 45 {
		t.Errorf("rows %d writers %d proven %d known %d, want 81, 39, 18, 45", rows, writers, proven, known)
	}
}

func TestWordTakesTheStrongestAssertion(t *testing.T) {
	const y, n, u = capabilities.Yes, capabilities.No, capabilities.Unknown
	cases := map[string]capabilities.Hints{
		"destroys": {ReadOnly: y, Destructive: y},
		"writes":   {ReadOnly: n, Destructive: n},
		"reads":    {ReadOnly: y, Destructive: u},
		"unknown":  {ReadOnly: u, Destructive: n, Idempotent: y, OpenWorld: n},
	}
	for want, h := range cases {
		if got := h.Word(); got != want {
			t.Errorf("Word(%+v) = %q, want %q", h, got, want)
		}
	}
}

// Only what a caller could rely on gets worse.
func TestWhatIsMoreDangerous(t *testing.T) {
	reads := capabilities.Hints{ReadOnly: capabilities.Yes, Idempotent: capabilities.Yes}
	destroys := reads
	destroys.Destructive = capabilities.Yes
	for name, tt := range map[string]struct {
		was, now capabilities.Hints
		want     []string
	}{
		"the same":                     {reads, reads, nil},
		"destruction of what reads":    {reads, destroys, []string{"destructiveHint"}},
		"destruction of what destroys": {destroys, destroys, nil},
		"no word of reading":           {reads, capabilities.Hints{Idempotent: capabilities.Yes}, []string{"readOnlyHint"}},
		"nothing was known":            {capabilities.Hints{}, destroys, nil},
	} {
		if diff := cmp.Diff(tt.want, capabilities.MoreDangerous(tt.was, tt.now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func bridged(t *testing.T, h capabilities.Hints) *capabilities.Capability {
	t.Helper()
	fact := func(v capabilities.Hint) capabilities.HintFact {
		return capabilities.HintFact{Value: v, From: capabilities.FromServer}
	}
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "far__do", Tool: "do", Server: "far", Input: []byte(`{"type":"object"}`),
		Hints:   capabilities.HintFacts{ReadOnly: fact(h.ReadOnly), Destructive: fact(h.Destructive), Idempotent: fact(h.Idempotent), OpenWorld: fact(h.OpenWorld)},
		Handler: unreachable,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
