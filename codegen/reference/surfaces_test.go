package reference_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/reference"
)

// The table of effects has a row for each, and says what the core says.
func TestEffectTable(t *testing.T) {
	rows := table(t, files(t, registry(t))[reference.Folder+"/surfaces.md"], "effect")
	if len(rows) != 20 || len(rows) != len(capabilities.Effects()) {
		t.Fatalf("%d rows", len(rows))
	}
	for i, e := range capabilities.Effects() {
		h := e.Hints()
		shared := e.Writes() && (e.Reach() == capabilities.Shared || e.Reach() == capabilities.World)
		want := []string{
			"`" + e.String() + "`", h.ReadOnly.String(), h.Destructive.String(), h.Idempotent.String(), h.OpenWorld.String(),
			strings.Join(e.Methods(), " "), capabilities.HintOf(shared).String(), capabilities.HintOf(h.Destructive == capabilities.Yes).String(),
		}
		if d := cmp.Diff(want, rows[i]); d != "" {
			t.Errorf("%s (-want +got):\n%s", e, d)
		}
	}
}

// The words of an effect each have a row that says what they mean.
func TestWordsOfEffects(t *testing.T) {
	page := files(t, registry(t))[reference.Folder+"/surfaces.md"]
	for head, want := range map[string][]string{"change": {"`read`", "`append`", "`amend`", "`set`", "`destroy`"}, "reach": {"`private`", "`local`", "`shared`", "`world`"}} {
		var got []string
		for _, row := range table(t, page, head) {
			got = append(got, row[0])
			if len(row) != 2 || row[1] == "" {
				t.Errorf("%q means nothing", row)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", head, d)
		}
	}
}

func TestCodeTable(t *testing.T) {
	reg := registry(t)
	rows := table(t, files(t, reg)[reference.Folder+"/surfaces.md"], "code", "HTTP status")
	if len(rows) != len(reg.Codes()) {
		t.Fatalf("%d rows for %d codes", len(rows), len(reg.Codes()))
	}
	for i, info := range reg.Codes() {
		if !strings.Contains(rows[i][0], "`"+string(info.Code)+"`") || !strings.HasPrefix(rows[i][1], strconv.Itoa(info.Status)+" ") ||
			rows[i][2] != "`/docs/codes/"+string(info.Code)+"`" || rows[i][3] != strconv.Itoa(info.Exit) {
			t.Errorf("%s: %q", info.Code, rows[i])
		}
	}
}

// The three values of a hint, written out.
func TestThreeValuesOnTheWire(t *testing.T) {
	got := table(t, files(t, registry(t))[reference.Folder+"/surfaces.md"], "value")
	want := [][]string{
		{"yes", "`{\"readOnlyHint\":true}`", "`{\"readOnlyHint\":true}`", "`{\"value\":\"yes\",\"from\":\"server\"}`"},
		{"no", "`{\"readOnlyHint\":false}`", "`{\"readOnlyHint\":false}`", "`{\"value\":\"no\",\"from\":\"server\"}`"},
		{"unknown", "absent", "`{}`", "`{\"value\":\"unknown\",\"from\":\"unknown\"}`"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestWhatHintsAssert(t *testing.T) {
	got := table(t, files(t, registry(t))[reference.Folder+"/surfaces.md"], "`readOnlyHint`")
	want := [][]string{ // read only, destructive, word, proven, asks, others see it when the world is open, closed, unknown
		{"yes", "yes", "`destroys`", "no", "yes", "yes", "yes", "yes"},
		{"yes", "no", "`reads`", "yes", "no", "no", "no", "no"},
		{"yes", "unknown", "`reads`", "yes", "no", "no", "no", "no"},
		{"no", "yes", "`destroys`", "no", "yes", "yes", "yes", "yes"},
		{"no", "no", "`writes`", "no", "no", "yes", "no", "yes"},
		{"no", "unknown", "`writes`", "no", "yes", "yes", "no", "yes"},
		{"unknown", "yes", "`destroys`", "no", "yes", "yes", "yes", "yes"},
		{"unknown", "no", "`unknown`", "no", "no", "no", "no", "no"},
		{"unknown", "unknown", "`unknown`", "no", "yes", "no", "no", "no"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
