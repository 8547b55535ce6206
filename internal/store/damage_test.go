package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"testing"
)

// sqlOf runs statements on a database that nobody has open.
func sqlOf(t *testing.T, path string, queries ...string) {
	t.Helper()
	pool, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		if _, err := pool.ExecContext(t.Context(), q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
}

// spoilTable overwrites the first page of a table.
func spoilTable(t *testing.T, path, table string) {
	t.Helper()
	pool, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	var page int64
	if err := pool.QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_master WHERE name = ?`, table).Scan(&page); err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, 64), (page-1)*4096)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// spoil overwrites the pages of a table and its index within a database.
func spoil(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for at := 4 * page; at+page <= len(data); at += page {
		copy(data[at:], bytes.Repeat([]byte{0xa5}, 64))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
