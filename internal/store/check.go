package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Check looks whether what is stored agrees with itself, and says in a sentence each
// what does not: the file and its indexes, the search and its documents, the log and
// its head, bytes and their digests, and what every pack checks of its own. It reads
// everything. Damage that ends the check is one of the faults, and no error.
func (db *DB) Check(ctx context.Context) (faults []string, err error) {
	faults, err = db.checkEngine(ctx)
	if err != nil && db.classify(err) != Corrupt {
		return nil, db.refused(ctx, err)
	}
	faults = append(faults, unreadable(err)...)
	err = Read(ctx, db, func(r *Reader) error {
		for _, check := range []func() ([]string, error){r.checkLog, r.checkBlobs, r.checkKeepers} {
			found, err := check()
			faults = append(faults, found...)
			if err != nil {
				return err
			}
		}
		for _, s := range db.o.Schemas {
			if s.Check == nil {
				continue
			}
			found, err := s.Check(r)
			faults = append(faults, found...)
			if err != nil {
				return fmt.Errorf("checking what %s keeps: %w", s.Owner, err)
			}
		}
		return nil
	})
	if db.classify(err) != Corrupt {
		return faults, err
	}
	if refusal, ok := capabilities.AsError(err); ok && refusal.Unwrap() != nil {
		err = refusal.Unwrap() // what it is, in place of what to do about it
	}
	for _, f := range unreadable(err) {
		if !slices.Contains(faults, f) {
			faults = append(faults, f)
		}
	}
	return faults, nil
}

// unreadable answers the fault that damage is which ended a check.
func unreadable(err error) []string {
	if err == nil {
		return nil
	}
	return []string{"what is stored cannot all be read: " + err.Error()}
}

// checkEngine lets the engine look for damage, on a connection of its own that nothing
// ran on before: SQLite takes what an older one remembers of the search for damage.
func (db *DB) checkEngine(ctx context.Context) (faults []string, err error) {
	if _, _, err := db.pools(); err != nil && db.classify(err) != Corrupt {
		return nil, err
	}
	pool, err := db.o.Engine.Open(ctx, Writer, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := db.o.Engine.Grant(ctx, conn, Keeping); err != nil {
		return nil, err
	}
	return db.o.Engine.Check(ctx, conn)
}

func (r *Reader) checkLog() (faults []string, err error) {
	var log struct {
		Count int64 `db:"n"`
		First int64 `db:"first"`
		Last  int64 `db:"last"`
		Head  int64 `db:"head"`
		Ahead int64 `db:"ahead"`
	}
	const query = `SELECT count(*) AS n, coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last,
		(SELECT coalesce(max(seq), -1) FROM log_head WHERE stream = ?) AS head,
		(SELECT count(*) FROM operations WHERE seq > (SELECT coalesce(max(seq), 0) FROM log_head WHERE stream = ?)) AS ahead
		FROM changes WHERE stream = ?`
	if err := r.noted(r.session.get(r.ctx, Keeping, &log, query, stream, stream, stream), query); err != nil {
		return nil, err
	}
	if log.First != 1 || log.Count != log.Last {
		faults = append(faults, fmt.Sprintf("the log has %d changes, from %d to %d: some are missing", log.Count, log.First, log.Last))
	}
	if log.Head != log.Last {
		faults = append(faults, fmt.Sprintf("the head of the log is %d, and its last change is %d", log.Head, log.Last))
	}
	if log.Ahead > 0 {
		faults = append(faults, fmt.Sprintf("%d operations are at positions that the log did not reach", log.Ahead))
	}
	return faults, nil
}

func (r *Reader) checkBlobs() (faults []string, err error) {
	var digest string
	var next int64
	var sum hash.Hash
	ended := func() {
		if sum != nil && hex.EncodeToString(sum.Sum(nil)) != digest {
			faults = append(faults, "the bytes under the digest "+digest+" are others")
		}
	}
	err = r.each(`SELECT digest, chunk, data FROM blobs ORDER BY digest, chunk`, func(rows *sql.Rows) error {
		var of string
		var chunk int64
		var data []byte
		if err := rows.Scan(&of, &chunk, &data); err != nil {
			return err
		}
		if of != digest || sum == nil {
			ended()
			digest, next, sum = of, 0, sha256.New()
		}
		if chunk != next {
			faults = append(faults, fmt.Sprintf("of the bytes under the digest %s part %d is missing", digest, next))
		}
		next = chunk + 1
		sum.Write(data)
		return nil
	})
	ended()
	return faults, err
}

// checkKeepers looks for bytes that nobody keeps, and for keepers of none.
func (r *Reader) checkKeepers() (faults []string, err error) {
	for _, c := range []struct{ query, says string }{
		{
			`SELECT DISTINCT digest FROM blobs WHERE NOT EXISTS (SELECT 1 FROM blob_keepers WHERE blob_keepers.digest = blobs.digest) ORDER BY digest`,
			"the bytes under the digest %s are kept by no pack",
		},
		{
			`SELECT DISTINCT digest FROM blob_keepers WHERE NOT EXISTS (SELECT 1 FROM blobs WHERE blobs.digest = blob_keepers.digest) ORDER BY digest`,
			"the bytes under the digest %s are missing, and a pack keeps them",
		},
	} {
		var digests []string
		if err := r.own(&digests, c.query); err != nil {
			return faults, err
		}
		for _, d := range digests {
			faults = append(faults, fmt.Sprintf(c.says, d))
		}
	}
	return faults, nil
}

// each runs a statement of the store and calls f for every row.
func (r *Reader) each(query string, f func(*sql.Rows) error) (err error) {
	stmt, err := r.session.prepared(r.ctx, Keeping, query)
	if err != nil {
		return r.noted(err, query)
	}
	rows, err := stmt.QueryContext(r.ctx)
	if err != nil {
		return r.noted(err, query)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return r.noted(rows.Err(), query)
}
