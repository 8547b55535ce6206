package bridge

import "slices"

// A Key names one instance of a server: of a server that everybody shares Seat is "",
// else it is the seat whose own child the instance is.
type Key struct{ Seat, Server string }

// String is the server's name, and the seat behind an "@" where there is one.
func (k Key) String() string {
	if k.Seat == "" {
		return k.Server
	}
	return k.Server + "@" + k.Seat
}

// Changes are what [Bridge.Apply] did, every instance in one of the five. They are in
// the order of the configuration; what was removed is in that of the one before.
type Changes struct {
	Added   []Key
	Removed []Key
	// Changed are those whose configuration differs. One that is started or reached
	// another way than before is stopped and started; the rest run on.
	Changed   []Key
	Unchanged []Key // left alone
	// Retried are as they were, and down: they are started again at once.
	Retried []Key
}

// None reports whether nothing differs. What is down is tried again all the same.
func (c Changes) None() bool {
	return len(c.Added)+len(c.Removed)+len(c.Changed) == 0
}

func keyTexts(keys []Key) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = k.String()
	}
	return slices.Clip(all)
}
