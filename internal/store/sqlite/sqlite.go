// Package sqlite is the engine of a store on SQLite. It needs cgo, and the build tag
// sqlite_fts5 for its search.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// Engine is SQLite on one file.
type Engine struct {
	path   string
	memory bool
	fts    bool
	// relaxed commits may be lost with the power, and with nothing else.
	relaxed bool
	// copied is one that was made to be looked at: nothing of it is worth a copy.
	copied bool
	keep   *sql.DB // holds a database in memory while nobody else does
	opened opened
}

//go:embed schema/*.sql schema/plain/*.sql
var files embed.FS

// New answers the engine of the database at path, a file that is made when it is
// opened; "" is a database in memory that ends with the engine.
func New(path string) (*Engine, error) {
	e := &Engine{path: path}
	if path == "" {
		e.memory = true
		e.path = fmt.Sprintf("/holotype-%d-%d", os.Getpid(), memories.Add(1))
	}
	fts, err := hasFTS()
	e.fts = fts
	return e, err
}

var memories atomic.Int64 // names databases in memory

func hasFTS() (bool, error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return false, err
	}
	var n int
	err = db.QueryRowContext(context.Background(), `SELECT count(*) FROM pragma_compile_options WHERE compile_options = 'ENABLE_FTS5'`).Scan(&n)
	return n > 0, errors.Join(err, db.Close())
}

// Name answers "sqlite".
func (e *Engine) Name() string { return "sqlite" }

// Path answers where the database is.
func (e *Engine) Path() string { return e.path }

// Open answers a pool. Writers commit durably before they answer; readers cannot
// write.
func (e *Engine) Open(ctx context.Context, use store.Use, size int) (*sql.DB, error) {
	if e.memory && e.keep == nil {
		keep, err := e.open(ctx, store.Writer, 1)
		if err != nil {
			return nil, err
		}
		e.keep = keep
	}
	return e.open(ctx, use, size)
}

