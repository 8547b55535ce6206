package audit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// write writes rows until the audit is closed.
func (l *Log) write() {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	more := time.NewTimer(batchTime)
	defer more.Stop()
	for {
		select {
		case <-l.queue.begun:
			more.Reset(batchTime)
			select {
			case <-more.C:
			case <-l.queue.hurry:
			case <-l.stop:
			}
			l.batch(l.queue.take())
		case <-sweep.C:
			l.sweep()
		case <-l.stop:
			l.batch(l.queue.take())
			return
		}
	}
}

// batch writes rows in one commit. A failure costs the rows: they are counted, and the
// calls they are of are not held up.
func (l *Log) batch(rows []noted) {
	if len(rows) == 0 {
		return
	}
	l.noted(len(rows), l.insert(rows))
	l.file.write(rows)
	l.queue.done(rows)
	l.grown.Wake()
}

// noted says once that rows are lost, and once how many were.
func (l *Log) noted(rows int, err error) {
	switch {
	case err != nil:
		l.lose(int64(rows))
		if !l.failing {
			l.failing = true
			l.o.Log.Error("audit_failing", "error", err.Error())
		}
	default:
		l.failing = false
		if lost := l.lost.Swap(0); lost > 0 {
			l.o.Log.Error("audit_rows_lost", "rows", lost)
		}
	}
}

// insert writes rows in one commit. One that was not sent is made again where the
// connection was lost, which nobody notices on one that nobody uses; all that the pool
// holds may be lost at once.
func (l *Log) insert(rows []noted) error {
	ctx, cancel := context.WithTimeout(context.Background(), insertTime) // a row outlives its call
	defer cancel()
	db, err := l.opened(ctx)
	if err != nil {
		return err
	}
	for again := db.Stats().MaxOpenConnections; ; again-- {
		sent, err := l.commit(ctx, db, rows)
		if err != nil {
			clear(l.known) // a server that comes back may have come back without them
		}
		if err == nil || sent || again == 0 || l.o.Engine.Classify(err) != store.Lost {
			return err
		}
	}
}

// commit writes rows and reports whether their commit was sent.
func (l *Log) commit(ctx context.Context, db *sql.DB, rows []noted) (sent bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Kinds are made before the rows, each by itself: two servers that make the same ones
	// in another order would hold each other up to the end of a transaction.
	kinds, err := l.numbers(ctx, conn, rows)
	if err != nil {
		return false, err
	}
	if _, err := conn.ExecContext(ctx, l.o.Engine.Begin()); err != nil {
		return false, err
	}
	// Servers that share the audit write one after the other: whoever follows it goes on
	// behind the last row there was, and one with a smaller number must not come later.
	if _, err = conn.ExecContext(ctx, "UPDATE audit_head SET batches = batches + 1 WHERE id = 1"); err == nil {
		err = l.insertAll(ctx, conn, rows, kinds)
	}
	if err == nil {
		sent = true
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil && l.o.Engine.InTransaction(conn) {
		_, over := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, over)
	}
	return sent, err
}

func (l *Log) insertAll(ctx context.Context, conn *sql.Conn, rows []noted, kinds []int64) error {
	return conn.Raw(func(dc any) error {
		p, ok := dc.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("a connection of the audit is a %T", dc)
		}
		full := len(rows) - len(rows)%together
		if err := l.insertRows(ctx, p, together, rows[:full], kinds[:full]); err != nil {
			return err
		}
		return l.insertRows(ctx, p, 1, rows[full:], kinds[full:])
	})
}

// together is how many rows one statement writes.
const together = 64

const callColumns = `at_ms, request_id, op_key, acting_for, reason, remote, times, duration_us, argument_bytes, result_bytes`

// insertRows writes rows, so many a statement. It goes by the driver itself: package sql
// copies and converts every argument, which costs more than the insert.
func (l *Log) insertRows(ctx context.Context, p driver.ConnPrepareContext, together int, rows []noted, kinds []int64) (err error) {
	if len(rows) == 0 {
		return nil
	}
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	prepared, err := p.PrepareContext(ctx, l.o.Engine.Rebind("INSERT INTO audit_calls (kind, "+callColumns+") VALUES "+row+strings.Repeat(", "+row, together-1)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prepared.Close()) }()
	// The driver of SQLite takes all arguments of a query at once, and those of an Exec
	// one by one.
	stmt, ok := prepared.(driver.StmtQueryContext)
	if !ok {
		return fmt.Errorf("a statement of the audit is a %T", prepared)
	}
	args := make(arguments, 0, prepared.NumInput())
	for from := 0; from < len(rows); from += together {
		args = args[:0]
		for i := from; i < from+together; i++ {
			args = args.row(&rows[i], kinds[i])
		}
		res, err := stmt.QueryContext(ctx, args)
		if err != nil {
			return err
		}
		if err := res.Close(); err != nil {
			return err
		}
	}
	return nil
}

// arguments are those of a statement, which is run again and again with others. One that
// is the same as before at its place is not made anew.
type arguments []driver.NamedValue

func (a arguments) row(n *noted, kind int64) arguments {
	reason, from, times := n.refused.parts()
	return a.number(kind).number(n.at).text(n.requestID).text(n.opKey).text(n.actingFor).text(reason).text(from).number(times).number(n.duration).number(n.argumentBytes).number(n.resultBytes)
}

// next answers the arguments with one more, as it was the last time.
func (a arguments) next() arguments {
	a = a[:len(a)+1]
	a[len(a)-1].Ordinal = len(a)
	return a
}

func (a arguments) number(n int64) arguments {
	a = a.next()
	if before, ok := a[len(a)-1].Value.(int64); !ok || before != n {
		a[len(a)-1].Value = n
	}
	return a
}

func (a arguments) text(s string) arguments {
	a = a.next()
	if before, ok := a[len(a)-1].Value.(string); !ok || before != s {
		a[len(a)-1].Value = s
	}
	return a
}
