package bridge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listedThrough reads a list of a server with a mark, as a server bridges it that has
// the mark "OWNOWNOWN".
func listedThrough(t *testing.T, mark string, through ...string) *listing {
	t.Helper()
	var tools []string
	for i, meta := range through {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"},"_meta":%s}`, i, meta))
	}
	var l listing
	if _, err := l.page(json.RawMessage(`{"tools":[`+strings.Join(tools, ",")+`],"_meta":{"holotype/mark":"`+mark+`"}}`), false); err != nil {
		t.Fatal(err)
	}
	l.trace()
	l.loopsOut("OWNOWNOWN")
	return &l
}

func TestWhatLeadsBackIsLeftOut(t *testing.T) {
	far := func(marks ...string) string { return `{"holotype/through":["` + strings.Join(marks, `","`) + `"]}` }
	long := make([]string, 16)
	for i := range long {
		long[i] = fmt.Sprintf("SERVER%02d", i)
	}
	l := listedThrough(t, "NEARNEAR", `{}`, far("FARFARFAR"), far("OWNOWNOWN"), far("FARFARFAR", "OWNOWNOWN", "NEARNEAR"), far(long...), `{"holotype/through":7}`)
	got := map[string][]string{}
	for _, tool := range l.tools {
		got[tool.name] = tool.through
	}
	want := map[string][]string{"t0": {"NEARNEAR"}, "t1": {"NEARNEAR", "FARFARFAR"}, "t5": {"NEARNEAR"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Skipped{{"t4", "it comes through more than 16 servers"}}, l.skipped); diff != "" {
		t.Errorf("skipped (-want +got)\n%s", diff)
	}
	again, err := keep(l, false).listing()
	if err != nil {
		t.Fatal(err)
	}
	if l.own != 2 || again.own != 2 {
		t.Errorf("%d tools lead back, of the kept list %d", l.own, again.own)
	}
	for _, tool := range again.tools {
		if diff := cmp.Diff(want[tool.name], tool.through); diff != "" {
			t.Errorf("%s of the kept list (-want +got)\n%s", tool.name, diff)
		}
	}
	// What a server that is none of ours lists comes through nothing.
	if l := listedThrough(t, "", `{}`); l.tools[0].through != nil {
		t.Errorf("through %q", l.tools[0].through)
	}
}
