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

	list func() []byte // which list this is, and which of its items are asked for; nil outside a call
}

// Page is the one shape of a list.
type Page[T any] struct {
	Items      []T    `json:"items" jsonschema_description:"The items of this page, in a fixed order."`
	NextCursor string `json:"next_cursor,omitempty" jsonschema_description:"Cursor of the next page. Absent on the last one."`
}

// Paginate cuts one page out of items. key answers an item's unique sort key;
// items are sorted by it. A cursor names the last key already seen, so items that
// come or go between two pages neither repeat nor hide others. A cursor of another list
// is refused as [PageInput.Begin] says.
func Paginate[T any](items []T, in PageInput, key func(T) string) (Page[T], error) {
	sorted := slices.SortedFunc(slices.Values(items), func(a, b T) int { return strings.Compare(key(a), key(b)) })
	last, err := in.Begin()
	if err != nil {
		return Page[T]{}, err
	}
	from := 0
	if in.Cursor != "" {
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
		p.NextCursor = in.Next(key(sorted[to-1]))
	}
	return p, nil
}

// Begin answers the key that the page begins behind, and "" for the first page. The
// error is the refusal of a cursor that no page of this list had: one made up, one of
// another list, and one of the same list asked for with other arguments, whose items or
// order are others. Only the limit may differ from page to page.
func (in PageInput) Begin() (key string, err error) {
	if in.Cursor == "" {
		return "", nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(in.Cursor)
	if err == nil && len(decoded) >= cursorSum {
		// Whole texts are compared: decoding lets line breaks and stray bits through.
		if key = string(decoded[cursorSum:]); in.Next(key) == in.Cursor {
			return key, nil
		}
	}
	return "", in.Foreign()
}

// Foreign answers the refusal of a cursor that belongs to another list, for a list
// whose key turns out to be none.
func (PageInput) Foreign() *Error {
	return Violates(Violation{"/cursor", "cursor", "is no cursor of this list as it is asked for here: " +
		"send next_cursor of the page before, with the arguments that it was got with, or leave it out to begin again"})
}

// cursorSum is how many bytes of a cursor tell that it is one.
const cursorSum = 6

// Next answers the cursor behind the key of the last item of a page: a checksum and the
// key. The sum is no secret. It tells a cursor from any other text, and that of one
// list, asked for with some arguments, from another's, also in the next process;
// whoever makes one up gets a page they could have had anyway.
func (in PageInput) Next(key string) string {
	h := sha256.New()
	h.Write([]byte("holotype cursor\x00"))
	if in.list != nil {
		h.Write(in.list())
	}
	h.Write([]byte{0})
	h.Write([]byte(key))
	return base64.RawURLEncoding.EncodeToString(append(h.Sum(nil)[:cursorSum:cursorSum], key...))
}

// listed answers what tells an input which list it is of, or nil where In has no
// [PageInput]. The name and every other argument are told apart as the handler gets
// them, so that it does not matter how they were spelt and which were left to their
// defaults. They are read from args once more when a cursor comes or goes: the handler
// may have changed what it got, and most pages have no cursor.
func listed[In any](name string, decode func([]byte) (In, error)) func(in In, args []byte) In {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		return nil
	}
	field, ok := t.FieldByName(reflect.TypeFor[PageInput]().Name())
	if !ok || field.Type != reflect.TypeFor[PageInput]() {
		return nil
	}
	page := func(in *In) *PageInput {
		p, _ := reflect.TypeAssert[*PageInput](reflect.ValueOf(in).Elem().FieldByIndex(field.Index).Addr())
		return p
	}
	return func(in In, args []byte) In {
		page(&in).list = func() []byte {
			whole, err := decode(args)
			if err != nil {
				return []byte(name) // it was decoded before
			}
			p := page(&whole)
			p.Cursor, p.Limit = "", 0
			rest, err := marshal(whole)
			if err != nil {
				return []byte(name) // nothing that was decoded from JSON
			}
			return append([]byte(name+"\x00"), rest...)
		}
		return in
	}
}
