package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// An export is lines of JSON: a header, a row of a table each, and an end.
type exportLine struct {
	// Header is in the first line.
	Header *exportHeader `json:"holotype_store,omitempty"`
	// Table and Row are in every other.
	Table string         `json:"table,omitempty"`
	Row   map[string]any `json:"row,omitempty"`
	// Rows is in the last: how many there were.
	Rows *int64 `json:"rows,omitempty"`
}

type exportHeader struct {
	Format   int              `json:"format"`
	Position string           `json:"position"`
	Schemas  map[string]int64 `json:"schemas"` // the version of every owner's tables
}

const exportFormat = 1

// bytesKey is the one member of an object that stands for bytes.
const bytesKey = "base64"

// Export writes everything that is stored at one position as lines of JSON, which
// [DB.Import] reads on any engine. Calls are served meanwhile. The incarnation and what
// the ledger vouches for are of this database, and do not go with it.
//
// A failure of w wraps [ErrTarget].
func (db *DB) Export(ctx context.Context, w io.Writer) error {
	to := &target{w: w}
	out := bufio.NewWriterSize(to, 1<<16)
	err := Read(ctx, db, func(r *Reader) error {
		e := &exporter{r: r, lines: json.NewEncoder(out)}
		e.lines.SetEscapeHTML(false)
		// What ended because w failed is no failure of the store, whose class it may have.
		if err := e.everything(); to.failed == nil {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	_ = out.Flush() // its error is that of the target
	return targetFailed(to.failed)
}

// target is where an export goes to. It keeps the first error.
type target struct {
	w      io.Writer
	failed error
}

func (t *target) Write(p []byte) (n int, err error) {
	if t.failed == nil {
		n, t.failed = t.w.Write(p)
	}
	return n, t.failed
}

type exporter struct {
	r     *Reader
	lines *json.Encoder
	rows  int64
}

func (e *exporter) everything() error {
	var head []int64
	if err := e.r.own(&head, selectHead, stream); err != nil {
		return err
	}
	if len(head) != 1 {
		return errors.New("the log has no head")
	}
	versions, err := e.r.session.versions(e.r.ctx, e.r.db.schemas())
	if err != nil {
		return e.r.noted(err, "schema versions")
	}
	header := &exportHeader{Format: exportFormat, Position: e.r.db.position(head[0]).String(), Schemas: versions}
	if err := e.lines.Encode(exportLine{Header: header}); err != nil {
		return err
	}
	tables, err := e.r.exported()
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := e.table(t); err != nil {
			return fmt.Errorf("exporting %s: %w", t, err)
		}
	}
	return e.lines.Encode(exportLine{Rows: &e.rows})
}

// exported answers the tables whose rows are everything: not what brings tables forward,
// and not what the database says of its own life.
func (r *Reader) exported() ([]string, error) {
	var all []string
	if err := r.own(&all, r.db.o.Engine.Tables()); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, notExported), nil
}

func (e *exporter) table(table string) error {
	if err := plainName(table); err != nil {
		return err
	}
	query := `SELECT * FROM ` + table + ` ORDER BY 1`
	switch table {
	case "search_docs": // without the number that an engine gives out
		query = `SELECT kind, id, scope, title, body FROM search_docs ORDER BY doc`
	case "blobs":
		query += `, 2`
	}
	return e.r.each(query, func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row := make(map[string]any, len(columns))
		for i, c := range columns {
			if row[c], err = exportValue(values[i]); err != nil {
				return fmt.Errorf("the column %s: %w", c, err)
			}
		}
		e.rows++
		return e.lines.Encode(exportLine{Table: table, Row: row})
	})
}

// exportValue answers a value as JSON has it.
func exportValue(v any) (any, error) {
	switch v := v.(type) {
	case []byte:
		return map[string][]byte{bytesKey: v}, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("it holds %.20s, which is no text", strconv.Quote(v))
		}
		return v, nil
	case nil, int64, float64:
		return v, nil
	}
	return nil, fmt.Errorf("it holds a %T", v)
}

// plainName answers nil for a name that needs no quotes.
func plainName(name string) error {
	for i := range len(name) {
		if !nameStart(name[i]) && (i == 0 || !digit(name[i])) {
			return fmt.Errorf("the name %.64q is not plain", name)
		}
	}
	if name == "" {
		return errors.New("a name is missing")
	}
	return nil
}

// schemas answers the tables of every owner.
func (db *DB) schemas() []Schema {
	return append([]Schema{{Owner: "store"}, db.o.Engine.Schema()}, db.o.Schemas...)
}

// versions answers the version of the tables of every owner, but for the engine's, which
// are made from the others.
func (s *session) versions(ctx context.Context, schemas []Schema) (map[string]int64, error) {
	all := map[string]int64{}
	for _, schema := range schemas {
		if schema.Owner == s.engine.Schema().Owner {
			continue
		}
		var n int64
		if err := s.get(ctx, Keeping, &n, `SELECT coalesce(max(version_id), 0) FROM schema_`+schema.Owner); err != nil {
			return nil, fmt.Errorf("reading the version of the schema of %s: %w", schema.Owner, err)
		}
		all[schema.Owner] = n
	}
	return all, nil
}
