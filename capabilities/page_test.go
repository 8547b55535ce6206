package capabilities_test

import (
	"fmt"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A page has as many items as were asked for, and a hundred where nobody asked.
func TestHowManyItemsAPageHas(t *testing.T) {
	var items []string
	for i := range 101 {
		items = append(items, fmt.Sprintf("%03d", i))
	}
	for limit, want := range map[int]int{0: 100, -1: 100, 1: 1, 100: 100, 101: 101, 500: 101} {
		p, err := capabilities.Paginate(items, capabilities.PageInput{Limit: limit}, func(s string) string { return s })
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Items) != want || (p.NextCursor == "") != (want == len(items)) {
			t.Errorf("of a limit of %d: %d items, then %q", limit, len(p.Items), p.NextCursor)
		}
	}
}
