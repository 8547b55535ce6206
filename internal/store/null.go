package store

import (
	"database/sql"
	"time"
)

// TimeIn writes a time into a column of milliseconds; the zero time is NULL.
func TimeIn(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// TextIn writes a text into a column; the empty one is NULL.
func TextIn(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
