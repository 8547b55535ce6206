package audit

import (
	"context"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// read runs a query on what is written.
func (l *Log) read(ctx context.Context, q Query) ([]Row, error) {
	text, args := q.statement()
	var rows []Row
	open, err := l.opened(ctx)
	if err != nil {
		return nil, capabilities.Refuse(capabilities.Unavailable, "the audit cannot be read now: its database does not answer").Because(err)
	}
	db := sqlx.NewDb(open, l.o.Engine.Name())
	if err := db.SelectContext(ctx, &rows, l.o.Engine.Rebind(text), args...); err != nil {
		return nil, err
	}
	return rows, nil
}

func (q Query) statement() (text string, args []any) {
	var b strings.Builder
	b.WriteString("SELECT id, " + columns + " FROM audit_calls WHERE 1 = 1")
	where := func(condition string, arg any) {
		b.WriteString(" AND " + condition)
		args = append(args, arg)
	}
	if q.Capability != "" {
		where("capability = ?", q.Capability)
	}
	if q.Principal != "" {
		where("principal = ?", q.Principal)
	}
	if q.Outcome != "" {
		where("outcome = ?", q.Outcome)
	}
	if q.Except != "" {
		where("capability <> ?", q.Except)
	}
	if q.Before > 0 {
		where("id < ?", q.Before)
	}
	if q.After > 0 {
		where("id > ?", q.After)
	}
	if !q.Since.IsZero() {
		where("at_ms >= ?", q.Since.UnixMilli())
	}
	if q.Oldest {
		b.WriteString(" ORDER BY id LIMIT ?")
	} else {
		b.WriteString(" ORDER BY id DESC LIMIT ?")
	}
	return b.String(), append(args, max(1, q.Limit))
}
