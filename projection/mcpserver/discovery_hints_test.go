package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// What nobody says of any tool is read as the dangerous thing, and what each says is true
// of a call of it.
func TestDiscoveryDerivesHints(t *testing.T) {
	yes, no := capabilities.HintFact{Value: capabilities.Yes, From: capabilities.FromServer}, capabilities.HintFact{Value: capabilities.No, From: capabilities.FromServer}
	tests := map[string]struct {
		of    capabilities.HintFacts
		read  string
		write string
	}{
		"nothing said":     {capabilities.HintFacts{}, `true/false/true/false`, `false/true/false/true`},
		"reads":            {capabilities.HintFacts{ReadOnly: yes}, `true/false/-/true`, `false/false/true/false`},
		"reads here":       {capabilities.HintFacts{ReadOnly: yes, OpenWorld: no, Idempotent: yes}, `true/false/true/false`, `false/false/true/false`},
		"reads once":       {capabilities.HintFacts{ReadOnly: yes, Idempotent: no}, `true/false/false/true`, `false/false/true/false`},
		"reads and breaks": {capabilities.HintFacts{ReadOnly: yes, Destructive: yes}, `true/false/true/false`, `false/true/false/true`},
		"adds here":        {capabilities.HintFacts{ReadOnly: no, Destructive: no, Idempotent: yes, OpenWorld: no}, `true/false/true/false`, `false/false/true/false`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.bridge("other", bridged(t, "other__x", func(s *capabilities.BridgedSpec) { s.Hints = test.of }))
			got := map[string]string{}
			for _, one := range f.list(f.people["owner"].Narrowed(capabilities.Narrowing{Group: "other"}).Discovering(), false) {
				var tool struct{ Annotations map[string]any }
				if err := json.Unmarshal(one, &tool); err != nil {
					t.Fatal(err)
				}
				var words []string
				for _, key := range capabilities.HintNames {
					word := "-"
					if value, ok := tool.Annotations[key]; ok {
						word = fmt.Sprint(value)
					}
					words = append(words, word)
				}
				got[toolName(t, one)] = strings.Join(words, "/")
			}
			want := map[string]string{"find_tools": "true/false/true/false", "describe_tools": "true/false/true/false", "call_read": test.read, "call_write": test.write}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
