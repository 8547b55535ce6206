package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Tables answers the statement that lists the tables. Those of the index of the search
// are made from search_docs.
func (e *Engine) Tables() string {
	return `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'search_fts%' ORDER BY rowid`
}

// Check reads every page of the database, compares its indexes and that of the search
// with the rows they are of, and looks for rows whose parent is missing. What it found
// before an error is answered with it.
func (e *Engine) Check(ctx context.Context, conn *sql.Conn) (faults []string, err error) {
	found, err := texts(ctx, conn, `SELECT * FROM pragma_integrity_check`)
	for _, f := range found {
		if f != "ok" {
			faults = append(faults, "the file is damaged: "+f)
		}
	}
	if err != nil {
		return faults, err
	}
	orphans, err := texts(ctx, conn, `SELECT DISTINCT "table" FROM pragma_foreign_key_check`)
	if err != nil {
		return faults, err
	}
	for _, table := range orphans {
		faults = append(faults, "rows of "+table+" name others that do not exist")
	}
	if !e.fts {
		return faults, nil
	}
	// https://www.sqlite.org/fts5.html, 6.4: with the rank 1 it compares with the content.
	if _, err := conn.ExecContext(ctx, `INSERT INTO search_fts (search_fts, rank) VALUES ('integrity-check', 1)`); err != nil {
		if !strings.Contains(err.Error(), "malformed") {
			return faults, fmt.Errorf("checking the index of the search: %w", err)
		}
		faults = append(faults, "the index of the search does not agree with the documents: "+err.Error())
	}
	return faults, nil
}

// texts answers the rows of a statement with one column, also those before an error.
func texts(ctx context.Context, conn *sql.Conn, query string) (all []string, err error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return all, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
