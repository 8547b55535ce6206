package bridge

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	unk = capabilities.Unknown
	yes = capabilities.Yes
	no  = capabilities.No
)

// TestEveryChangeOfHints goes through all 6,561 of them.
func TestEveryChangeOfHints(t *testing.T) {
	values := []capabilities.Hint{unk, yes, no}
	var all []capabilities.Hints
	for _, r := range values {
		for _, d := range values {
			for _, i := range values {
				for _, o := range values {
					all = append(all, capabilities.Hints{ReadOnly: r, Destructive: d, Idempotent: i, OpenWorld: o})
				}
			}
		}
	}
	for _, was := range all {
		for _, now := range all {
			var want []string
			if was.ReadOnly == yes && now.ReadOnly != yes {
				want = append(want, "readOnlyHint")
			}
			if was.Destructive == no && now.Destructive != no ||
				was.ReadOnly == yes && was.Destructive == unk && now.Destructive == yes {
				want = append(want, "destructiveHint")
			}
			if was.Idempotent == yes && now.Idempotent != yes {
				want = append(want, "idempotentHint")
			}
			if was.OpenWorld == no && now.OpenWorld != no {
				want = append(want, "openWorldHint")
			}
			got := capabilities.MoreDangerous(was, now)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v -> %+v: %v, want %v", was, now, got, want)
			}
			if was == now && len(got) > 0 {
				t.Fatalf("%+v drifts without a change", was)
			}
			// What decides whether a call is repeated, or counts as one that only reads, is
			// never lost silently.
			if was.ReadOnlyProven() && !now.ReadOnlyProven() && len(got) == 0 {
				t.Fatalf("%+v -> %+v: no longer proven to read alone, and no drift", was, now)
			}
		}
	}
}

func TestWhatIsAcceptedByItself(t *testing.T) {
	hint := func(h capabilities.Hint) *capabilities.Hint { return &h }
	reads := capabilities.Hints{ReadOnly: yes}
	at := time.Unix(1, 0)
	for _, c := range []struct {
		name     string
		accepted map[string]capabilities.Hints
		said     capabilities.Hints
		over     Override
		drift    []string
		news     bool
		remember capabilities.Hints // afterwards
	}{
		{"at first sight", nil, capabilities.Hints{Destructive: yes}, Override{}, nil, false, capabilities.Hints{Destructive: yes}},
		{"the same", map[string]capabilities.Hints{"t": reads}, reads, Override{}, nil, false, reads},
		{"towards danger", map[string]capabilities.Hints{"t": reads}, capabilities.Hints{ReadOnly: no}, Override{}, []string{"readOnlyHint"}, true, reads},
		{"towards safety", map[string]capabilities.Hints{"t": {ReadOnly: no, Destructive: yes}}, reads, Override{}, nil, true, reads},
		{"what was unknown", map[string]capabilities.Hints{"t": {}}, capabilities.Hints{ReadOnly: no, Destructive: yes}, Override{}, nil, true, capabilities.Hints{ReadOnly: no, Destructive: yes}},
		{"beneath an override", map[string]capabilities.Hints{"t": reads}, capabilities.Hints{ReadOnly: no, Idempotent: yes}, Override{ReadOnly: hint(yes)}, nil, true, capabilities.Hints{ReadOnly: yes, Idempotent: yes}},
		{"an override towards danger", map[string]capabilities.Hints{"t": reads}, reads, Override{ReadOnly: hint(no), Destructive: hint(yes)}, nil, false, reads},
		{"beside an override", map[string]capabilities.Hints{"t": {ReadOnly: yes, OpenWorld: no}}, capabilities.Hints{ReadOnly: no}, Override{ReadOnly: hint(no)}, []string{"openWorldHint"}, true, capabilities.Hints{ReadOnly: yes, OpenWorld: no}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAcceptance(map[string]capabilities.Hints{})
			maps.Copy(a.said, c.accepted)
			before := a.said["t"]
			v, dirty := a.judge("t", c.said, c.over, at)
			if d := cmp.Diff(c.drift, v.changed); d != "" {
				t.Error(d)
			}
			if v.news != c.news {
				t.Errorf("news %v", v.news)
			}
			if d := cmp.Diff(c.remember, a.said["t"]); d != "" {
				t.Error(d)
			}
			if _, known := c.accepted["t"]; dirty != (!known || before != c.remember) {
				t.Errorf("dirty %v", dirty)
			}
			again, dirty := a.judge("t", c.said, c.over, at.Add(time.Hour))
			if again.news || dirty || !slices.Equal(again.changed, v.changed) || len(c.drift) > 0 && !again.since.Equal(at) {
				t.Errorf("the same once more is %+v, dirty %v", again, dirty)
			}
		})
	}
}

func TestRememberedToolsAreBounded(t *testing.T) {
	a := newAcceptance(map[string]capabilities.Hints{})
	for i := range maxAccepted + 1 {
		a.said[string(rune('a'+i%26))+time.Duration(i).String()] = capabilities.Hints{}
	}
	a.said["listed"] = capabilities.Hints{ReadOnly: yes}
	a.prune(func(tool string) bool { return tool == "listed" })
	if len(a.said) != 1 {
		t.Errorf("%d are remembered", len(a.said))
	}
	a.prune(func(string) bool { return false })
	if len(a.said) != 1 {
		t.Error("one that is not listed is forgotten without need")
	}
}

// What a memory was given stays as it was: it may keep the very map.
func TestRememberedHintsAreNotChangedAfterwards(t *testing.T) {
	writes := capabilities.Hints{ReadOnly: no}
	a := newAcceptance(map[string]capabilities.Hints{"t": {}, "gone": writes})
	given := a.give()
	before := maps.Clone(given)
	for tool, said := range map[string]capabilities.Hints{"t": writes, "new": writes} {
		if _, dirty := a.judge(tool, said, Override{}, time.Unix(1, 0)); !dirty || a.said[tool] != writes {
			t.Errorf("%s is not accepted: %v", tool, a.said)
		}
	}
	for i := range maxAccepted {
		a.said[time.Duration(i).String()] = capabilities.Hints{}
	}
	again := a.give()
	a.prune(func(string) bool { return false })
	if d := cmp.Diff(before, given); d != "" || len(again) <= maxAccepted || len(a.said) != 0 {
		t.Errorf("%d and %d are remembered, and of what was given away: %s", len(again), len(a.said), d)
	}
}
