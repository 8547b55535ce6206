// Package grant keeps what callers ask to be let do beyond their scopes and their rules,
// what was decided about it, and the grants that came of it. A grant is of one capability
// for one principal, and ends: at a time, with a work item, or when it is revoked.
package grant

import (
	"embed"
	"io/fs"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

//go:embed schema/*.sql
var files embed.FS

// Schema answers the tables of the package.
func Schema() store.Schema {
	// The folder is embedded above: Sub fails on a malformed name alone.
	sub, _ := fs.Sub(files, "schema")
	return store.Schema{Owner: "grant", Files: sub, Check: check}
}

// Holder is whom a grant is for: whoever acts as that principal, with whichever credential.
type Holder struct {
	Kind capabilities.PrincipalKind
	ID   string
}

// HolderOf answers the holder that a principal is.
func HolderOf(p *capabilities.Principal) Holder { return Holder{p.Kind, p.ID} }

// Principal answers the holder as a principal without any scope, in its seat.
func (h Holder) Principal() *capabilities.Principal {
	p := &capabilities.Principal{ID: h.ID, Kind: h.Kind}
	if h.Kind == capabilities.Seat {
		p.Seat = h.ID
	}
	return p
}

// Key identifies the holder as [capabilities.Principal.Key] does.
func (h Holder) Key() string { return h.Principal().Key() }

// WorkItem is what a grant is bound to; the zero value is nothing.
type WorkItem struct {
	ID string
	// Key is the one that it had when the grant was asked for.
	Key string
}

// Status is what became of a request.
type Status string

// The closed set of what becomes of a request.
const (
	Pending Status = "pending"
	Granted Status = "granted"
	Denied  Status = "denied"
)

// SchemaEnum lists the members.
func (Status) SchemaEnum() []string {
	return []string{string(Pending), string(Granted), string(Denied)}
}

// Request is what somebody asked for.
type Request struct {
	ID     string
	Holder Holder
	// Credential is the token that was asked with; "" for none.
	Credential string
	// Capability is the name of what was asked for, never an old one.
	Capability string
	Why        string
	// Hours is for how long at most; 0 is as long as the work item is open.
	Hours   int
	Item    WorkItem
	AskedAt time.Time
	Status  Status
	// DecidedAt, DecidedBy and Reason are zero while it is pending. DecidedBy is the author
	// of the decision, as of [store.Author].
	DecidedAt         time.Time
	DecidedBy, Reason string
	// Grant is the id of the grant that came of it; "" for none.
	Grant string
}

// Grant lets its holder call a capability.
type Grant struct {
	ID      string
	Request string // the id of the request that it came of
	Holder  Holder
	// Capability is the name of what is granted. Its old names are granted with it.
	Capability string
	Item       WorkItem
	GivenAt    time.Time
	GivenBy    string
	// ExpiresAt is zero for a grant that ends with its work item alone.
	ExpiresAt time.Time
	// EndedAt, Ended and EndedBy are zero for a grant that was not ended. EndedBy is whoever
	// revoked it.
	EndedAt time.Time
	Ended   Cause
	EndedBy string
}

// Cause is what ended a grant before its time.
type Cause string

// The closed set of causes.
const (
	Revoked       Cause = "revoked"
	WorkItemEnded Cause = "work_item_ended"
)

// State is what a grant is good for.
type State string

// The closed set of states.
const (
	Active     State = "active"
	Expired    State = "expired"
	WasRevoked State = "revoked"
	// Withdrawn is a grant whose work item came to its end.
	Withdrawn State = "withdrawn"
	// Void is a grant of a principal that is not there any more.
	Void State = "void"
)

// SchemaEnum lists the members.
func (State) SchemaEnum() []string {
	return []string{string(Active), string(Expired), string(WasRevoked), string(Withdrawn), string(Void)}
}

// Grantable reports whether a capability can be granted at all. What changes how the
// server is run cannot: a grant of that would be a way to more grants.
func Grantable(c *capabilities.Capability) bool {
	return c.Scope() != capabilities.ScopeAdmin || !c.Writes()
}
