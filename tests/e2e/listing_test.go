package e2e_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// row is as much of a catalogue row as says where a tool comes from.
type row struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	AliasOf string `json:"alias_of"`
	Effect  *struct {
		Change string `json:"change"`
		Reach  string `json:"reach"`
	} `json:"effect"`
	Hints map[string]struct {
		Value string `json:"value"`
		From  string `json:"from"`
		Sent  string `json:"sent"`
	} `json:"hints"`
}

func rowsOf(t *testing.T, r *drive.Running) []row {
	t.Helper()
	return parse[struct{ Items []row }](t, r.Get(t, "/api/v1/tools?limit=1000")).Items
}

// Every place lists the same tools, and says the same about each.
func TestTheSameEverywhere(t *testing.T) {
	r := start(t)
	old := map[string]bool{}
	for _, one := range rowsOf(t, r) {
		if one.AliasOf != "" {
			old[one.Name] = true
		}
	}
	if len(old) == 0 {
		t.Fatal("no old name is listed: the fixture declares one")
	}
	all := places(t, r)
	first := all[0]
	for _, p := range all[1:] {
		want := maps.Clone(first.told)
		if p.noOldNames {
			maps.DeleteFunc(want, func(name string, _ words) bool { return old[name] })
		}
		if diff := cmp.Diff(want, p.told); diff != "" {
			t.Errorf("%s and %s differ (-first +second):\n%s", first.name, p.name, diff)
		}
	}
	t.Run("hints", func(t *testing.T) { hints(t, r, first.told) })
	t.Run("writers", func(t *testing.T) { writers(t, r, first.told) })
	t.Run("documents of one server", func(t *testing.T) { documents(t, r, first.told) })
	t.Run("commands", func(t *testing.T) { completion(t, r, first.told, old) })
}

// documents checks that the document of each bridged server has its tools alone.
func documents(t *testing.T, r *drive.Running, all told) {
	t.Helper()
	for _, server := range []string{"plain", "told", "works"} {
		want := maps.Clone(all)
		maps.DeleteFunc(want, func(name string, _ words) bool { return !strings.HasPrefix(name, server+"__") })
		if diff := cmp.Diff(want, ofOpenAPI(t, r.Get(t, "/openapi/"+server+".json"))); diff != "" {
			t.Errorf("/openapi/%s.json (-listed +document):\n%s", server, diff)
		}
	}
}

// completion checks that the shell is offered every tool under its present name.
func completion(t *testing.T, r *drive.Running, all told, old map[string]bool) {
	t.Helper()
	var offered []string
	for line := range strings.Lines(string(command(t, r, "__complete", "call", ""))) {
		name, _, described := strings.Cut(strings.TrimSpace(line), "\t")
		if _, listed := all[name]; described || listed {
			offered = append(offered, name)
		}
	}
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return old[name] })
	slices.Sort(offered)
	if diff := cmp.Diff(want, offered); diff != "" {
		t.Errorf("completion offers other tools (-listed +offered):\n%s", diff)
	}
}

// The bytes of one tool are the same in both eras and on both transports.
func TestToolsHaveTheSameBytesEverywhere(t *testing.T) {
	r := start(t)
	var first []json.RawMessage
	for _, s := range r.Speakers(t) {
		list := s.List(t)
		if first == nil {
			first = list
			continue
		}
		if len(list) != len(first) {
			t.Fatalf("%s lists %d tools, %d elsewhere", s.Name, len(list), len(first))
		}
		for i := range list {
			if string(list[i]) != string(first[i]) {
				t.Errorf("%s differs:\n%s\n%s", s.Name, list[i], first[i])
			}
		}
	}
}
