package capabilities

import (
	"fmt"
	"slices"
)

// Change says what a call may do to what exists. The zero value is undeclared
// and does not assemble. Declare the strongest change that any argument or
// configuration can cause.
type Change uint8

// The closed set of changes, weakest first.
const (
	// ChangeUndeclared is the zero value; it does not assemble.
	ChangeUndeclared Change = iota
	// ChangeRead changes nothing; audit rows are not part of the environment.
	ChangeRead
	// ChangeAppend adds something; nothing that existed is changed.
	ChangeAppend
	// ChangeAmend changes something that exists.
	ChangeAmend
	// ChangeSet states a whole value; saying it twice is saying it once.
	ChangeSet
	// ChangeDestroy removes for good something that existed.
	ChangeDestroy
)

// Reach says where a change, or a look, lands. The zero value is undeclared and
// does not assemble. Declare the widest reach that any argument or configuration
// can cause.
type Reach uint8

// The closed set of reaches, narrowest first.
const (
	// ReachUndeclared is the zero value; it does not assemble.
	ReachUndeclared Reach = iota
	// Private is the caller's own state: a diary, own pins, own inbox marks.
	Private
	// Local is this server's own settings and state, not content that people
	// write to each other.
	Local
	// Shared is what other people read and write here.
	Shared
	// World is anything outside this server.
	World
)

// changes is the one table of what follows from a change.
var changes = [...]struct {
	word    string
	hints   Hints // OpenWorld comes from the reach
	methods []string
}{
	ChangeUndeclared: {word: "undeclared"},
	ChangeRead:       {"read", Hints{ReadOnly: Yes, Destructive: No, Idempotent: Yes}, []string{"GET", "POST"}},
	ChangeAppend:     {"append", Hints{ReadOnly: No, Destructive: No, Idempotent: No}, []string{"POST", "PUT"}},
	ChangeAmend:      {"amend", Hints{ReadOnly: No, Destructive: Yes, Idempotent: No}, []string{"PATCH", "PUT", "POST", "DELETE"}},
	ChangeSet:        {"set", Hints{ReadOnly: No, Destructive: Yes, Idempotent: Yes}, []string{"PUT", "POST"}},
	ChangeDestroy:    {"destroy", Hints{ReadOnly: No, Destructive: Yes, Idempotent: Yes}, []string{"DELETE", "POST"}},
}

// reaches is the one table of what follows from a reach.
var reaches = [...]struct {
	word      string
	openWorld Hint
}{
	ReachUndeclared: {"undeclared", Unknown},
	Private:         {"private", No},
	Local:           {"local", No},
	Shared:          {"shared", Yes},
	World:           {"world", Yes},
}

// Effect is what a call may change, and where. Build one with [Read], [Append],
// [Amend], [Set] or [Destroy]; the zero Effect is undeclared.
type Effect struct {
	change Change
	reach  Reach
}

// Read is the effect of a call that changes nothing and looks as far as reach.
func Read(reach Reach) Effect { return Effect{ChangeRead, reach} }

// Append is the effect of a call that only adds.
func Append(reach Reach) Effect { return Effect{ChangeAppend, reach} }

// Amend is the effect of a call that changes something that exists.
func Amend(reach Reach) Effect { return Effect{ChangeAmend, reach} }

// Set is the effect of a call that states a whole value.
func Set(reach Reach) Effect { return Effect{ChangeSet, reach} }

// Destroy is the effect of a call that removes for good something that existed.
func Destroy(reach Reach) Effect { return Effect{ChangeDestroy, reach} }

// Change answers the effect's change.
func (e Effect) Change() Change { return e.change }

// Reach answers the effect's reach.
func (e Effect) Reach() Reach { return e.reach }

// Declared reports whether both halves of the effect are members of their sets.
func (e Effect) Declared() bool {
	return e.change != ChangeUndeclared && int(e.change) < len(changes) &&
		e.reach != ReachUndeclared && int(e.reach) < len(reaches)
}

// Writes reports whether the effect may change anything.
func (e Effect) Writes() bool { return e.Declared() && e.change != ChangeRead }

// Hints derives the four hints from the effect: a pure function, in one table.
// An undeclared effect asserts nothing.
func (e Effect) Hints() Hints {
	if !e.Declared() {
		return Hints{}
	}
	h := changes[e.change].hints
	h.OpenWorld = reaches[e.reach].openWorld
	return h
}

// Methods answers the HTTP methods a route of this effect may have, the
// customary one first.
func (e Effect) Methods() []string {
	if !e.Declared() {
		return nil
	}
	return slices.Clone(changes[e.change].methods)
}

// String answers the effect as "change/reach", for messages.
func (e Effect) String() string { return e.change.String() + "/" + e.reach.String() }

// String answers the change's word as it stands on every surface.
func (c Change) String() string {
	if int(c) >= len(changes) {
		return fmt.Sprintf("change(%d)", uint8(c))
	}
	return changes[c].word
}

// String answers the reach's word as it stands on every surface.
func (r Reach) String() string {
	if int(r) >= len(reaches) {
		return fmt.Sprintf("reach(%d)", uint8(r))
	}
	return reaches[r].word
}

// Effects enumerates the closed set of declared effects, weakest change and
// narrowest reach first.
func Effects() []Effect {
	var all []Effect
	for c := ChangeRead; int(c) < len(changes); c++ {
		for r := Private; int(r) < len(reaches); r++ {
			all = append(all, Effect{c, r})
		}
	}
	return all
}

// ParseEffect reads the two words of an effect, as [Change.String] and
// [Reach.String] write them. ok is false for anything else.
func ParseEffect(change, reach string) (e Effect, ok bool) {
	for _, e := range Effects() {
		if e.change.String() == change && e.reach.String() == reach {
			return e, true
		}
	}
	return Effect{}, false
}
