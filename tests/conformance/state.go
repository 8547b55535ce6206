package conformance

import (
	"bytes"
	"context"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// state is what the capabilities answer that read, by their names, or what the target
// says itself.
type state map[string][]byte

// state answers what everything is now, as far as it answers the same twice in a row.
func (r *run) state(ctx context.Context) (state, error) {
	now := state{}
	if r.State != nil {
		said, err := r.State(ctx)
		now["the state"] = said
		return now, err
	}
	return now, r.served(func(c *capabilities.Capability) error {
		if c.Writes() || !compares(c) {
			return nil
		}
		for _, s := range r.samples(c) {
			once, err := r.callMCP(ctx, r.Token, c.Name(), s.In, false)
			if err != nil {
				return err
			}
			twice, err := r.callMCP(ctx, r.Token, c.Name(), s.In, false)
			if err != nil {
				return err
			}
			if once.code == "" && bytes.Equal(once.structured, twice.structured) {
				now[c.Name()] = append(now[c.Name()], twice.structured...)
			}
		}
		return nil
	})
}

// differs answers the names of what has changed.
func (s state) differs(now state) (names []string) {
	for name, was := range s {
		if is, ok := now[name]; ok && !bytes.Equal(was, is) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readsChangeNothing calls everything that reads, and answers the state afterwards. What
// changed is laid at the door of the read after which it did.
func (r *run) readsChangeNothing(ctx context.Context, before state) (state, error) {
	if err := r.eachRead(ctx, func(*capabilities.Capability) error { r.judged(Effects, 1); return nil }); err != nil {
		return nil, err
	}
	after, err := r.state(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range before.differs(after) {
		blamed, err := r.blame(ctx, name)
		if err != nil {
			return nil, err
		}
		if !blamed {
			r.found(Effects, name, "it answers another thing after calls that read")
		}
	}
	return after, nil
}

// eachRead calls everything that reads, and f after each.
func (r *run) eachRead(ctx context.Context, f func(c *capabilities.Capability) error) error {
	return r.served(func(c *capabilities.Capability) error {
		if c.Writes() {
			return nil
		}
		for _, s := range r.samples(c) {
			if _, err := r.callMCP(ctx, r.Token, c.Name(), s.In, false); err != nil {
				return err
			}
		}
		return f(c)
	})
}

// blame finds the reads after which a capability, or the state, answers another thing.
func (r *run) blame(ctx context.Context, name string) (blamed bool, err error) {
	look := func() ([]byte, error) {
		if r.State != nil {
			return r.State(ctx)
		}
		c, _ := r.Registry.Find(name)
		var all []byte
		for _, s := range r.samples(c) {
			a, err := r.callMCP(ctx, r.Token, name, s.In, false)
			if err != nil {
				return nil, err
			}
			all = append(all, a.structured...)
		}
		return all, nil
	}
	was, err := look()
	if err != nil {
		return false, err
	}
	return blamed, r.eachRead(ctx, func(c *capabilities.Capability) error {
		is, err := look()
		if err == nil && !bytes.Equal(was, is) {
			blamed = true
			r.found(Effects, c.Name(), "it is declared to read, and %s answers another thing after it", name)
		}
		was = is
		return err
	})
}
