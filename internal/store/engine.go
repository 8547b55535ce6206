package store

import (
	"context"
	"database/sql"
	"time"
)

// Rights say what the statements of a session may do. The zero value is no right at
// all.
type Rights uint8

// The closed set of rights, each with those before it.
const (
	// Reading statements look at rows.
	Reading Rights = iota + 1
	// Appending statements insert rows into the tables of packs, too.
	Appending
	// Changing statements update and delete them, too.
	Changing
	// Keeping is for the store's own statements, which packs never write.
	Keeping
)

// String answers the word, as the engines use it.
func (r Rights) String() string {
	switch r {
	case Reading:
		return "reading"
	case Appending:
		return "appending"
	case Changing:
		return "changing"
	case Keeping:
		return "keeping"
	}
	return "none"
}

// Failure classes what an engine answered in place of a result.
type Failure uint8

// The closed set of failures.
const (
	// Other failures are faults of a statement or of this program.
	Other Failure = iota
	// Unique: a row with that key is there already.
	Unique
	// Denied: the statement asked for more than its rights.
	Denied
	// Busy: somebody else holds what the statement needs; waiting clears it.
	Busy
	// Full: no room is left.
	Full
	// ReadOnly: the medium or the server takes no writes.
	ReadOnly
	// Corrupt: what is stored cannot be read.
	Corrupt
	// Lost: the connection or the medium failed; what was under way may or may not
	// have become durable.
	Lost
	// Gone: what is open is not the database any more, because its file was removed or
	// replaced.
	Gone
)

// Passing reports whether the failure is one of the medium or the server, not of a
// statement.
func (f Failure) Passing() bool { return f >= Busy }

// Use is what a pool of connections is for.
type Use uint8

// The closed set of uses.
const (
	// Writer is the one connection that writes.
	Writer Use = iota + 1
	// Readers are the connections that reads are spread over; they cannot write.
	Readers
)

// File is a file that an engine keeps, and what it holds: "database", "log" of what is not in
// the database yet, or the name of a database beside it.
type File struct{ Holds, Path string }

// Engine is what differs between two databases. Its methods may be called by many
// goroutines.
type Engine interface {
	// Name answers the word of the engine: "sqlite" or "postgres".
	Name() string
	// Open answers a pool for the use, at most size connections. Every connection has
	// the settings that durability and isolation stand on; one on which they do not
	// hold is refused.
	Open(ctx context.Context, use Use, size int) (*sql.DB, error)
	// Aside answers a pool of the database of that name beside the store's: what it
	// commits may be lost with the power, and nothing waits for it.
	Aside(ctx context.Context, name string) (*sql.DB, error)
	// Files answers the files of the database, and of those of these names beside it; none
	// where it is no file of this machine. Each may be absent.
	Files(aside ...string) []File
	// Grant limits the statements that are prepared, and those that run, on the
	// connection from now on.
	Grant(ctx context.Context, conn *sql.Conn, r Rights) error
	// Begin and Snapshot are the statements that begin a transaction: one that
	// writes, and one that reads a single state.
	Begin() string
	Snapshot() string
	// Classify answers the class of an error of this engine.
	Classify(err error) Failure
	// InTransaction reports whether the connection still has the transaction that
	// was begun on it: some failures end one.
	InTransaction(conn *sql.Conn) bool
	// Early reports whether what others committed may be seen before it is durable. Then
	// it is when a commit after it is.
	Early() bool
	// Local reports whether the engine runs in this process, so that a statement that
	// looks at one table, once, ends soon by itself: there is no network to lose.
	Local() bool
	// Rebind writes a statement with ? placeholders as the engine takes it.
	Rebind(query string) string
	// Tokens are what the {{words}} of schema files stand for.
	Tokens() map[string]string
	// Schema answers the tables that the store has on this engine alone.
	Schema() Schema
	// Clock answers the expression of the database's own time, in milliseconds since 1970.
	Clock() string
	// Alone runs fn while no other server brings the tables of the database of the pool
	// forward.
	Alone(ctx context.Context, pool *sql.DB, fn func() error) error
	// Index answers the statement that puts a document into the search, or replaces it
	// there, and its arguments.
	Index(d Doc) (query string, args []any)
	// Match answers the statement of a search for documents that hold every word, and
	// its arguments. Its rows have the columns kind, id, scope and title, best first.
	Match(words []string, q Query) (query string, args []any)
	// Degraded says in a sentence what a search lacks here; "" is nothing.
	Degraded() string
	// Tables answers the statement whose rows are the names of the tables, in the order in
	// which they were made, without those of the engine itself.
	Tables() string
	// Check looks for damage, on a connection that may write, and says in a sentence each
	// what it found, also before an error.
	Check(ctx context.Context, conn *sql.Conn) (faults []string, err error)
	// Backup writes a copy of the database as it is now into the new file at path. A
	// failure of the class [Full], [ReadOnly] or [Lost] is one of that file.
	Backup(ctx context.Context, path string) error
	// Preserve writes a copy of the database, which is about to change its schema, beside it, for whoever
	// wants to go back, and answers its path. The name has the label and the time in it; of
	// each label the newest is kept, and of few labels. "" is none, where its operator
	// has to make one.
	Preserve(ctx context.Context, label string, now time.Time) (path string, err error)
	// Present answers nil where what is open still is the database; another answer is
	// [Gone]. It is asked around every write, so it asks no server.
	Present() error
	// Folder answers the directory that is the database's own; "" is none.
	Folder() string
	// Close lets go of what the engine holds beside its pools.
	Close() error
}
