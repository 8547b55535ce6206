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
	return migrate(ctx, db, e, []Schema{s})
}

// migrate brings the tables of every owner forward.
func migrate(ctx context.Context, db *sql.DB, e Engine, schemas []Schema) error {
	return e.Alone(ctx, db, func() error { return bringForward(ctx, db, e, schemas) })
}

func bringForward(ctx context.Context, db *sql.DB, e Engine, schemas []Schema) error {
	dialect := goose.DialectSQLite3
	if e.Name() == "postgres" {
		dialect = goose.DialectPostgres
	}
	behind := map[*goose.Provider]string{}
	var order []*goose.Provider
	// All are looked at first: a database that a later version wrote is left as it is.
	for _, s := range schemas {
		p, err := goose.NewProvider(dialect, db, rendered{s.Files, e.Tokens()},
			goose.WithTableName("schema_"+s.Owner), goose.WithDisableGlobalRegistry(true))
		if err != nil {
			return fmt.Errorf("the schema files of %s: %w", s.Owner, err)
		}
		at, target, err := p.GetVersions(ctx)
		if err != nil {
			return fmt.Errorf("reading the version of the schema of %s: %w", s.Owner, err)
		}
		if at > target {
			return fmt.Errorf("the schema of %s is at version %d, this program knows %d: %w", s.Owner, at, target, ErrNewerSchema)
		}
		if at < target {
			order = append(order, p)
			behind[p] = fmt.Sprintf("bringing the schema of %s from version %d to %d", s.Owner, at, target)
		}
	}
	for _, p := range order {
		if _, err := p.Up(ctx); err != nil {
			return fmt.Errorf("%s: %w", behind[p], err)
		}
	}
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
