package audit

import (
	"context"
	"database/sql"
	"time"

	"github.com/jmoiron/sqlx"
)

const (
	// sweepRows bounds how many rows are looked at in one go, and sweepMost how often that is
	// done in a row; sweepEvery is how often they are looked for.
	sweepRows  = 1000
	sweepMost  = 100
	sweepEvery = time.Minute
)

// sweep removes rows that are older than what is kept, some at a time, and the kinds
// that no row is of any more.
func (l *Log) sweep() {
	ctx, cancel := context.WithTimeout(context.Background(), insertTime)
	defer cancel()
	db, err := l.opened(ctx)
	more := true
	for n := 0; n < sweepMost && more && err == nil; n++ {
		more, err = l.sweepRows(ctx, sqlx.NewDb(db, l.o.Engine.Name()))
	}
	if err == nil {
		// Another server may know the number of a kind for as long as between two sweeps.
		clear(l.known)
		const query = `DELETE FROM audit_kinds WHERE seen_ms < ? AND NOT EXISTS (SELECT 1 FROM audit_calls WHERE audit_calls.kind = audit_kinds.id)`
		err = l.remove(ctx, db, query, l.o.Now().Add(-max(l.o.Keep, 60*sweepEvery)).UnixMilli())
	}
	if err != nil {
		l.o.Log.Warn("audit_sweep_failed", "error", err.Error())
	}
}

// sweepRows goes through some rows in the order in which they were written, so that no
// call pays for an index of their times, and reports whether to go on. It begins again
// where none is old; those of a time that is yet to come, which a clock was at that was
// put right, are passed over.
func (l *Log) sweepRows(ctx context.Context, db *sqlx.DB) (more bool, err error) {
	const next = `SELECT id, at_ms FROM audit_calls WHERE id > ? ORDER BY id LIMIT ?`
	var rows []struct {
		ID int64 `db:"id"`
		At int64 `db:"at_ms"`
	}
	if err := db.SelectContext(ctx, &rows, l.o.Engine.Rebind(next), l.swept, sweepRows); err != nil {
		return false, err
	}
	now := l.o.Now()
	oldest, latest := now.Add(-l.o.Keep).UnixMilli(), now.UnixMilli()
	from := l.swept
	l.swept = 0
	for _, r := range rows {
		if r.At < oldest || r.At > latest {
			l.swept = rows[len(rows)-1].ID
			break
		}
	}
	if l.swept == 0 {
		return false, nil
	}
	const query = `DELETE FROM audit_calls WHERE id > ? AND id <= ? AND at_ms < ?`
	return true, l.remove(ctx, db.DB, query, from, l.swept, oldest)
}

func (l *Log) remove(ctx context.Context, db *sql.DB, query string, args ...any) error {
	_, err := db.ExecContext(ctx, l.o.Engine.Rebind(query), args...)
	return err
}
