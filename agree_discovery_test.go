package holotype

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// discovered checks that the address of discovery serves the whole list by four tools, and
// that those which call others part them by what is proven.
func (w *world) discovered(t fataler, whole []string) {
	t.Helper()
	four := capabilities.DiscoveryNames()
	slices.Sort(four)
	if diff := cmp.Diff(four, w.list(t, "/operator/mcp/find")); diff != "" {
		t.Errorf("the list at the address of discovery (-want +got)\n%s", diff)
	}
	var found []string
	for args := map[string]any{"limit": 100}; ; {
		var page struct {
			Tools []struct{ Name, Call string }
			Next  string `json:"next_cursor"`
		}
		read(t, w.onDiscovery(t, capabilities.FindTools, args).Structured, &page)
		for _, one := range page.Tools {
			found = append(found, one.Name)
			c, _, _ := w.e.views.Find(w.who, one.Name)
			if capabilities.ReadOnlyProven(c) != (one.Call == capabilities.CallRead) {
				t.Errorf("%s is to be called with %s", one.Name, one.Call)
			}
		}
		if page.Next == "" {
			break
		}
		args["cursor"] = page.Next
	}
	slices.Sort(found)
	if diff := cmp.Diff(whole, found); diff != "" {
		t.Errorf("found for %+v under %s (-tools/list +it)\n%s", *w.who, w.config, diff)
	}
	for c := range w.e.live.For(w.who).All() {
		if !c.Bridged() {
			continue
		}
		direct := w.onDiscovery(t, c.Name(), map[string]any{}).code()
		for _, by := range []string{capabilities.CallRead, capabilities.CallWrite} {
			got := w.onDiscovery(t, by, map[string]any{"name": c.Name()}).code()
			own := capabilities.ReadOnlyProven(c) == (by == capabilities.CallRead)
			if own && got != direct || !own && got != capabilities.Forbidden {
				t.Errorf("%s, whose hints are %+v, answers %q by %s and %q by itself under %s", c.Name(), c.Hints(), got, by, direct, w.config)
			}
		}
	}
}

// toolAnswer is what a call over MCP answers.
type toolAnswer struct {
	Structured json.RawMessage `json:"structuredContent"`
	Meta       struct {
		Refusal *struct{ Code capabilities.Code } `json:"holotype/error"`
	} `json:"_meta"`
}

func (a toolAnswer) code() capabilities.Code {
	if a.Meta.Refusal == nil {
		return ""
	}
	return a.Meta.Refusal.Code
}

// onDiscovery calls a tool at the address of discovery.
func (w *world) onDiscovery(t fataler, name string, args map[string]any) toolAnswer {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatalf("%v", err)
	}
	_, answer := w.send(t, http.MethodPost, "/operator/mcp/find", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, name, text, onWire),
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", name)
	var m struct{ Result *toolAnswer }
	if read(t, answer, &m); m.Result == nil {
		t.Fatalf("%s: %s", name, answer)
	}
	return *m.Result
}
