package tracker

import (
	"github.com/seed-89b9419b/holotype/capabilities"
)

// changes are the names of the fields that a call changes, in the order of the checks.
type changes []string

// set changes a field to what the caller asked for, if it asked and that is another
// value, and notes its name.
func set[T comparable](c *changes, name string, field, to *T) {
	if to == nil || *field == *to {
		return
	}
	*field = *to
	*c = append(*c, name)
}

// stale refuses a call that was made for a version which is not the newest.
func stale(what string, now, sent int64, read string) error {
	return capabilities.Refuse(capabilities.StaleVersion, "%s has version %d, not %d: read it again with %s, then decide", what, now, sent, read)
}

// optPerson answers the id of whom an argument names: nil where it is absent, "" where
// it is null.
func (d Deps) optPerson(pointer string, text capabilities.Opt[string]) (*string, error) {
	if text.IsZero() {
		return nil, nil // nothing was asked for
	}
	id := ""
	if name, ok := text.Get(); ok {
		var err error
		if id, err = d.person(pointer, name); err != nil {
			return nil, err
		}
	}
	return &id, nil
}

// flag answers the column of a truth value.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
