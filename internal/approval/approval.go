// Package approval makes calls wait for a person. A call that a rule of the gate asks an
// approval for is not run: a request is kept, bound to who calls, to the capability and
// its arguments and to the operation key, and a person who is not the caller decides on
// it. An approval is good for one call, and for a stated time.
//
// Nothing of it goes by the surface: the interceptor stands in the chain of every call,
// and the decision is a capability like any other.
package approval

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/broadcast"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	// MaxArguments is the most bytes of arguments that a person is asked to read.
	MaxArguments = 64 << 10
	// MostPending is how many calls of one principal may wait for a decision, and how many
	// of those that are sent at once are held meanwhile.
	MostPending = 100

	// owner names the tables, and idPrefix begins the ids.
	owner    = "approval"
	idPrefix = "apr"
	// keep is how long a request is kept after its time is over, and mostKept how many of
	// one principal are before those that ended go early; sweepMost go at once.
	keep      = 30 * 24 * time.Hour
	mostKept  = 1000
	sweepMost = 100
	// tick is how often somebody who waits is told so, and a store that other processes
	// write to is looked at.
	tick = time.Second
)

//go:embed schema/*.sql
var files embed.FS

// Schema answers the tables of the package.
func Schema() store.Schema {
	// The folder is embedded above: Sub fails on a malformed name alone.
	sub, _ := fs.Sub(files, "schema")
	return store.Schema{Owner: owner, Files: sub, Check: check}
}

// Options configure a [Desk]. All but Mask, Shared, Still, Find, Holder and Page are needed.
type Options struct {
	// Store keeps the requests. It was opened with [Schema].
	Store *store.DB
	// Rules say which calls need an approval, and whether one that was held may still be
	// made.
	Rules Rules
	// Still answers the refusal of a caller whose credential has ended while a call of theirs
	// was held; nil knows of none.
	Still func(ctx context.Context, p *capabilities.Principal) error
	// Find answers a capability as it is served now, as [capabilities.Viewer] does: a server
	// may say something else of its tool while a call of it is held. Nil knows of no change.
	Find func(p *capabilities.Principal, name string) (*capabilities.Capability, *capabilities.Rule, bool)
	// Holder answers the id of the person who holds a seat, "" where nobody does; nil knows
	// of none.
	Holder func(seat string) string
	Log    *slog.Logger
	// Now is the clock of the store.
	Now func() time.Time
	// Program is what a sentence calls the program's own command.
	Program string
	// Mask takes known secrets out of arguments before they are kept; nil knows none.
	Mask func(arguments json.RawMessage) json.RawMessage
	// Page answers the address of the page on which a person decides on a request of a
	// principal, "" where it is not known or nobody who can sign in there may decide; nil knows
	// none.
	Page func(p *capabilities.Principal, id string) string
	// Shared says that other processes decide in the same store.
	Shared bool
}

// Desk keeps the requests for approvals. It is safe for concurrent use.
type Desk struct {
	o        Options
	changed  broadcast.Broadcast // of a request, by this process
	resting  chan struct{}       // closed when no call is to be held
	restOnce sync.Once

	mu   sync.Mutex
	held map[string]int // calls that are held, by the key of who calls
}

// Rules are those of the gate.
type Rules interface {
	capabilities.Gate
	capabilities.Approvals
}

// New answers the desk of a store.
func New(o Options) *Desk {
	return &Desk{o: o, resting: make(chan struct{}), held: map[string]int{}}
}

// Rest answers the calls that are held, now and from now on: a server that stops lets its
// requests finish, and one that waits for a person would not.
func (d *Desk) Rest() { d.restOnce.Do(func() { close(d.resting) }) }

// holds reports whether a principal is the person who holds the seat that another one is:
// what is called from there is that person's own.
func (d *Desk) holds(p *capabilities.Principal, key string) bool {
	seat, seated := strings.CutPrefix(key, string(capabilities.Seat)+":")
	return seated && d.o.Holder != nil && p.Kind == capabilities.Person && d.o.Holder(seat) == p.ID
}

func (d *Desk) masked(arguments json.RawMessage) json.RawMessage {
	if d.o.Mask == nil {
		return arguments
	}
	return d.o.Mask(arguments)
}

// Woken has the calls that are held look again. Whoever calls [Desk.Decide] calls it once
// the write has ended, however it did.
func (d *Desk) Woken() { d.changed.Wake() }
