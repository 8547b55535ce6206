package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/codegen/vectors"
	"github.com/seed-89b9419b/holotype/tests/drive"
	committed "github.com/seed-89b9419b/holotype/tests/vectors"
)

// hints compares what is listed with where it comes from: a builtin's hints follow
// from its effect, a bridged tool's are what its server sent and the operator said.
func hints(t *testing.T, r *drive.Running, all told) {
	t.Helper()
	builtins, bridged := 0, 0
	for _, one := range rowsOf(t, r) {
		var want words
		if one.Source == "builtin" {
			builtins++
			want = derived(t, one)
		} else {
			bridged++
			want = relayed(t, one)
		}
		if diff := cmp.Diff(want, all[one.Name]); diff != "" {
			t.Errorf("%s (-want +listed):\n%s", one.Name, diff)
		}
	}
	if builtins < 20 || bridged < 2*81 {
		t.Errorf("only %d builtins and %d bridged tools were compared", builtins, bridged)
	}
}

// writers checks that exactly the tools are named as writers of which a hint says so,
// builtin or bridged, and how many the text that a client starts with says there are.
func writers(t *testing.T, r *drive.Running, all told) {
	t.Helper()
	type surface struct {
		Instructions string `json:"instructions"`
	}
	got := parse[struct {
		Surfaces []surface `json:"surfaces"`
		Writers  []string  `json:"writers"`
	}](t, r.Get(t, "/api/v1/projection"))
	var want []string
	silent := 0
	for name, w := range all {
		switch readOnly, destructive := w[0], w[1]; {
		case readOnly == "no" || destructive == "yes":
			want = append(want, name)
		case readOnly != "yes":
			silent++
		}
	}
	if diff := cmp.Diff(want, got.Writers, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("the writers (-want +got):\n%s", diff)
	}
	counted, open := fmt.Sprintf(" Of these, %d tools (", len(want)), fmt.Sprintf(" Of %d more nobody says whether they do.", silent)
	if !slices.ContainsFunc(got.Surfaces, func(s surface) bool {
		return strings.Contains(s.Instructions, counted) && strings.HasSuffix(s.Instructions, open)
	}) {
		t.Errorf("no surface says%q and%q: %v", counted, open, got.Surfaces)
	}
}

// derived are the hints of an effect, as the vectors have them.
func derived(t *testing.T, one row) words {
	t.Helper()
	table, err := committed.Load[vectors.Effect]("effects")
	if err != nil {
		t.Fatal(err)
	}
	if one.Effect == nil {
		t.Fatalf("%s has no effect", one.Name)
	}
	i := slices.IndexFunc(table, func(e vectors.Effect) bool { return e.Change == one.Effect.Change && e.Reach == one.Effect.Reach })
	if i < 0 {
		t.Fatalf("%s has the effect %+v", one.Name, *one.Effect)
	}
	var w words
	for at, key := range spoken() {
		w[at] = map[bool]string{true: "yes", false: "no"}[table[i].Hints[key]]
	}
	for name, h := range one.Hints {
		if h.From != "declared" || h.Sent != "" {
			t.Errorf("%s: %s is from %q and sent as %q", one.Name, name, h.From, h.Sent)
		}
	}
	return w
}

// relayed are the hints of a bridged tool: true and false as its server sent them
// under exactly that key, unknown for everything else, and the operator's word on
// top. Where a hint comes from is checked on the way.
func relayed(t *testing.T, one row) words {
	t.Helper()
	server, name, _ := strings.Cut(one.Name, "__")
	annotations := ""
	switch {
	case server == "works":
		for _, tool := range toolsOf(working) {
			read := parse[struct {
				Name        string          `json:"name"`
				Annotations json.RawMessage `json:"annotations"`
			}](t, []byte(tool))
			if read.Name == name {
				annotations = string(read.Annotations)
			}
		}
	default:
		all := append(combinations(), odd()...)
		i := slices.IndexFunc(all, func(s sent) bool { return s.name == name })
		if i < 0 {
			t.Fatalf("%s is of no server", one.Name)
		}
		annotations = all[i].annotations
	}
	said := map[string]json.RawMessage{}
	if strings.HasPrefix(annotations, "{") {
		said = parse[map[string]json.RawMessage](t, []byte(annotations))
	}
	operator := map[string]map[string]string{
		"h_yyyy": {"read_only": "unknown"},
		"none":   {"read_only": "yes", "destructive": "no"},
		"words":  {"open_world": "no"},
	}
	var w words
	for i, key := range []string{"read_only", "destructive", "idempotent", "open_world"} {
		from, value := "server", map[string]string{"true": "yes", "false": "no"}[string(said[spoken()[i]])]
		if value == "" {
			from, value = "unknown", "unknown"
		}
		if over := operator[name][key]; over != "" && server == "told" {
			from, value = "override", over
		}
		w[i] = value
		if got := one.Hints[key]; got.From != from || got.Value != value {
			t.Errorf("%s: %s is %s from %s, want %s from %s", one.Name, key, got.Value, got.From, value, from)
		}
		if raw := said[spoken()[i]]; from == "unknown" && raw != nil && one.Hints[key].Sent != string(raw) {
			t.Errorf("%s: %s was sent as %s, and the row says %q", one.Name, key, raw, one.Hints[key].Sent)
		}
	}
	return w
}
