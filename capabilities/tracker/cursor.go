package tracker

import (
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// from reads where a page begins: the numbers behind a cursor, as many as first
// has, or first for the first page.
func from(in capabilities.PageInput, first ...int64) ([]int64, error) {
	key, err := in.Begin()
	if err != nil || in.Cursor == "" {
		return first, err
	}
	parts := strings.Split(key, " ")
	if len(parts) != len(first) {
		return nil, in.Foreign()
	}
	at := make([]int64, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, in.Foreign()
		}
		at[i] = n
	}
	return at, nil
}

// place writes the numbers that [from] reads.
func place(numbers ...int64) string {
	parts := make([]string, len(numbers))
	for i, n := range numbers {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, " ")
}

// limitOf answers how many items the page has at most.
func limitOf(in capabilities.PageInput) int {
	if in.Limit <= 0 {
		return 100
	}
	return in.Limit
}

// cut answers the page of what was read with one more than the limit: the one more says
// that there is a next page.
func cut[R any](rows []R, in capabilities.PageInput) (page []R, more bool) {
	if limit := limitOf(in); len(rows) > limit {
		return rows[:limit], true
	}
	return rows, false
}

// pageOf answers the page of what was read with one more than the limit; the next page
// begins after the key of the last.
func pageOf[T, R any](rows []R, in capabilities.PageInput, show func(R) T, key func(R) string) capabilities.Page[T] {
	rows, more := cut(rows, in)
	p := capabilities.Page[T]{Items: make([]T, len(rows))}
	for i, row := range rows {
		p.Items[i] = show(row)
	}
	if more {
		p.NextCursor = in.Next(key(rows[len(rows)-1]))
	}
	return p
}
