package capabilities

import (
	"crypto/sha256"
	"encoding/base64"
	"reflect"
	"slices"
	"strings"
)

// PageInput is embedded by the input of every list.
type PageInput struct {
	Cursor string `json:"cursor,omitempty" jsonschema_description:"Where to go on: next_cursor of the page before. Absent for the first page."`
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=100" jsonschema_description:"How many items at most."`
}

// Page is the one shape of a list.
type Page[T any] struct {
	Items      []T    `json:"items" jsonschema_description:"The items of this page, in a fixed order."`
	NextCursor string `json:"next_cursor,omitempty" jsonschema_description:"Cursor of the next page. Absent on the last one."`
}

// Paginate cuts one page out of items. key answers an item's unique sort key;
// items are sorted by it. A cursor names the last key already seen, so items that
// come or go between two pages neither repeat nor hide others. A cursor that no page
// of such items had is refused as invalid.
func Paginate[T any](items []T, in PageInput, key func(T) string) (Page[T], error) {
	sorted := slices.SortedFunc(slices.Values(items), func(a, b T) int { return strings.Compare(key(a), key(b)) })
	from := 0
	if in.Cursor != "" {
		last, ok := KeyOfCursor[T](in.Cursor)
		if !ok {
			return Page[T]{}, Violates(Violation{"/cursor", "cursor", "is not a cursor of this list: send next_cursor of the page before, or none"})
		}
		from, _ = slices.BinarySearchFunc(sorted, last, func(item T, last string) int {
			if key(item) <= last {
				return -1
			}
			return 1
		})
	}
	limit := in.Limit
	if limit <= 0 {
		limit = 100
	}
	to := min(from+limit, len(sorted))
	p := Page[T]{Items: sorted[from:to]}
	if to < len(sorted) {
		p.NextCursor = CursorOf[T](key(sorted[to-1]))
	}
	return p, nil
}

// cursorSum is how many bytes of a cursor tell that it is one.
const cursorSum = 6

// CursorOf answers the cursor behind the key of the last item of a page of T, for a
// list that reads its pages from a store: a checksum and the key. The sum is no
// secret. It tells a cursor from any other text, and one list's from another's, also
// in the next process; whoever makes one up gets a page they could have had anyway.
func CursorOf[T any](key string) string {
	sum := sha256.Sum256([]byte("holotype cursor\x00" + reflect.TypeFor[T]().String() + "\x00" + key))
	return base64.RawURLEncoding.EncodeToString(append(sum[:cursorSum:cursorSum], key...))
}

// KeyOfCursor answers the key of a cursor that [CursorOf] made for T; ok is false for
// anything else. Whole texts are compared: decoding lets line breaks and stray bits
// through.
func KeyOfCursor[T any](cursor string) (key string, ok bool) {
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(decoded) < cursorSum {
		return "", false
	}
	key = string(decoded[cursorSum:])
	return key, CursorOf[T](key) == cursor
}
