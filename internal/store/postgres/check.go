package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// Tables answers the statement for the tables of the schema, the oldest first.
func (e *Engine) Tables() string {
	return `SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
		AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) ORDER BY oid`
}

// Check looks for indexes that the server does not use, and compares the words of every
// document with its text. The pages of the files are the server's to check, with
// pg_amcheck and data checksums.
func (e *Engine) Check(ctx context.Context, conn *sql.Conn) (faults []string, err error) {
	const invalid = `SELECT c.relname FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) ORDER BY 1`
	names, err := texts(ctx, conn, invalid)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		faults = append(faults, "the index "+name+" is not valid: REINDEX it")
	}
	for after := int64(0); ; {
		page, err := documents(ctx, conn, after)
		if err != nil || len(page) == 0 {
			return faults, err
		}
		after = page[len(page)-1].Doc
		data, err := json.Marshal(page)
		if err != nil {
			return nil, err
		}
		const differs = `SELECT d.kind || ' ' || d.id FROM search_docs d JOIN json_to_recordset(CAST($1 AS JSON)) AS x (doc BIGINT, words TEXT) ON x.doc = d.doc
			WHERE d.words IS DISTINCT FROM CAST(x.words AS TSVECTOR) ORDER BY d.doc`
		others, err := texts(ctx, conn, differs, string(data))
		if err != nil {
			return nil, err
		}
		for _, one := range others {
			faults = append(faults, "the search does not agree with the text of "+one)
		}
	}
}

// document is one of the search, with the words that it should be found by.
type document struct {
	Doc   int64  `json:"doc"`
	Words string `json:"words"`
}

// checkPage is how many documents are looked at together.
const checkPage = 100

// documents answers the next of the search behind one.
func documents(ctx context.Context, conn *sql.Conn, after int64) (page []document, err error) {
	rows, err := conn.QueryContext(ctx, `SELECT doc, title, body FROM search_docs WHERE doc > $1 ORDER BY doc LIMIT $2`, after, checkPage)
	if err != nil {
		return nil, fmt.Errorf("reading the documents of the search: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var d document
		var title, body string
		if err := rows.Scan(&d.Doc, &title, &body); err != nil {
			return nil, err
		}
		d.Words = vector(title, body)
		page = append(page, d)
	}
	return page, rows.Err()
}

// texts answers the rows of a statement with one column.
func texts(ctx context.Context, conn *sql.Conn, query string, args ...any) (all []string, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
