package cli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

func TestToolsAndInspectAnswerWhatTheCapabilitiesAnswer(t *testing.T) {
	for _, tc := range []struct{ line, name, args string }{
		{"tools -o json", "list_tools", `{"limit":1000}`},
		{"tools --source mcp:far -o json", "list_tools", `{"source":"mcp:far"}`},
		{"tools --contains PICTURE -o json", "list_tools", `{"contains":"picture"}`},
		{"tools --contains nothing_at_all -o json", "list_tools", `{"contains":"nothing_at_all"}`},
		{"tools add_note -o json", "get_tool", `{"name":"add_note"}`},
		{"tools far__mystery -o json", "get_tool", `{"name":"far__mystery"}`},
		{"inspect -o json", "describe_projection", `{}`},
	} {
		w := newWorld(t)
		a := w.run(strings.Fields(tc.line)...)
		res, err := w.door.Invoke(t.Context(), capabilities.Call{Name: tc.name, Arguments: json.RawMessage(tc.args), Principal: w.principal})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(res.Structured), a.out); diff != "" || a.exit != 0 {
			t.Errorf("%s: exit %d %s: (-want +got)\n%s", tc.line, a.exit, a.err, diff)
		}
		for _, c := range w.invoked {
			if c.Surface != capabilities.CLI || c.Principal != w.principal || c.RequestID == "" {
				t.Errorf("%s: call %+v", tc.line, c)
			}
		}
	}
}

func TestWhatToolsAndInspectWaitFor(t *testing.T) {
	for line, want := range map[string]cli.OpenRequest{
		"tools --data d":                    {Data: "d", All: true},
		"tools add_note --config c":         {Config: "c", Names: []string{"add_note"}},
		"inspect --mcp-config m --data=x":   {Data: "x", MCPConfig: "m", All: true},
		"help call add_note":                {Names: []string{"add_note"}},
		"call far__echo --mcp-config=m":     {MCPConfig: "m", Names: []string{"far__echo"}},
		"call --mcp-config m far__echo --o": {MCPConfig: "m", Names: []string{"far__echo"}},
	} {
		w := newWorld(t)
		w.run(strings.Fields(line)...)
		want.Names = append([]string{}, want.Names...)
		got := w.requests[0]
		got.Names = append([]string{}, got.Names...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", line, diff)
		}
	}
}

func TestToolsOfAnUnknownName(t *testing.T) {
	w := newWorld(t)
	if a := w.run("tools", "ad_note"); a.exit != 3 || !strings.Contains(a.err, "did you mean add_note") || len(w.invoked) != 0 {
		t.Errorf("unknown: exit %d, %q", a.exit, a.err)
	}
	if a := newWorld(t).run("tools", "admin_only"); a.exit != 4 || !strings.Contains(a.err, "forbidden") {
		t.Errorf("hidden: exit %d, %q", a.exit, a.err)
	}
	if a := newWorld(t).run("tools", "--source", "mcp:nobody"); a.exit != 0 || a.out != "no tools\n" {
		t.Errorf("none: exit %d, %q", a.exit, a.out)
	}
}

// TestToolsReadsEveryPage: more tools than one page holds.
func TestToolsReadsEveryPage(t *testing.T) {
	const n = 1500
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	many := make([]*capabilities.Capability, n)
	for i := range many {
		c, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: fmt.Sprintf("many__t%d", i), Tool: fmt.Sprintf("t%d", i), Server: "many", Input: json.RawMessage(`{"type":"object"}`), Handler: echoArguments,
		})
		if err != nil {
			t.Fatal(err)
		}
		many[i] = c
	}
	b.live.Replace("", "many", many)
	defer b.live.Replace("", "many", nil)
	a := newWorld(t).run("tools", "--source", "mcp:many", "-o", "json")
	var page capabilities.Page[catalogue.Row]
	if err := json.Unmarshal([]byte(a.out), &page); err != nil || len(page.Items) != n || page.NextCursor != "" {
		t.Errorf("%d items, cursor %q, %v, %s", len(page.Items), page.NextCursor, err, a.err)
	}
}
