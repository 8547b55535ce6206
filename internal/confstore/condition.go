package confstore

import (
	"errors"
	"fmt"
)

// The reasons of a [*ConditionError].
var (
	// ErrExists says that there is an entry, and there must be none.
	ErrExists = errors.New("the entry exists already")
	// ErrNotFound says that there is no entry.
	ErrNotFound = errors.New("there is no such entry")
	// ErrMismatch says that the entry is not the one that the caller read.
	ErrMismatch = errors.New("the entry was changed meanwhile")
)

// ConditionError says why a change, or a read, does not fit what is there. errors.Is finds its Reason.
type ConditionError struct {
	// Name is the entry.
	Name string
	// Reason is [ErrExists], [ErrNotFound] or [ErrMismatch].
	Reason error
	// ETag is that of the entry as it is; empty when there is none.
	ETag string
}

// Error names the entry and the reason.
func (e *ConditionError) Error() string { return fmt.Sprintf("%q: %v", e.Name, e.Reason) }

// Unwrap answers the reason.
func (e *ConditionError) Unwrap() error { return e.Reason }

// BoundError says that a change would go over one of the bounds of this package, and which. Nothing was changed.
type BoundError struct{ text string }

// Error names the bound.
func (e *BoundError) Error() string { return e.text }

func bound(format string, args ...any) error { return &BoundError{fmt.Sprintf(format, args...)} }

// Condition says what must be so for a change to be made. The zero value asks for nothing.
type Condition struct {
	absent bool
	etag   string
}

// IfAbsent asks that there is no entry, as If-None-Match: * does (RFC 9110, section 13.1.2).
func IfAbsent() Condition { return Condition{absent: true} }

// IfMatch asks that the entry is the one with this [Entry.ETag], as If-Match does (RFC 9110, section 13.1.1); "*" asks for any entry.
func IfMatch(etag string) Condition { return Condition{etag: etag} }

// judge returns nil when the condition holds for the entry at a place, -1 for none.
func (c Condition) judge(s state, name string, place int) error {
	var current string
	if place >= 0 {
		current = s.Entries[place].etag()
	}
	switch {
	case c.absent && place >= 0:
		return &ConditionError{name, ErrExists, current}
	case c.etag != "" && place < 0:
		return &ConditionError{Name: name, Reason: ErrNotFound}
	case c.etag != "" && c.etag != "*" && c.etag != current:
		return &ConditionError{name, ErrMismatch, current}
	}
	return nil
}
