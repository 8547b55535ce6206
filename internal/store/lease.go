package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Lease is the right to do something that one process at a time may do, for a while.
// Its time is that of the database's clock, and of no server's.
type Lease struct {
	Fence
	Expires time.Time
}

// Fence is one holding of a lease. Epoch grows with every holding, for as long as the
// database lives: that of an earlier holder is never good again.
type Fence struct {
	Name  string `db:"name"`
	Owner string `db:"owner"`
	Epoch int64  `db:"epoch"`
}

// ErrFenced says that a lease is not held any more: it lapsed, or somebody else has it.
var ErrFenced = errors.New("the lease is not held any more: acquire it again")

// Acquire takes a lease that nobody holds. ok is false while somebody does, the owner
// included: a holder renews.
func (db *DB) Acquire(ctx context.Context, name, owner string, ttl time.Duration) (f Fence, ok bool, err error) {
	if name == "" || owner == "" || ttl < time.Millisecond {
		return Fence{}, false, fmt.Errorf("acquiring the lease %q for %q for %s: it has a name, an owner and a time", name, owner, ttl)
	}
	clock := db.o.Engine.Clock()
	query := `INSERT INTO leases (name, owner, epoch, expires_ms, status) VALUES (?, ?, 1, ` + clock + ` + ?, '{}')
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = leases.epoch + 1, expires_ms = excluded.expires_ms
		WHERE leases.expires_ms <= ` + clock + ` RETURNING epoch`
	var epoch int64
	err = db.keep(ctx, func(tx *Tx) error {
		epoch = 0
		err := tx.session.get(tx.ctx, Keeping, &epoch, query, name, owner, ttl.Milliseconds())
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return tx.noted(err, query)
	})
	if err != nil || epoch == 0 {
		return Fence{}, false, err
	}
	return Fence{name, owner, epoch}, true, nil
}

// held is the condition that a lease is still held.
func (db *DB) held() string {
	return ` WHERE name = ? AND owner = ? AND epoch = ? AND expires_ms > ` + db.o.Engine.Clock()
}

// Renew lets a lease run for ttl from now. ok is false for one that is not held any
// more: that has to be acquired again.
func (db *DB) Renew(ctx context.Context, f Fence, ttl time.Duration) (ok bool, err error) {
	query := `UPDATE leases SET expires_ms = ` + db.o.Engine.Clock() + ` + ?` + db.held()
	var n int64
	err = db.keep(ctx, func(tx *Tx) (err error) {
		n, err = tx.session.exec(tx.ctx, Keeping, query, ttl.Milliseconds(), f.Name, f.Owner, f.Epoch)
		return tx.noted(err, query)
	})
	return err == nil && n == 1, err
}

// Release ends a holding. The row stays, with its epoch. One that is not held any more
// is no error.
func (db *DB) Release(ctx context.Context, f Fence) error {
	query := `UPDATE leases SET expires_ms = ` + db.o.Engine.Clock() + db.held()
	return db.keep(ctx, func(tx *Tx) error {
		return tx.noted(tx.session.keep(tx.ctx, query, f.Name, f.Owner, f.Epoch), query)
	})
}

// Leases answers the leases that are held, of the names that begin with prefix, in
// their order.
func (db *DB) Leases(ctx context.Context, prefix string) ([]Lease, error) {
	var rows []struct {
		Fence
		Expires int64 `db:"expires_ms"`
	}
	query := `SELECT name, owner, epoch, expires_ms FROM leases WHERE name >= ? AND expires_ms > ` + db.o.Engine.Clock() + ` ORDER BY name`
	if err := Read(ctx, db, func(r *Reader) error { return r.own(&rows, query, prefix) }); err != nil {
		return nil, err
	}
	var all []Lease
	for _, row := range rows {
		if strings.HasPrefix(row.Name, prefix) {
			all = append(all, Lease{row.Fence, time.UnixMilli(row.Expires).UTC()})
		}
	}
	return all, nil
}

// Fence refuses the write with [ErrFenced] unless the lease is held. It stays held until
// the write is committed: nobody takes it over in between.
func (t *Tx) Fence(f Fence) error {
	if t.over.Load() {
		return errOver
	}
	query := `UPDATE leases SET epoch = epoch` + t.db.held()
	n, err := t.session.exec(t.ctx, Keeping, query, f.Name, f.Owner, f.Epoch)
	if err == nil && n == 0 {
		return fmt.Errorf("writing as %s of the lease %s: %w", f.Owner, f.Name, ErrFenced)
	}
	return t.noted(err, query)
}
