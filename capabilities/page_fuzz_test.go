package capabilities_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// FuzzPaginate: whatever a caller sends as a cursor is a page of the list or a
// refusal, and following the cursors from there ends, in order, with every item behind.
func FuzzPaginate(f *testing.F) {
	for _, cursor := range []string{"", "YQ", "a", "====", "MDAy", "_w", "MDAy\n", "//"} {
		f.Add(cursor, 3)
		f.Add(cursor, -1)
	}
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf("%03d", (i*7)%300))
	}
	f.Fuzz(func(t *testing.T, cursor string, limit int) {
		if limit > 0 && limit < 3 {
			limit = 3 // walks of three hundred pages show nothing more
		}
		var got []string
		in := capabilities.PageInput{Cursor: cursor, Limit: limit}
		for pages := 0; ; pages++ {
			page, err := capabilities.Paginate(items, in, func(s string) string { return s })
			if err != nil {
				if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Invalid || pages > 0 {
					t.Fatalf("page %d, cursor %q: %v", pages, in.Cursor, err)
				}
				return
			}
			got = append(got, page.Items...)
			if page.NextCursor == "" {
				break
			}
			if len(page.Items) == 0 || pages > len(items) {
				t.Fatalf("cursor %q leads nowhere", in.Cursor)
			}
			in.Cursor = page.NextCursor
		}
		want := slices.Sorted(slices.Values(items))
		if !slices.Equal(got, want[len(want)-len(got):]) || cursor == "" && len(got) != len(want) {
			t.Fatalf("cursor %q, limit %d: %d items, from %v on", cursor, limit, len(got), got[:min(len(got), 3)])
		}
	})
}
