package capabilities_test

import (
	"encoding/base64"
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

// A cursor is good where a page had it, and nowhere else.
func TestCursorOfNoPage(t *testing.T) {
	type word string
	words, texts := []word{"a", "b", "c"}, []string{"a", "b", "c"}
	page, err := capabilities.Paginate(words, capabilities.PageInput{Limit: 1}, func(w word) string { return string(w) })
	if err != nil || page.NextCursor == "" {
		t.Fatalf("the first page: %v, %v", page, err)
	}
	good := page.NextCursor
	refused := func(err error) bool {
		e, ok := capabilities.AsError(err)
		return ok && e.Code == capabilities.Invalid && len(e.Violations) == 1 && e.Violations[0].Pointer == "/cursor"
	}
	for name, cursor := range map[string]string{
		"a name in base64":     base64.RawURLEncoding.EncodeToString([]byte("a")),
		"a long one in base64": base64.RawURLEncoding.EncodeToString([]byte("create_work_item")),
		"base64 of zeros":      base64.RawURLEncoding.EncodeToString(make([]byte, 16)),
		"cut":                  good[:len(good)-1],
		"longer":               good + "A",
		"with a line break":    good[:4] + "\n" + good[4:],
		"padded":               good + "=",
		"no base64":            "%%%%",
		"a number":             "100",
	} {
		if _, err := capabilities.Paginate(words, capabilities.PageInput{Cursor: cursor}, func(w word) string { return string(w) }); !refused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := capabilities.Paginate(texts, capabilities.PageInput{Cursor: good}, func(s string) string { return s }); !refused(err) {
		t.Errorf("on another list: %v", err)
	}
	for i := range good {
		other := []byte(good)
		other[i] = 'A' + (other[i]-'A'+1)%26
		if _, err := capabilities.Paginate(words, capabilities.PageInput{Cursor: string(other)}, func(w word) string { return string(w) }); string(other) != good && !refused(err) {
			t.Errorf("%s, which differs at %d: %v", other, i, err)
		}
	}
	rest, err := capabilities.Paginate(words, capabilities.PageInput{Cursor: good}, func(w word) string { return string(w) })
	if err != nil || !slices.Equal(rest.Items, words[1:]) || rest.NextCursor != "" {
		t.Errorf("the second page: %v, %v", rest, err)
	}
}
