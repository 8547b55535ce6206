package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// pageLane answers every request with the next page, and with the last one again when
// there is no other.
type pageLane struct {
	page func(n int) string
	read int
}

func (l *pageLane) roundTrip(context.Context, request) (message, error) {
	l.read++
	return message{result: json.RawMessage(l.page(l.read))}, nil
}

// TestListsAreBounded reads lists that have no end, or no measure.
func TestListsAreBounded(t *testing.T) {
	tool := func(n, i, size int) string {
		return fmt.Sprintf(`{"name":"t%d_%d","inputSchema":{"type":"object"},"description":"%s"}`, n, i, strings.Repeat("x", size))
	}
	page := func(next string, tools ...string) string {
		return `{"tools":[` + strings.Join(tools, ",") + `],"nextCursor":"` + next + `"}`
	}
	many := func(of func(i int) string, count int) []string {
		all := make([]string, count)
		for i := range all {
			all[i] = of(i)
		}
		return all
	}
	for _, c := range []struct {
		name    string
		page    func(n int) string
		pages   int // at most
		tools   int
		skipped int
		says    string
	}{
		{"one page of too many", func(n int) string {
			return page("", many(func(i int) string { return tool(n, i, 0) }, 3*maxTools)...)
		}, 1, maxTools, 1, "more than 10000 tools"},
		{"one page of junk", func(int) string {
			return page("", many(func(int) string { return "1" }, 1<<20)...)
		}, 1, 0, maxTools + 1, "more than 10000 tools"},
		{"many pages of junk", func(n int) string {
			return page(fmt.Sprint(n), many(func(int) string { return "1" }, 900)...)
		}, 12, 0, maxTools + 1, "more than 10000 tools"},
		{"large tools for ever", func(n int) string {
			return page(fmt.Sprint(n), many(func(i int) string { return tool(n, i, 200<<10) }, 20)...)
		}, 9, 180, 1, "bytes, which is the limit"},
		{"long names of pages", func(n int) string {
			return page(strings.Repeat(fmt.Sprint(n), 1<<20), tool(n, 0, 0))
		}, 1, 1, 1, "the name of its next page has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lane := &pageLane{page: c.page}
			list, err := listTools(t.Context(), lane, false)
			if err != nil {
				t.Fatal(err)
			}
			if lane.read > c.pages || len(list.tools) != c.tools || len(list.skipped) != c.skipped {
				t.Errorf("%d pages, %d tools, %d left out", lane.read, len(list.tools), len(list.skipped))
			}
			if last := list.skipped[len(list.skipped)-1]; last.Tool != "" || !strings.Contains(last.Reason, c.says) {
				t.Errorf("it says %q", last)
			}
		})
	}
}
