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

// Database is the name of the audit's database beside the store.
const Database = "audit"

// Options configure a [Log].
type Options struct {
	Engine store.Engine
	Log    *slog.Logger
	Now    func() time.Time
	// Keep is how long a row stands; 0 is 90 days.
	Keep time.Duration
	// File is a file that every row is appended to as well, as one line of JSON; "" is none.
	File string
}

const (
	defaultKeep = 90 * 24 * time.Hour
	// insertTime bounds how long what the writer does for one commit may take.
	insertTime = 10 * time.Second
)

// Log is an open audit. It is safe for concurrent use.
type Log struct {
	o     Options
	mu    sync.Mutex // held while the database is opened
	db    *sql.DB    // nil until it could be opened
	queue queue
	kinds kinds
	lost  atomic.Int64 // not yet said
	ever  atomic.Int64 // lost since it was opened
	// refusals are those that came in numbers, and file what rows are appended to, nil for
	// none. The file is the writer's.
	refusals refusals
	file     *file
	// What is the writer's: whether rows are being lost, the numbers of kinds that stand in
	// the database, and the last row that was looked at for its age.
	failing bool
	known   map[kind]int64
	swept   int64
	stop    chan struct{}
	// resting is closed when nobody is to wait for calls that are yet to come.
	resting  chan struct{}
	restOnce sync.Once
	writer   sync.WaitGroup
	grown    broadcast.Broadcast
}

// Open opens the audit on a database of the engine's that is its own, and begins to
// write. The error is one that only a person can clear. What waiting may clear, such as
// a server that is away, costs rows until it is over: they are counted in the log.
func Open(ctx context.Context, o Options) (*Log, error) {
	if o.Keep <= 0 {
		o.Keep = defaultKeep
	}
	l := &Log{o: o, queue: newQueue(), known: map[kind]int64{}, stop: make(chan struct{}), resting: make(chan struct{})}
	var err error
	if l.file, err = openFile(o.File, o.Log); err != nil {
		return nil, err
	}
	if _, err := l.opened(ctx); err != nil {
		if !o.Engine.Classify(err).Passing() {
			l.file.end()
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
	db, err := l.o.Engine.Aside(ctx, Database)
	if err != nil {
		return nil, fmt.Errorf("opening the audit: %w", err)
	}
	sub, err := fs.Sub(files, "schema")
	if err == nil {
		err = store.Migrate(ctx, db, l.o.Engine, store.Schema{Owner: Database, Files: sub})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the audit: %w", err), db.Close())
	}
	l.db = db
	return db, nil
}

// Rest answers whoever waits in [Log.Await], now and from now on, with what there is: a
// server that stops lets its requests finish, and one that waits for calls would not.
func (l *Log) Rest() { l.restOnce.Do(func() { close(l.resting) }) }

// Close writes what waits and closes the database. Calls may not be noted after.
func (l *Log) Close() error {
	l.closeRefusals()
	close(l.stop)
	l.writer.Wait()
	l.file.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db == nil {
		return nil
	}
	return l.db.Close()
}

var errClosed = errors.New("the audit is closed")
