package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// ErrNotEmpty says that something is stored already.
var ErrNotEmpty = errors.New("something is stored here already, and an import is into a new store")

// Import reads what [DB.Export] wrote into a store that is empty, all of it or nothing.
// The store keeps its own incarnation, so that positions of the other are foreign to it,
// and its ledger vouches for what comes after. Nothing is written by calls meanwhile.
func (db *DB) Import(ctx context.Context, from io.Reader) (err error) {
	pool, _, err := db.pools()
	if err != nil {
		return db.refused(ctx, err)
	}
	s, err := newSession(ctx, pool, db.o.Engine)
	if err != nil {
		return db.refused(ctx, err)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.keep(ctx, db.o.Engine.Begin()); err != nil {
		return db.refused(ctx, err)
	}
	i := &importer{db: db, ctx: ctx, session: s, lines: json.NewDecoder(from)}
	i.lines.UseNumber()
	if err := i.everything(); err != nil {
		return db.refused(ctx, errors.Join(fmt.Errorf("importing row %d: %w", i.rows+1, err), s.rollback(ctx)))
	}
	if err := s.keep(ctx, "COMMIT"); err != nil {
		return db.refused(ctx, errors.Join(err, s.rollback(ctx)))
	}
	db.advanced(i.head)
	return nil
}

type importer struct {
	db      *DB
	ctx     context.Context //nolint:containedctx // that of the one import
	session *session
	lines   *json.Decoder
	tables  []string
	rows    int64
	head    int64
}

func (i *importer) everything() error {
	if err := i.begin(); err != nil {
		return err
	}
	for {
		var line exportLine
		if err := i.lines.Decode(&line); err != nil {
			return fmt.Errorf("reading a line: %w", err)
		}
		if line.Rows != nil {
			return i.end(*line.Rows)
		}
		if !slices.Contains(i.tables, line.Table) {
			return fmt.Errorf("it is of a table %.64q, which is none here", line.Table)
		}
		if err := i.insert(line.Table, line.Row); err != nil {
			return fmt.Errorf("into %s: %w", line.Table, err)
		}
		i.rows++
	}
}

// begin judges the header, and that nothing is stored.
func (i *importer) begin() error {
	var line exportLine
	if err := i.lines.Decode(&line); err != nil || line.Header == nil || line.Header.Format != exportFormat {
		return errors.Join(errors.New("the first line is not that of an export of this version"), err)
	}
	if err := i.session.get(i.ctx, Keeping, &i.head, takeHead, stream); err != nil {
		return err
	}
	if i.head != 0 {
		return ErrNotEmpty
	}
	here, err := i.session.versions(i.ctx, i.db.schemas())
	if err != nil {
		return err
	}
	if !maps.Equal(here, line.Header.Schemas) {
		return fmt.Errorf("the export has the schemas %v and this program %v: export and import with the same version", line.Header.Schemas, here)
	}
	if err := i.session.list(i.ctx, Keeping, &i.tables, i.db.o.Engine.Tables()); err != nil {
		return err
	}
	i.tables = slices.DeleteFunc(i.tables, notExported)
	for _, t := range i.tables {
		if err := plainName(t); err != nil {
			return err
		}
		var n int
		if err := i.session.get(i.ctx, Keeping, &n, `SELECT count(*) FROM `+t); err != nil {
			return err
		}
		if n > 0 && t != "log_head" {
			return fmt.Errorf("%s has %d rows: %w", t, n, ErrNotEmpty)
		}
	}
	return i.session.keep(i.ctx, `DELETE FROM log_head`)
}

// notExported reports whether a table is of this database alone: what it says of its own
// life, and what brings tables forward.
func notExported(table string) bool {
	return table == "store_meta" || strings.HasPrefix(table, "schema_")
}

func (i *importer) insert(table string, row map[string]any) error {
	if table == "search_docs" { // its index is an engine's own
		var d Doc
		for c, into := range map[string]*string{"kind": &d.Kind, "id": &d.ID, "scope": &d.Scope, "title": &d.Title, "body": &d.Body} {
			var ok bool
			if *into, ok = row[c].(string); !ok {
				return fmt.Errorf("the column %s is no text", c)
			}
		}
		query, args := i.session.engine.Index(d)
		return i.session.keep(i.ctx, query, args...)
	}
	columns := slices.Sorted(maps.Keys(row))
	args := make([]any, len(columns))
	for n, c := range columns {
		if err := plainName(c); err != nil {
			return err
		}
		var err error
		if args[n], err = importValue(row[c]); err != nil {
			return fmt.Errorf("the column %s: %w", c, err)
		}
	}
	if len(columns) == 0 {
		return errors.New("it has no column")
	}
	query := `INSERT INTO ` + table + ` (` + strings.Join(columns, ", ") + `) VALUES (?` + strings.Repeat(", ?", len(columns)-1) + `)`
	return i.session.keep(i.ctx, query, args...)
}

// importValue answers a value as a database takes it.
func importValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, string:
		return v, nil
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	case map[string]any:
		if text, ok := v[bytesKey].(string); ok && len(v) == 1 {
			return base64.StdEncoding.DecodeString(text)
		}
	}
	return nil, fmt.Errorf("%v is no value", v)
}

// end judges that everything came, and lets the store know of it.
func (i *importer) end(rows int64) error {
	if rows != i.rows {
		return fmt.Errorf("the export says that it has %d rows, and %d came", rows, i.rows)
	}
	if err := i.lines.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("something comes after the line that is the end of the export"), err)
	}
	err := i.session.get(i.ctx, Keeping, &i.head, selectHead, stream)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("the export has no row of log_head for the stream %q, which every store has: it is not whole", stream)
	}
	if err != nil {
		return err
	}
	return i.session.raise(i.ctx, i.db.now())
}
