package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/internal/broadcast"
)

// Options configure a [DB].
type Options struct {
	Engine Engine
	Log    *slog.Logger
	Now    func() time.Time
	// Schemas are the tables of packs, in the order in which they are made.
	Schemas []Schema
	// Folders are directories beside that of the database where names are the program's
	// own: no copy is written there.
	Folders []string
	// Batch is the most writes of one commit; 0 is 64.
	Batch int
	// Keep is how long the answer of an operation is kept; 0 is 30 days.
	Keep time.Duration
	// WriteTime is the longest that one write may run: it holds up every other. 0 is 5
	// seconds.
	WriteTime time.Duration
	// Grace is how long a caller whose time is over waits for the end of a write that runs
	// already. 0 is 6 seconds, which is longer than one may run.
	Grace time.Duration
	// Seen is told of every statement of a pack that is run, for tests; nil is nobody.
	// Several goroutines may call it at once.
	Seen func(query string, args []any)
}

// stream is the one stream of the log. The tables are made for several.
const stream = "main"

// What options are by default.
const (
	defaultBatch     = 64
	defaultKeep      = 30 * 24 * time.Hour
	defaultWriteTime = 5 * time.Second
	defaultGrace     = 6 * time.Second
)

// DB is an open store. It is safe for concurrent use.
//
// A store that cannot be opened, because its disk is full or its server is away, is a
// store that refuses every call as unavailable and says why, and tries again: see
// [DB.State].
type DB struct {
	o       Options
	ctx     context.Context //nolint:containedctx // ends what runs in the background
	cancel  context.CancelFunc
	work    sync.WaitGroup // the writer, the sweeper and the mender
	queue   chan *job
	guard   guard
	readers chan *session       // as many as may be open; nil is one that is not
	moved   broadcast.Broadcast // the log grew

	sick    chan struct{} // something is wrong
	closing sync.Once

	mu          sync.Mutex
	opened      bool
	writing     *sql.DB
	reading     *sql.DB
	incarnation string
	head        int64 // the last position that is known here to be committed
	trouble     error
	since       time.Time
}

// Open opens the store, brings its tables forward and starts its writer. The error is
// one that only a person can clear, such as [ErrNewerSchema]; what waiting may clear
// is the state of the answered store.
func Open(ctx context.Context, o Options) (*DB, error) {
	o.Batch = cmp.Or(max(o.Batch, 0), defaultBatch)
	o.Keep = cmp.Or(max(o.Keep, 0), defaultKeep)
	o.WriteTime = cmp.Or(max(o.WriteTime, 0), defaultWriteTime)
	o.Grace = cmp.Or(max(o.Grace, 0), defaultGrace)
	if err := checkSchemas(o.Schemas); err != nil {
		return nil, errors.Join(err, o.Engine.Close())
	}
	db := &DB{o: o, queue: make(chan *job, 4*o.Batch), readers: make(chan *session, readerCount()), sick: make(chan struct{}, 1)}
	for _, s := range o.Schemas {
		db.guard.owners = append(db.guard.owners, s.Owner)
	}
	for range cap(db.readers) {
		db.readers <- nil
	}
	db.ctx, db.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := db.open(ctx); err != nil {
		if !db.classify(err).Passing() {
			db.cancel()
			return nil, errors.Join(err, o.Engine.Close())
		}
		db.troubled(err)
	}
	db.work.Go(db.write)
	db.work.Go(db.sweep)
	db.work.Go(db.mend)
	return db, nil
}

// readerCount is how many reads run at once.
func readerCount() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// Incarnation answers which life of the database this is; a restored one is another.
func (db *DB) Incarnation() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.incarnation
}

// position answers the place of a number in the log.
func (db *DB) position(seq int64) Position { return Position{db.Incarnation(), stream, seq} }

// Close ends the writer and closes the database. Writes that wait are refused; one
// that runs is finished, and so are the reads that run. What comes after is refused.
func (db *DB) Close() (err error) {
	db.closing.Do(func() {
		db.cancel()
		db.work.Wait()
		var all []error
		for range cap(db.readers) {
			if s := <-db.readers; s != nil {
				all = append(all, s.close())
			}
		}
		db.mu.Lock()
		defer db.mu.Unlock()
		if db.opened {
			all = append(all, db.reading.Close(), db.writing.Close())
		}
		err = errors.Join(append(all, db.o.Engine.Close())...)
	})
	return err
}
