package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

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

// State answers how the store is now. A trouble ends without a restart, soon after its
// cause; damage does not.
func (db *DB) State() State {
	if err := db.present(); err != nil {
		db.troubled(err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.trouble == nil {
		return State{}
	}
	f := db.classify(db.trouble)
	return State{Err: db.trouble, Failure: f, Since: db.since, Advice: adviceOn(f, db.trouble)}
}

// adviceOn says what to do about a failure.
func adviceOn(f Failure, err error) string {
	switch f {
	case Busy:
		return "another program holds the database: end it, or wait until it is done"
	case Full:
		return "no room is left where the database is: make room, nothing has to be restarted"
	case ReadOnly:
		return "the database cannot be written: look at the permissions and the mount of its directory"
	case Corrupt:
		return "the database is damaged: stop the server, and restore a backup with the command restore"
	case Lost:
		return "the medium or the server of the database does not answer: look at it, nothing has to be restarted"
	case Gone:
		return "the file of the database, or its log, was removed or replaced while it is open: stop the server, then put the file back or restore a backup"
	case Other, Unique, Denied:
	}
	if errors.Is(err, ErrNewerSchema) {
		return ErrNewerSchema.Error()
	}
	return "the cause is in the log"
}

// classify answers the class of an error of the engine or of package sql.
func (db *DB) classify(err error) Failure {
	switch {
	case err == nil:
		return Other
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		return Lost
	}
	return db.o.Engine.Classify(err)
}

// refused answers the refusal of a call that an engine's failure ended. What is no
// failure of an engine passes as it is.
func (db *DB) refused(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := capabilities.AsError(err); ok || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	f := db.classify(err)
	var closed *notOpen
	switch {
	case errors.As(err, &closed):
	case f.Passing() && ctx.Err() != nil: // it may be the caller, who gave up while something was under way
	case f.Passing():
		db.troubled(err)
	default:
		return err
	}
	return capabilities.Refuse(capabilities.Unavailable, "the store cannot serve this now: %s", adviceOn(f, err)).Because(err)
}

// troubled notes why the store cannot be used.
func (db *DB) troubled(err error) {
	db.mu.Lock()
	fresh := db.trouble == nil || db.classify(db.trouble) != db.classify(err)
	if db.trouble == nil {
		db.since = db.o.Now()
	}
	if !db.lasting() {
		db.trouble = err
	}
	db.mu.Unlock()
	if fresh {
		db.o.Log.Error("store_failing", "engine", db.o.Engine.Name(), "error", err.Error())
	}
	select {
	case db.sick <- struct{}{}:
	default: // it is known
	}
}

// well notes that the store works. A damaged database is one although most of it does:
// only a database that is opened anew ends that.
func (db *DB) well() {
	db.mu.Lock()
	was := db.trouble
	if db.lasting() {
		was = nil
	} else {
		db.trouble = nil
	}
	db.mu.Unlock()
	if was != nil {
		db.o.Log.Info("store_recovered", "engine", db.o.Engine.Name())
	}
}

// lasting reports whether the trouble does not end while the program runs. db.mu is held.
func (db *DB) lasting() bool {
	return db.opened && db.trouble != nil && db.classify(db.trouble) == Corrupt
}

// damage answers why nothing is written any more, or nil: a database that is known to be
// damaged takes no writes, since nobody can say what of them is there afterwards.
func (db *DB) damage() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lasting() {
		return db.trouble
	}
	return nil
}

// present answers why what is open is not the database any more, or nil.
func (db *DB) present() error {
	db.mu.Lock()
	opened := db.opened
	db.mu.Unlock()
	if !opened { // nothing is open that could be another
		return nil
	}
	return db.o.Engine.Present()
}

// ill reports whether something is wrong that may end by itself.
func (db *DB) ill() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.trouble != nil && !db.lasting()
}

// mendEvery is how often a store that is in trouble is tried.
const mendEvery = time.Second

// mend looks, while something is wrong, whether it still is: a server that nobody calls
// because it says that it is not ready has to find out by itself.
func (db *DB) mend() {
	timer := time.NewTimer(mendEvery)
	defer timer.Stop()
	for {
		select {
		case <-db.ctx.Done():
			return
		case <-db.sick:
		}
		for db.ill() {
			timer.Reset(mendEvery)
			select {
			case <-db.ctx.Done():
				return
			case <-timer.C:
			}
			db.probe()
		}
	}
}

// probe tries what has to work: to open the database, or to find the one that is open,
// and to commit a write. The commit
// says that all is well.
func (db *DB) probe() {
	if _, _, err := db.pools(); err != nil {
		if err := db.open(db.ctx); err != nil {
			if db.ctx.Err() == nil {
				db.troubled(err)
			}
			return
		}
	}
	// Its failure is the trouble that it was, or is one that the writer notes.
	_ = db.keep(db.ctx, func(tx *Tx) error {
		now := strconv.FormatInt(tx.now.UnixMilli(), 10)
		if err := tx.session.keep(tx.ctx, insertMeta, metaProbed, now); err != nil {
			return tx.noted(err, insertMeta)
		}
		return tx.noted(tx.session.keep(tx.ctx, updateMeta, now, metaProbed), updateMeta)
	})
}

// now answers the time as it is stored.
func (db *DB) now() time.Time { return db.o.Now().UTC().Truncate(time.Millisecond) }

// Engine answers the word of the engine behind the store: "sqlite" or "postgres".
func (db *DB) Engine() string { return db.o.Engine.Name() }
