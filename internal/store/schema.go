package store

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// Schema is one owner's tables: the store's, an engine's or a pack's.
type Schema struct {
	// Owner names whose they are: [a-z_]+, the first part of the tables' names.
	Owner string
	// Files holds the migrations, 001_name.sql and so on, in the format of goose. A
	// {{word}} in one is replaced by what the engine has for it: strict ends a table,
	// integer is that of a 64-bit number, blob that of bytes, serial that of a number the engine gives out.
	Files fs.FS
	// Check looks whether what the owner keeps agrees with itself, and says in a sentence
	// each what does not; nil looks at nothing.
	Check func(*Reader) (faults []string, err error)
}

//go:embed schema/*.sql
var files embed.FS

// own answers the tables of the store itself.
func own() (Schema, error) {
	sub, err := fs.Sub(files, "schema")
	if err != nil {
		return Schema{}, fmt.Errorf("the store's own schema: %w", err)
	}
	return Schema{Owner: "store", Files: sub}, nil
}

// ErrNewerSchema says that the database was written by a later version of the
// program.
var ErrNewerSchema = errors.New("the database was written by a later version of this program: run that version, or restore a backup of before")

// Migrate brings the tables of a database beside the store forward, one that
// [Engine.Aside] answered.
func Migrate(ctx context.Context, db *sql.DB, e Engine, s Schema) error {
	return e.Alone(ctx, db, func() error {
		return bringForward(ctx, db, e, []Schema{s}, func([]step) error { return nil })
	})
}

// migrate brings the tables of every owner forward.
func (db *DB) migrate(ctx context.Context, pool *sql.DB, schemas []Schema) error {
	return db.o.Engine.Alone(ctx, pool, func() error {
		return bringForward(ctx, pool, db.o.Engine, schemas, func(steps []step) error { return db.preserve(ctx, steps) })
	})
}

// step is what one owner's tables are brought forward by.
type step struct {
	owner    string
	at, to   int64
	provider *goose.Provider
}

func (s step) String() string {
	return fmt.Sprintf("the schema of %s from version %d to %d", s.owner, s.at, s.to)
}

// bringForward calls before where a database has tables already, and they change.
func bringForward(ctx context.Context, db *sql.DB, e Engine, schemas []Schema, before func([]step) error) error {
	dialect := goose.DialectSQLite3
	if e.Name() == "postgres" {
		dialect = goose.DialectPostgres
	}
	var steps []step
	used := false
	// All are looked at first: a database that a later version wrote is left as it is.
	for _, s := range schemas {
		p, err := goose.NewProvider(dialect, db, rendered{s.Files, e.Tokens()},
			goose.WithTableName("schema_"+s.Owner), goose.WithDisableGlobalRegistry(true))
		if err != nil {
			return fmt.Errorf("the schema files of %s: %w", s.Owner, err)
		}
		at, target, err := p.GetVersions(ctx)
		switch {
		case err != nil:
			return unreadVersion(ctx, db, e, s.Owner, err)
		case at > target:
			return fmt.Errorf("the schema of %s is at version %d, this program knows %d: %w", s.Owner, at, target, ErrNewerSchema)
		case at < target:
			steps = append(steps, step{s.Owner, at, target, p})
		}
		used = used || at > 0
	}
	if used && len(steps) > 0 {
		if err := before(steps); err != nil {
			return err
		}
	}
	for _, s := range steps {
		if _, err := s.provider.Up(ctx); err != nil {
			return fmt.Errorf("bringing %s: %w", s, err)
		}
	}
	return nil
}

// unreadVersion answers why the version of the tables of an owner is not known. What is
// damaged there was taken for a database without any.
func unreadVersion(ctx context.Context, db *sql.DB, e Engine, owner string, err error) error {
	var n int
	if found := db.QueryRowContext(ctx, "SELECT count(*) FROM schema_"+owner).Scan(&n); e.Classify(found) == Corrupt {
		return fmt.Errorf("which version the tables of %s have cannot be read, so that the rest is left as it is: %w", owner, found)
	}
	return fmt.Errorf("reading the version of the schema of %s: %w", owner, err)
}

// preserve keeps a copy of a database whose tables are about to change: an earlier
// version of the program cannot read them afterwards.
func (db *DB) preserve(ctx context.Context, steps []step) error {
	var label, words []string
	for _, s := range steps {
		label = append(label, fmt.Sprintf("%s-%d-to-%d", s.owner, s.at, s.to))
		words = append(words, s.String())
	}
	path, err := db.o.Engine.Preserve(ctx, strings.Join(label, "-"), db.now())
	if err != nil {
		return fmt.Errorf("copying the database before it is brought forward (%s), which needs as much room as it has: %w", strings.Join(words, ", "), err)
	}
	if path == "" {
		db.o.Log.Warn("store_schema_moves", "steps", strings.Join(words, ", "), "consequence", "no copy is kept here: who wants to go back to an earlier version needs one of before, such as a dump of the server")
		return nil
	}
	db.o.Log.Info("store_schema_moves", "steps", strings.Join(words, ", "), "copy", path)
	return nil
}

// rendered is a file system whose files have their tokens replaced.
type rendered struct {
	fs.FS
	tokens map[string]string
}

var token = regexp.MustCompile(`\{\{[a-z]+\}\}`)

// Open answers the file with its tokens replaced; a token that the engine does not
// know is an error.
func (r rendered) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return f, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	var unknown error
	text = token.ReplaceAllFunc(text, func(t []byte) []byte {
		v, ok := r.tokens[strings.Trim(string(t), "{}")]
		if !ok {
			unknown = fmt.Errorf("%s has the token %s, which the engine does not know", name, t)
		}
		return []byte(v)
	})
	if unknown != nil {
		return nil, unknown
	}
	return &memFile{Reader: bytes.NewReader(text), name: path.Base(name), size: int64(len(text))}, nil
}

// memFile is a file in memory, and its own description.
type memFile struct {
	*bytes.Reader
	name string
	size int64
}

func (f *memFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *memFile) Close() error               { return nil }
func (f *memFile) Name() string               { return f.name }
func (f *memFile) Size() int64                { return f.size }
func (f *memFile) Mode() fs.FileMode          { return 0o444 }
func (f *memFile) ModTime() time.Time         { return time.Time{} }
func (f *memFile) IsDir() bool                { return false }
func (f *memFile) Sys() any                   { return nil }
