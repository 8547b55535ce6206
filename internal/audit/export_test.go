package audit

import "context"

// Sweep removes old rows now.
func Sweep(l *Log) { l.sweep() }

// Together is how many rows one statement writes.
const Together = together

// SweepRows is how many rows a sweep looks at in one go.
const SweepRows = sweepRows

// Kinds answers how many kinds there are.
func Kinds(ctx context.Context, l *Log) (n int, err error) {
	db, err := l.opened(ctx)
	if err != nil {
		return 0, err
	}
	return n, db.QueryRowContext(ctx, `SELECT count(*) FROM audit_kinds`).Scan(&n)
}

// Statements answers those of a query for the rows of every kind, for the kinds, and for
// the rows of one.
func Statements(q Query) []string {
	every, _ := q.rows(0)
	kinds, _ := q.kinds()
	one, _ := q.rows(1)
	return []string{every, kinds, one}
}
