package identity

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// entry is what is remembered of a token.
type entry struct {
	token Token
	read  time.Time
	again atomic.Bool // somebody reads it again just now
	built atomic.Pointer[bearer]
}

// bearer is whom a token stands for under one configuration: a principal, or the
// refusal of a token that is bound to what is not in it.
type bearer struct {
	under   *config.Config
	who     *capabilities.Principal
	refusal *capabilities.Error
}

// EndedError is the cause of the refusal of a token that was good once, for whoever notes
// which one it was.
type EndedError struct{ ID string }

// Error says which token it was.
func (e *EndedError) Error() string { return "the token " + e.ID + " is good no more" }

// holds reports whether what was read holds now. When it has grown old, whoever asks
// first is to read it again, and for as long once more the others do not wait for that.
// A clock that was set back makes nothing hold.
func (e *entry) holds(now time.Time, fresh time.Duration) bool {
	age := now.Sub(e.read)
	if age < 0 || age >= 2*fresh {
		return false
	}
	return age < fresh || !e.again.CompareAndSwap(false, true)
}

// principal answers whom the token stands for.
func (e *entry) principal(now time.Time, c *config.Config) (*capabilities.Principal, error) {
	t := &e.token
	switch {
	case !t.RevokedAt.IsZero():
		return nil, capabilities.Refuse(capabilities.Unauthenticated, "the token %s was revoked at %s: ask the owner of this server for another", t.ID, stamp(t.RevokedAt)).Because(&EndedError{t.ID})
	case t.expiredAt(now):
		return nil, capabilities.Refuse(capabilities.Unauthenticated, "the token %s expired at %s: ask the owner of this server for another", t.ID, stamp(t.ExpiresAt)).Because(&EndedError{t.ID})
	}
	b := e.built.Load()
	if b == nil || b.under != c {
		b = t.bearer(c)
		e.built.Store(b)
	}
	if b.refusal != nil {
		return nil, b.refusal
	}
	return b.who, nil
}

// bearer answers whom the token stands for under a configuration.
func (t *Token) bearer(c *config.Config) *bearer {
	p := &capabilities.Principal{ID: t.ID, Kind: capabilities.Operator, Scopes: t.Scopes, Credential: t.ID}
	switch {
	case t.Seat != "":
		seat := seatOf(c, t.Seat)
		if seat == nil {
			return &bearer{under: c, refusal: t.unbound("seat", t.Seat)}
		}
		p.ID, p.Kind, p.Seat, p.Within = t.Seat, capabilities.Seat, t.Seat, seat.Granted()
	case t.Person != "":
		if !isPerson(c, t.Person) {
			return &bearer{under: c, refusal: t.unbound("person", t.Person)}
		}
		p.ID, p.Kind = t.Person, capabilities.Person
	}
	return &bearer{under: c, who: p}
}

func (t *Token) unbound(what, id string) *capabilities.Error {
	return capabilities.Refuse(capabilities.Unauthenticated,
		"the token %s is bound to the %s %q, which is not configured here any more: ask the owner of this server to configure it again, or for another token", t.ID, what, id).Because(&EndedError{t.ID})
}

func seatOf(c *config.Config, id string) *config.Seat {
	if i := slices.IndexFunc(c.Seats, func(s config.Seat) bool { return s.ID == id }); i >= 0 {
		return &c.Seats[i]
	}
	return nil
}

func isPerson(c *config.Config, id string) bool {
	return slices.ContainsFunc(c.People, func(p config.Person) bool { return p.ID == id })
}
