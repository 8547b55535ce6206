package signin

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// Options say what a [Client] works with.
type Options struct {
	// Sealed keeps what is signed in with; nil keeps it in memory.
	Sealed Sealed
	// Redirect answers the URL of this program that an authorization server sends a browser back to. The error is told to whoever begins a sign-in.
	Redirect func(ctx context.Context) (string, error)
	// Document answers the https URL at which this program serves [Client.Metadata]; "" where it has none that authorization servers reach. Nil is none.
	Document func() string
	// Changed is told that an account stands differently. It must not wait for an account. Nil tells nobody.
	Changed func(key Key)
	// Transport is what requests go through, in place of one that asks who is at the other end; for tests. Nil is the latter.
	Transport http.RoundTripper
	// Name and Version are of this program as people are shown it, Program is what its command is called.
	Name, Version, Program string
	// Now answers the time; nil is the clock of the system.
	Now func() time.Time
	// Log is nil for none.
	Log *slog.Logger
}

// Sealed keeps texts that are secret. The names are letters, digits and _, the values at most 60 KiB. It is safe for concurrent use, by several
// processes where it is a file.
type Sealed interface {
	// Load answers what is kept under a name; "" for nothing.
	Load(name string) (string, error)
	// Store keeps a value in place of the one before. It survives a crash once that returns nil. "" keeps nothing.
	Store(name, value string) error
	// Alone runs f while no other call of Alone runs for that name, in this process or another. f may take half a minute, and calls Load and
	// Store. It waits for its turn until ctx ends: the error is then that of ctx, else that of f.
	Alone(ctx context.Context, name string, f func() error) error
}