func (e *Engine) open(ctx context.Context, use store.Use, size int) (*sql.DB, error) {
	db, err := e.pool(use)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// pool answers one without a connection.
func (e *Engine) pool(use store.Use) (*sql.DB, error) {
	if !e.memory {
		if err := e.opened.begin(e.path); err != nil {
			return nil, err
		}
	}
	return sql.OpenDB(&connector{engine: e, use: use}), nil
}

// Aside answers a pool of another file in the folder of the database. Its commits are
// not synchronous.
func (e *Engine) Aside(ctx context.Context, name string) (*sql.DB, error) {
	beside := &Engine{path: e.asidePath(name), memory: e.memory, fts: e.fts, relaxed: true}
	if e.memory {
		beside.path = e.path + "-" + name
	}
	size := 4
	if e.memory {
		size = 1 // a database in memory ends with its last connection
	}
	return beside.open(ctx, store.Writer, size)
}

func (e *Engine) asidePath(name string) string {
	return filepath.Join(filepath.Dir(e.path), name+".db")
}

// Files answers the database, its log and the databases beside it.
func (e *Engine) Files(aside ...string) []store.File {
	if e.memory {
		return nil
	}
	all := []store.File{{Holds: "database", Path: e.path}, {Holds: "log", Path: e.path + "-wal"}}
	for _, name := range aside {
		all = append(all, store.File{Holds: name, Path: e.asidePath(name)})
	}
	return all
}

// connector opens connections with their settings and their rights.
type connector struct {
	engine *Engine
	use    store.Use
}

func (c *connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// Close is called when the pool is closed.
func (c *connector) Close() error {
	if !c.engine.memory {
		c.engine.opened.end()
	}
	return nil
}

// conn is a connection with the rights of what is prepared on it.
type conn struct {
	*sqlite3.SQLiteConn
	engine *Engine
	rights atomic.Uint32
}

// Close ends the connection.
func (c *conn) Close() error {
	return c.engine.opened.disconnect(c.SQLiteConn.Close)
}

func (c *connector) Connect(context.Context) (driver.Conn, error) {
	if err := c.engine.Present(); err != nil {
		return nil, err
	}
	d := &sqlite3.SQLiteDriver{}
	opened, err := d.Open(c.dsn())
	if err != nil {
		return nil, err
	}
	own, ok := opened.(*sqlite3.SQLiteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver of SQLite answers a %T", opened), opened.Close())
	}
	cn := &conn{SQLiteConn: own, engine: c.engine}
	if err := c.settle(cn); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	cn.rights.Store(uint32(store.Keeping))
	own.RegisterAuthorizer(cn.authorize)
	c.engine.opened.connected(c.engine.path)
	return cn, nil
}

// busyMilliseconds is how long a statement waits for a foreign process.
const busyMilliseconds = 5000

func (c *connector) dsn() string {
	q := url.Values{"_busy_timeout": {fmt.Sprint(busyMilliseconds)}, "_txlock": {"deferred"}}
	if c.engine.memory {
		q.Set("vfs", "memdb")
	} else {
		q.Set("mode", "rw") // the file is made by create alone
	}
	return "file:" + (&url.URL{Path: c.engine.path}).EscapedPath() + "?" + q.Encode()
}

// setting is a pragma that has to hold.
type setting struct{ name, value, want string }

func (c *connector) settings() []setting {
	all := []setting{
		{"foreign_keys", "ON", "1"},
		{"trusted_schema", "OFF", "0"},
		{"recursive_triggers", "ON", "1"},
		{"temp_store", "MEMORY", "2"},
		{"cache_size", c.cache(), c.cache()},
		{"cell_size_check", "ON", "1"},
	}
	if c.engine.memory {
		all = append(all, setting{"synchronous", "OFF", "0"})
	} else {
		sync := setting{"synchronous", "FULL", "2"}
		if c.engine.relaxed {
			sync = setting{"synchronous", "NORMAL", "1"}
		}
		all = append(all, setting{"journal_mode", "WAL", "wal"}, sync,
			setting{"wal_autocheckpoint", "1000", "1000"}, setting{"journal_size_limit", "67108864", "67108864"})
	}
	if c.use == store.Readers {
		all = append(all, setting{"query_only", "ON", "1"})
	}
	return all
}

// cache answers how many KiB of pages a connection may keep, as a negative number. The
// writer comes by the same few pages of every index again and again, and one that is not
// there is looked for in the log.
func (c *connector) cache() string {
	if c.use == store.Writer && !c.engine.relaxed {
		return "-8000"
	}
	return "-2000"
}

// settle sets what durability and isolation stand on, and refuses a connection on
// which it does not hold.
func (c *connector) settle(cn *conn) error {
	for _, s := range c.settings() {
		if _, err := cn.SQLiteConn.Exec("PRAGMA "+s.name+" = "+s.value, nil); err != nil {
			return err
		}
		rows, err := cn.SQLiteConn.Query("PRAGMA "+s.name, nil)
		if err != nil {
			return err
		}
		got := make([]driver.Value, 1)
		if err := errors.Join(rows.Next(got), rows.Close()); err != nil {
			return fmt.Errorf("reading the setting %s: %w", s.name, err)
		}
		if is := fmt.Sprint(got[0]); is != s.want {
			return fmt.Errorf("the setting %s of SQLite is %s and has to be %s", s.name, is, s.want)
		}
	}
	return nil
}

// Begin answers the statement that takes the one write lock.
func (e *Engine) Begin() string { return "BEGIN IMMEDIATE" }

// Snapshot answers the statement that begins a read of one state.
func (e *Engine) Snapshot() string { return "BEGIN" }

// Early answers false: a commit is on the disk before anybody sees it.
func (e *Engine) Early() bool { return false }

// Local answers true.
func (e *Engine) Local() bool { return true }

// Rebind answers the statement as it is: SQLite knows ? itself.
func (e *Engine) Rebind(query string) string { return query }

// Clock answers the expression of the time now.
func (e *Engine) Clock() string { return "CAST(unixepoch('subsec') * 1000 AS INTEGER)" }

// Tokens are the words of schema files.
func (e *Engine) Tokens() map[string]string {
	return map[string]string{"strict": "STRICT", "blob": "BLOB", "integer": "INTEGER", "serial": "INTEGER PRIMARY KEY"}
}

// Schema answers the tables of the search.
func (e *Engine) Schema() store.Schema {
	owner, dir := "search", "schema"
	if !e.fts {
		owner, dir = "search_plain", "schema/plain"
	}
	sub, err := fs.Sub(files, dir)
	if err != nil {
		sub = files // fails where it is read, with the name
	}
	return store.Schema{Owner: owner, Files: sub}
}

// InTransaction reports whether the transaction of the connection stands.
func (e *Engine) InTransaction(c *sql.Conn) (in bool) {
	_ = c.Raw(func(dc any) error { // an error means that there is no connection, and none in a transaction
		if own, ok := dc.(*conn); ok {
			in = !own.AutoCommit()
		}
		return nil
	})
	return in
}

// Alone runs fn: one process at a time holds the folder of a database.
func (e *Engine) Alone(_ context.Context, _ *sql.DB, fn func() error) error { return fn() }

// Backup writes a consistent copy of the database as it is now into a new file.
func (e *Engine) Backup(ctx context.Context, path string) (err error) {
	db, err := e.pool(store.Writer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", abs)
	return err
}

// Close ends a database in memory.
func (e *Engine) Close() error {
	if e.keep != nil {
		return e.keep.Close()
	}
	return nil
}
