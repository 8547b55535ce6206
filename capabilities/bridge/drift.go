package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A Drift is a tool whose hints moved towards danger since they were accepted.
type Drift struct {
	Tool     string // its own name
	Name     string // the exposed one
	Was, Now capabilities.Hints
	Changed  []string // the hints that moved, by their wire keys
	Since    time.Time
	Held     bool // its calls are refused until the hints are accepted
}

// on answers the hints with the override on top.
func (o Override) on(h capabilities.Hints) capabilities.Hints {
	put := func(hint, over *capabilities.Hint) {
		if over != nil {
			*hint = *over
		}
	}
	put(&h.ReadOnly, o.ReadOnly)
	put(&h.Destructive, o.Destructive)
	put(&h.Idempotent, o.Idempotent)
	put(&h.OpenWorld, o.OpenWorld)
	return h
}

// keeping answers now, but was for the hints that are overridden: what a server says
// beneath an override is not in force, so it is not accepted by the way either.
func (o Override) keeping(was, now capabilities.Hints) capabilities.Hints {
	put := func(hint *capabilities.Hint, before capabilities.Hint, over *capabilities.Hint) {
		if over != nil {
			*hint = before
		}
	}
	put(&now.ReadOnly, was.ReadOnly, o.ReadOnly)
	put(&now.Destructive, was.Destructive, o.Destructive)
	put(&now.Idempotent, was.Idempotent, o.Idempotent)
	put(&now.OpenWorld, was.OpenWorld, o.OpenWorld)
	return now
}

// maxAccepted bounds the tools that are remembered of one server. Over it, those that
// it does not list are forgotten.
const maxAccepted = 2 * maxTools

// An acceptance is what one server said of its tools when that was accepted.
type acceptance struct {
	said  map[string]capabilities.Hints
	given bool                 // said was given away and does not change any more
	since map[string]time.Time // when a tool that has drifted did
}

func newAcceptance(said map[string]capabilities.Hints) *acceptance {
	return &acceptance{said: said, since: map[string]time.Time{}}
}

// give answers what was said, for somebody who keeps it.
func (a *acceptance) give() map[string]capabilities.Hints {
	a.given = true
	return a.said
}

// own makes said one that may change.
func (a *acceptance) own() {
	if a.given {
		a.said, a.given = maps.Clone(a.said), false
	}
}

// A verdict is what a new word of a server on one tool comes to.
type verdict struct {
	was, now capabilities.Hints // with the overrides on top
	changed  []string           // see [capabilities.MoreDangerous]
	since    time.Time
	news     bool // it was not so at the last look
}

// judge compares what a server says of a tool with what was accepted. What is new or no
// more dangerous is accepted: dirty says that there is something to remember.
func (a *acceptance) judge(tool string, said capabilities.Hints, over Override, now time.Time) (v verdict, dirty bool) {
	was, known := a.said[tool]
	if !known {
		a.own()
		a.said[tool] = said
		return verdict{}, true
	}
	v = verdict{was: over.on(was), now: over.on(said)}
	v.changed = capabilities.MoreDangerous(v.was, v.now)
	v.since = a.since[tool]
	if len(v.changed) == 0 {
		delete(a.since, tool)
		v.news = v.was != v.now || !v.since.IsZero()
		next := over.keeping(was, said)
		if dirty = next != was; dirty {
			a.own()
			a.said[tool] = next
		}
		return v, dirty
	}
	if v.since.IsZero() {
		v.since, v.news = now, true
		a.since[tool] = now
	}
	return v, false
}

// prune forgets tools that are not listed when too many are remembered.
func (a *acceptance) prune(listed func(tool string) bool) {
	if len(a.said) <= maxAccepted {
		return
	}
	a.own()
	maps.DeleteFunc(a.said, func(tool string, _ capabilities.Hints) bool { return !listed(tool) })
}

// hintText writes hints for a log and a message.
func hintText(h capabilities.Hints) string {
	var all []string
	h.Each(func(key string, v capabilities.Hint) { all = append(all, key+" "+v.String()) })
	return strings.Join(all, ", ")
}

// Text says what changed of a tool's hints, for whoever has to accept it.
func (d *Drift) Text() string {
	var all []string
	values := func(h capabilities.Hints) map[string]capabilities.Hint {
		m := map[string]capabilities.Hint{}
		h.Each(func(key string, v capabilities.Hint) { m[key] = v })
		return m
	}
	was, now := values(d.Was), values(d.Now)
	for _, key := range d.Changed {
		all = append(all, fmt.Sprintf("%s was %s and is %s", key, was[key], now[key]))
	}
	return strings.Join(all, ", ")
}

// Accept takes the hints that tools of a server have now as the accepted ones, in all
// instances of it: the named tools, by their own names or their exposed ones, or with
// none all that drifted. It answers the own names of the tools that had drifted, printable
// and sorted. The error is [ErrUnknownServer], or [ErrUnknownTool] for a name that no
// instance lists, and then nothing is accepted; or it says what could not be remembered.
func (b *Bridge) Accept(server string, tools ...string) ([]string, error) {
	b.changing.Lock()
	defer b.changing.Unlock()
	var instances []*supervisor
	for _, s := range b.supervisors() {
		if s.key.Server == server {
			instances = append(instances, s)
		}
	}
	if len(instances) == 0 {
		return nil, fmt.Errorf("%w: %q", ErrUnknownServer, server)
	}
	for _, tool := range tools {
		if !slices.ContainsFunc(instances, func(s *supervisor) bool { return s.lists(tool) }) {
			return nil, fmt.Errorf("%w: %q of server %q", ErrUnknownTool, tool, server)
		}
	}
	accepted := map[string]bool{}
	for _, s := range instances {
		names, err := s.accept(tools)
		if err != nil {
			return nil, fmt.Errorf("accepting the hints of server %q: %w", s.key, err)
		}
		for _, n := range names {
			accepted[n] = true
		}
	}
	return slices.Sorted(maps.Keys(accepted)), nil
}
