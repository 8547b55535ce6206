// Package audit keeps one row of every call: who called what, how it ended, how long it
// took and how large it was. It never keeps arguments or results.
//
// Rows stand in a database of their own and are written in batches behind the calls,
// so that no call waits for the disk because of them. What was called in the last
// moments before a power cut may be missing; a stop or a crash of the process alone
// costs what a batch holds.
package audit

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/internal/broadcast"
	"github.com/seed-89b9419b/holotype/internal/store"
)

//go:embed schema/*.sql
var files embed.FS

// Options configure a [Log].
type Options struct {
	Engine store.Engine
	Log    *slog.Logger
	Now    func() time.Time
	// Keep is how long a row stands; 0 is 90 days.
	Keep time.Duration
}

const (
	defaultKeep = 90 * 24 * time.Hour
	// waiting is the most rows that wait to be written. A call waits for room when they
	// are all taken, at most roomTime; its row is then counted as lost.
	waiting  = 8192
	roomTime = time.Second
	// batchRows and batchTime bound how many rows, and how long, wait for one commit.
	batchRows = 512
	batchTime = 200 * time.Millisecond
	// insertTime bounds how long one of its statements may take.
	insertTime = 10 * time.Second
	// sweepRows and sweepEvery bound how many old rows are removed at once, and how often
	// they are looked for.
	sweepRows  = 1000
	sweepEvery = time.Minute
)

// Log is an open audit. It is safe for concurrent use.
type Log struct {
	o    Options
	mu   sync.Mutex // held while the database is opened
	db   *sql.DB    // nil until it could be opened
	rows chan item
	lost atomic.Int64
	// failing is the writer's: rows are being lost.
	failing bool
	stop    chan struct{}
	writer  sync.WaitGroup
	grown   broadcast.Broadcast
}

// item is a row, or the wish to be told when all rows before it are written.
type item struct {
	row  *Row
	done chan struct{}
}

// Open opens the audit on a database of the engine's that is its own, and begins to
// write. The error is one that only a person can clear. What waiting may clear, such as
// a server that is away, costs rows until it is over: they are counted in the log.
func Open(ctx context.Context, o Options) (*Log, error) {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	l := &Log{o: o, rows: make(chan item, waiting), stop: make(chan struct{})}
	if _, err := l.opened(ctx); err != nil {
		if !o.Engine.Classify(err).Passing() {
			return nil, err
		}
		l.noted(0, err)
	}
	l.writer.Go(l.write)
	return l, nil
}

// opened answers the database, which is opened when it is not.
func (l *Log) opened(ctx context.Context) (*sql.DB, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db != nil {
		return l.db, nil
	}
	db, err := l.o.Engine.Aside(ctx, "audit")
	if err != nil {
		return nil, fmt.Errorf("opening the audit: %w", err)
	}
	sub, err := fs.Sub(files, "schema")
	if err == nil {
		err = store.Migrate(ctx, db, l.o.Engine, store.Schema{Owner: "audit", Files: sub})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the audit: %w", err), db.Close())
	}
	l.db = db
	return db, nil
}

// Close writes what waits and closes the database. Calls may not be noted after.
func (l *Log) Close() error {
	close(l.stop)
	l.writer.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db == nil {
		return nil
	}
	return l.db.Close()
}

// note queues a row.
func (l *Log) note(r *Row) {
	select {
	case l.rows <- item{row: r}:
		return
	default:
	}
	timer := time.NewTimer(roomTime)
	defer timer.Stop()
	select {
	case l.rows <- item{row: r}:
	case <-timer.C:
		l.lost.Add(1)
	case <-l.stop:
		l.lost.Add(1)
	}
}

// flushed waits until every row that was noted before is written.
func (l *Log) flushed(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case l.rows <- item{done: done}:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.stop:
		return errClosed
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.stop:
		return errClosed
	}
}

var errClosed = errors.New("the audit is closed")

// write writes rows until the audit is closed.
func (l *Log) write() {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		select {
		case first := <-l.rows:
			l.batch(l.gather(first))
		case <-sweep.C:
			l.sweep()
		case <-l.stop:
			for len(l.rows) > 0 {
				l.batch(l.gather(<-l.rows))
			}
			return
		}
	}
}

// gather answers the rows of the next commit, the first of them given: those that come
// within a moment, unless somebody waits for them.
func (l *Log) gather(first item) []item {
	all := []item{first}
	var timer *time.Timer
	for len(all) < batchRows && all[len(all)-1].done == nil {
		select {
		case next := <-l.rows:
			all = append(all, next)
			continue
		default:
		}
		if timer == nil {
			timer = time.NewTimer(batchTime)
			defer timer.Stop()
		}
		select {
		case next := <-l.rows:
			all = append(all, next)
		case <-timer.C:
			return all
		case <-l.stop:
			return all
		}
	}
	return all
}

// batch writes rows in one commit. A failure costs the rows: they are counted, and the
// calls they are of are not held up.
func (l *Log) batch(all []item) {
	rows := make([]*Row, 0, len(all))
	for _, one := range all {
		if one.row != nil {
			rows = append(rows, one.row)
		}
	}
	if len(rows) > 0 {
		l.noted(len(rows), l.insert(rows))
		l.grown.Wake()
	}
	for _, one := range all {
		if one.done != nil {
			close(one.done)
		}
	}
}

// noted says once that rows are lost, and once how many were.
func (l *Log) noted(rows int, err error) {
	switch {
	case err != nil:
		l.lost.Add(int64(rows))
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

func (l *Log) insert(rows []*Row) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), insertTime) // a row outlives its call
	defer cancel()
	db, err := l.opened(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	stmt, err := tx.PrepareContext(ctx, l.o.Engine.Rebind(insertRow))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	for _, r := range rows {
		if _, err := stmt.ExecContext(ctx, r.values()...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// sweep removes rows that are older than what is kept, some at a time.
func (l *Log) sweep() {
	const query = `DELETE FROM audit_calls WHERE id IN (SELECT id FROM audit_calls WHERE at_ms < ? ORDER BY at_ms LIMIT ?)`
	ctx, cancel := context.WithTimeout(context.Background(), insertTime)
	defer cancel()
	db, err := l.opened(ctx)
	if err == nil {
		_, err = db.ExecContext(ctx, l.o.Engine.Rebind(query), l.o.Now().Add(-l.o.Keep).UnixMilli(), sweepRows)
	}
	if err != nil {
		l.o.Log.Warn("audit_sweep_failed", "error", err.Error())
	}
}
