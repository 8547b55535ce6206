package capabilities

// The classifiers fail in opposite directions on purpose. Each is a pure
// function of the effect (builtin) or of the hints (bridged); none reads a name.

// WritesToSharedSurface reports whether a call may change what other people
// see. It exists to limit a delegated worker, so what nobody asserted is no: the
// worker's own allow list curates.
//
// Builtin: the effect writes and reaches Shared or World. Bridged: a destructive
// tool does; a read-only one does not; one that says it is not read-only does,
// unless it says its world is closed; everything else does not.
func WritesToSharedSurface(c *Capability) bool {
	if e, ok := c.Effect(); ok {
		return e.Writes() && (e.reach == Shared || e.reach == World)
	}
	return c.Hints().writesToSharedSurface()
}

func (h Hints) writesToSharedSurface() bool {
	switch {
	case h.Destructive == Yes:
		return true
	case h.ReadOnly == Yes:
		return false
	case h.ReadOnly == No:
		return h.OpenWorld != No
	}
	return false
}

// KnownToWrite reports whether somebody says that a call may add, change or remove
// something, wherever that is: the effect of a builtin, a hint of a bridged tool. It
// exists to tell a caller what to be careful with. What nobody said anything about is
// not among it and not proven to read either: see [ReadOnlyProven].
func KnownToWrite(c *Capability) bool {
	h := c.Hints()
	return h.Destructive == Yes || h.ReadOnly == No
}

// ReadOnlyProven reports whether a call is known to change nothing: read-only is
// asserted and nothing contradicts it. It decides whether a call may have
// delivered something, may be retried, may be reached by a read-only endpoint,
// so what nobody asserted is no.
func ReadOnlyProven(c *Capability) bool { return c.Hints().ReadOnlyProven() }

// ReadOnlyProven is the classifier on hints alone; see the function of that name.
func (h Hints) ReadOnlyProven() bool { return h.ReadOnly == Yes && h.Destructive != Yes }

// Contradictory reports whether the hints assert that a call changes nothing and
// that it destroys. Every classifier then takes the dangerous reading.
func (h Hints) Contradictory() bool { return h.ReadOnly == Yes && h.Destructive == Yes }

// MoreDangerous answers the wire keys of the hints that make now more dangerous to rely
// on than was. A caller relies on what is asserted to be safe: that a tool only reads,
// does not destroy, may be repeated, stays within its server. Each of these that is not
// asserted any more counts, whether its contrary is or nothing. So does destruction
// that is asserted of a tool which was proven to read alone. What was unknown before
// cannot get worse: nobody could rely on it.
func MoreDangerous(was, now Hints) []string {
	var keys []string
	for i, one := range [...]struct{ safe, was, now Hint }{
		{Yes, was.ReadOnly, now.ReadOnly},
		{No, was.Destructive, now.Destructive},
		{Yes, was.Idempotent, now.Idempotent},
		{No, was.OpenWorld, now.OpenWorld},
	} {
		left := one.was == one.safe && one.now != one.safe
		destroys := i == 1 && was.ReadOnlyProven() && now.Destructive == Yes
		if left || destroys {
			keys = append(keys, HintNames[i])
		}
	}
	return keys
}

// Word is the strongest thing the hints positively assert: "destroys", "writes",
// "reads" or "unknown".
func (h Hints) Word() string {
	switch {
	case h.Destructive == Yes:
		return "destroys"
	case h.ReadOnly == No:
		return "writes"
	case h.ReadOnly == Yes:
		return "reads"
	}
	return "unknown"
}

// Delivers answers the name of the place a call of c may deliver something to a
// person at, or "". A bridged capability that is not proven read-only delivers to
// its server; a builtin delivers where its declaration says; nothing else does.
func Delivers(c *Capability) string {
	if c.Bridged() {
		if ReadOnlyProven(c) {
			return ""
		}
		return c.Server()
	}
	return c.delivers
}

// Deliveries maps the name of every capability of the registry that delivers to
// the place it delivers to.
func (r *Registry) Deliveries() map[string]string {
	m := map[string]string{}
	for _, c := range r.all {
		if d := Delivers(c); d != "" {
			m[c.name] = d
		}
	}
	return m
}
