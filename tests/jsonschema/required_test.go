package jsonschema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// TestRequired: the door answers every required test of the suite as the suite does,
// but for those that testdata/<draft>.expected names with a reason.
func TestRequired(t *testing.T) {
	for _, d := range drafts {
		t.Run(d.name, func(t *testing.T) {
			var outcomes []outcome
			total, passed := 0, 0
			for _, g := range read(t, d) {
				if g.optional() {
					continue
				}
				total += len(g.Tests)
				for _, o := range judge(g, d) {
					outcomes = append(outcomes, o)
					if o.right {
						passed++
					}
				}
			}
			text, err := os.ReadFile(filepath.Join("testdata", d.name+".expected"))
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range compare(outcomes, string(text)) {
				t.Error(fault)
			}
			t.Logf("%s: %d of %d required tests as the suite says", d.name, passed, total)
		})
	}
}

// TestForeignSchemasAreJudgedAlike: the schema of a bridged tool goes through another
// entrance of the door, which forgives patterns alone.
func TestForeignSchemasAreJudgedAlike(t *testing.T) {
	for _, d := range drafts {
		for _, g := range read(t, d) {
			own, err := schema.Compile(g.marked(d))
			if g.optional() || err != nil {
				continue
			}
			foreign, err := schema.CompileForeign(g.marked(d))
			if err != nil {
				t.Errorf("%s: %v", g.key(), err)
				continue
			}
			for _, v := range g.Tests {
				if diff := cmp.Diff(own.Validate(v.Data), foreign.Validate(v.Data)); diff != "" {
					t.Errorf("%s (-own +foreign):\n%s", g.key(v.Description), diff)
				}
			}
		}
	}
}

// compare answers what the outcomes and a list of expected failures disagree about.
// In the list a line that begins with # is the reason of the lines below it.
func compare(outcomes []outcome, list string) []string {
	var faults []string
	expected, reason := map[string]bool{}, ""
	for i, line := range strings.Split(list, "\n") {
		line = strings.TrimSpace(line)
		text, isReason := strings.CutPrefix(line, "#")
		switch {
		case line == "":
		case isReason:
			reason = strings.TrimSpace(text)
		case reason == "":
			faults = append(faults, fmt.Sprintf("line %d: %s has no reason above it", i+1, line))
		default:
			expected[line] = true
		}
	}
	for _, o := range outcomes {
		switch {
		case o.right && expected[o.key]:
			faults = append(faults, "passes now, take it off the list: "+o.key)
		case !o.right && !expected[o.key]:
			faults = append(faults, fmt.Sprintf("not as the suite says: %s: %s", o.key, o.said))
		}
		delete(expected, o.key)
	}
	for key := range expected {
		faults = append(faults, "on the list and not in the suite: "+key)
	}
	slices.Sort(faults)
	return faults
}

func TestExpectedListBites(t *testing.T) {
	outcomes := []outcome{{"type | g | a", true, "valid"}, {"type | g | b", false, "valid"}}
	for name, tt := range map[string]struct {
		list string
		want []string
	}{
		"as expected":             {"# a reason\ntype | g | b\n", nil},
		"a verdict that is wrong": {"", []string{"not as the suite says: type | g | b: valid"}},
		"one that passes again":   {"# a reason\ntype | g | a\ntype | g | b\n", []string{"passes now, take it off the list: type | g | a"}},
		"one that nobody has":     {"# a reason\ntype | g | b\ntype | g | c\n", []string{"on the list and not in the suite: type | g | c"}},
		"one without its reason":  {"type | g | b\n", []string{"line 1: type | g | b has no reason above it", "not as the suite says: type | g | b: valid"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, compare(outcomes, tt.list)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	wrong := group{File: "type", Description: "g", Schema: []byte(`{"type":"integer"}`), Tests: []verdict{{"a string", []byte(`"x"`), true}}}
	if got := judge(wrong, drafts[0]); len(got) != 1 || got[0].right {
		t.Errorf("a verdict the door does not share is judged %+v", got)
	}
}
