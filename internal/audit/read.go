package audit

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// read runs a query on what is written.
func (l *Log) read(ctx context.Context, q Query) ([]Row, error) {
	open, err := l.opened(ctx)
	if err != nil {
		return nil, capabilities.Refuse(capabilities.Unavailable, "the audit cannot be read now: its database does not answer").Because(err)
	}
	db := sqlx.NewDb(open, l.o.Engine.Name())
	q.Limit = max(1, q.Limit)
	if q.Capability == "" && q.Principal == "" && q.Outcome == "" {
		return l.rows(ctx, db, q, 0)
	}
	// The rows of one kind stand in their order in an index, those of several do not: so
	// many of each are read, and all of them are never sorted.
	var kinds []int64
	text, args := q.kinds()
	if err := db.SelectContext(ctx, &kinds, l.o.Engine.Rebind(text), args...); err != nil {
		return nil, err
	}
	var all []Row
	for _, kind := range kinds {
		rows, err := l.rows(ctx, db, q, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		slices.SortFunc(all, func(a, b Row) int {
			if q.Oldest {
				a, b = b, a
			}
			return cmp.Compare(b.ID, a.ID)
		})
		if len(all) < q.Limit {
			continue
		}
		all = all[:q.Limit]
		if last := all[q.Limit-1].ID; q.Oldest { // what is behind it is not wanted of the others
			q.Before = last
		} else {
			q.After = last
		}
	}
	return all, nil
}

// rows answers rows of a kind; 0 is every one.
func (l *Log) rows(ctx context.Context, db *sqlx.DB, q Query, kind int64) (rows []Row, err error) {
	text, args := q.rows(kind)
	return rows, db.SelectContext(ctx, &rows, l.o.Engine.Rebind(text), args...)
}

// condition is a statement with the conditions that are added to it.
type condition struct {
	strings.Builder
	args []any
}

func (c *condition) where(text string, arg any) {
	c.WriteString(" AND " + text)
	c.args = append(c.args, arg)
}

// kinds answers the statement for the kinds that the rows may be of.
func (q Query) kinds() (text string, args []any) {
	var c condition
	c.WriteString("SELECT id FROM audit_kinds WHERE 1 = 1")
	for _, one := range []struct{ text, arg string }{
		{"capability = ?", q.Capability}, {"principal = ?", q.Principal}, {"outcome = ?", q.Outcome}, {"capability <> ?", q.Except},
	} {
		if one.arg != "" {
			c.where(one.text, one.arg)
		}
	}
	c.WriteString(" ORDER BY seen_ms DESC, id DESC")
	return c.String(), c.args
}

// rows answers the statement for the rows of a kind; 0 is every one.
func (q Query) rows(kind int64) (text string, args []any) {
	var c condition
	// The order of a cross join stays: SQLite would rather go by kinds, and sort all.
	c.WriteString("SELECT c.id, " + callColumns + ", " + kindColumns + " FROM audit_calls c CROSS JOIN audit_kinds k WHERE k.id = c.kind")
	if kind > 0 {
		c.where("c.kind = ?", kind)
	}
	if q.Except != "" {
		c.where("k.capability <> ?", q.Except)
	}
	if q.Before > 0 {
		c.where("c.id < ?", q.Before)
	}
	if q.After > 0 {
		c.where("c.id > ?", q.After)
	}
	if !q.Since.IsZero() {
		c.where("c.at_ms >= ?", q.Since.UnixMilli())
	}
	if q.Oldest {
		c.WriteString(" ORDER BY c.id LIMIT ?")
	} else {
		c.WriteString(" ORDER BY c.id DESC LIMIT ?")
	}
	return c.String(), append(c.args, q.Limit)
}
