package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"
)

// Options configure a [DB].
type Options struct {
	Engine Engine
	Log    *slog.Logger
	Now    func() time.Time
	// Schemas are the tables of packs, in the order in which they are made.
	Schemas []Schema
	// Batch is the most writes of one commit; 0 is 64.
	Batch int
	// Keep is how long the answer of an operation is kept; 0 is 30 days.
	Keep time.Duration
}

// stream is the one stream of the log. The tables are made for several.
const stream = "main"

// keepOperations is how long a repeated operation is answered by default.
const keepOperations = 30 * 24 * time.Hour

// DB is an open store. It is safe for concurrent use.
//
// A store that cannot be opened, because its disk is full or its server is away, is a
// store that refuses every call as unavailable and says why, and tries again: see
// [DB.State].
type DB struct {
	o       Options
	ctx     context.Context //nolint:containedctx // ends what runs in the background
	cancel  context.CancelFunc
	work    sync.WaitGroup // the writer and the sweeper
	queue   chan *job
	guard   guard
	readers chan *session // as many as may be open; nil is one that is not
	moved   broadcast     // the log grew

	mu          sync.Mutex
	opened      bool
	writing     *sql.DB
	reading     *sql.DB
	incarnation string
	floor       time.Time // operations minted before are not known to the ledger
	head        int64     // the last position that was committed here
	trouble     error
	since       time.Time
}

// Open opens the store, brings its tables forward and starts its writer. The error is
// one that only a person can clear, such as [ErrNewerSchema]; what waiting may clear
// is the state of the answered store.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Batch <= 0 {
		o.Batch = 64
	}
	if o.Keep <= 0 {
		o.Keep = keepOperations
	}
	db := &DB{o: o, queue: make(chan *job, 4*o.Batch), readers: make(chan *session, readerCount())}
	for range cap(db.readers) {
		db.readers <- nil
	}
	db.ctx, db.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := db.open(ctx); err != nil {
		if !o.Engine.Classify(err).passing() {
			db.cancel()
			return nil, errors.Join(err, o.Engine.Close())
		}
		db.troubled(err)
	}
	db.work.Go(db.write)
	db.work.Go(db.sweep)
	return db, nil
}

// readerCount is how many reads run at once.
func readerCount() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// open opens the pools, once; db.mu is not held.
func (db *DB) open(ctx context.Context) (err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.opened {
		return nil
	}
	e := db.o.Engine
	writing, err := e.Open(ctx, Writer, 2)
	if err != nil {
		return fmt.Errorf("opening the database for writing: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, writing.Close())
		}
	}()
	first, err := own()
	if err != nil {
		return err
	}
	if err := migrate(ctx, writing, e, append([]Schema{first, e.Schema()}, db.o.Schemas...)); err != nil {
		return err
	}
	if err := db.meta(ctx, writing); err != nil {
		return err
	}
	reading, err := e.Open(ctx, Readers, cap(db.readers))
	if err != nil {
		return fmt.Errorf("opening the database for reading: %w", err)
	}
	db.writing, db.reading, db.opened = writing, reading, true
	return nil
}

// meta reads what the store says of itself, and makes it in a new one.
func (db *DB) meta(ctx context.Context, pool *sql.DB) (err error) {
	s, err := newSession(ctx, pool, db.o.Engine)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	const once = `INSERT INTO store_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO NOTHING`
	if err := s.keep(ctx, once, "incarnation", freshIncarnation()); err != nil {
		return err
	}
	if err := s.keep(ctx, once, "ledger_floor_ms", fmt.Sprint(db.o.Now().Add(-db.o.Keep).UnixMilli())); err != nil {
		return err
	}
	if err := s.keep(ctx, `INSERT INTO log_head (stream, seq) VALUES (?, 0) ON CONFLICT (stream) DO NOTHING`, stream); err != nil {
		return err
	}
	const read = `SELECT v FROM store_meta WHERE k = ?`
	if err := s.get(ctx, Keeping, &db.incarnation, read, "incarnation"); err != nil {
		return err
	}
	var floor string
	if err := s.get(ctx, Keeping, &floor, read, "ledger_floor_ms"); err != nil {
		return err
	}
	var ms int64
	if _, err := fmt.Sscan(floor, &ms); err != nil {
		return fmt.Errorf("the floor of the ledger is %q, which is no time", floor)
	}
	db.floor = time.UnixMilli(ms)
	return s.get(ctx, Keeping, &db.head, `SELECT seq FROM log_head WHERE stream = ?`, stream)
}

// writer and readerPool answer the pools of an open store. One that is not open is
// opened, if that can be done now.
func (db *DB) writer(ctx context.Context) (*sql.DB, error) {
	w, _, err := db.pools(ctx)
	return w, err
}

func (db *DB) readerPool(ctx context.Context) (*sql.DB, error) {
	_, r, err := db.pools(ctx)
	return r, err
}

func (db *DB) pools(ctx context.Context) (writing, reading *sql.DB, err error) {
	if err := db.open(ctx); err != nil {
		db.troubled(err)
		return nil, nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.writing, db.reading, nil
}

// State is how a store is.
type State struct {
	// Err is why it cannot be used, or not be written; nil is well.
	Err error
	// Advice says what to do about Err, in a clause.
	Advice string
	// Since is when it began.
	Since time.Time
	// Failure classes Err.
	Failure Failure
}

// State answers how the store is now.
func (db *DB) State() State {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.trouble == nil {
		return State{}
	}
	f := db.o.Engine.Classify(db.trouble)
	return State{Err: db.trouble, Failure: f, Since: db.since, Advice: advice[f]}
}

var advice = map[Failure]string{
	Busy:     "another program holds the database: end it, or wait until it is done",
	Full:     "no room is left where the database is: make room, nothing has to be restarted",
	ReadOnly: "the database cannot be written: look at the permissions and the mount of its directory",
	Corrupt:  "the database is damaged: run store check, and restore a backup",
	Lost:     "the medium or the server of the database does not answer: look at it, nothing has to be restarted",
	Other:    "the cause is in the log",
}

// troubled notes why the store cannot be used.
func (db *DB) troubled(err error) {
	db.mu.Lock()
	fresh := db.trouble == nil || db.o.Engine.Classify(db.trouble) != db.o.Engine.Classify(err)
	if fresh {
		db.since = db.o.Now()
	}
	db.trouble = err
	db.mu.Unlock()
	if fresh {
		db.o.Log.Error("store_failing", "engine", db.o.Engine.Name(), "error", err.Error())
	}
}

// well notes that the store works.
func (db *DB) well() {
	db.mu.Lock()
	was := db.trouble
	db.trouble = nil
	db.mu.Unlock()
	if was != nil {
		db.o.Log.Info("store_recovered", "engine", db.o.Engine.Name())
	}
}

// Incarnation answers which life of the database this is; a restored one is another.
func (db *DB) Incarnation() string {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.incarnation
}

// Close ends the writer and closes the database. Writes that wait are refused; one
// that runs is finished. Nothing may use the store after.
func (db *DB) Close() error {
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
	return errors.Join(append(all, db.o.Engine.Close())...)
}

// broadcast wakes whoever waits for the next change.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

// next answers a channel that is closed by the next wake.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

func (b *broadcast) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}
