package ratelimit

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Calls bounds the calls of every principal, as the configuration in force says. It is
// safe for concurrent use.
type Calls struct {
	now           func() time.Time
	limits        atomic.Pointer[limits]
	calls, writes *Buckets[caller]
}

// mostCallers is how many principals have a bucket of their own at once.
const mostCallers = 16384

// NewCalls answers bounds on calls by a clock; there are none before [Calls.Put].
func NewCalls(now func() time.Time) *Calls {
	return &Calls{now: now, calls: NewBuckets[caller](mostCallers), writes: NewBuckets[caller](mostCallers)}
}

// caller is whose bucket one is: that of a principal, of whoever is in a seat, or of one
// token on top of that.
type caller struct {
	kind capabilities.PrincipalKind // "" for a token's own
	id   string
}

// limit is what one entry of the configuration says.
type limit struct {
	calls, writes Rate
	path          string
}

// limits are those of a configuration.
type limits struct {
	everybody, owner      *limit
	seats, people, tokens map[string]*limit
}

// Put puts the limits of a configuration in force. What is left in a bucket stays, up to
// what it may hold now.
func (l *Calls) Put(c *config.Config) { l.limits.Store(compile(c)) }

// compile answers the limits of a configuration, nil where there are none.
func compile(c *config.Config) *limits {
	all := &limits{everybody: limitOf(c.RateLimits), seats: map[string]*limit{}, people: map[string]*limit{}, tokens: map[string]*limit{}}
	some := all.everybody != nil
	add := func(to map[string]*limit, id string, r config.RateLimits) {
		if one := limitOf(r); one != nil {
			to[id], some = one, true
		}
	}
	for _, s := range c.Seats {
		add(all.seats, s.ID, s.RateLimits)
	}
	for _, p := range c.Principals {
		switch kind, id := config.PrincipalID(p.ID); kind {
		case config.PrincipalOwner:
			all.owner = limitOf(p.RateLimits)
			some = some || all.owner != nil
		case config.PrincipalPerson:
			add(all.people, id, p.RateLimits)
		case config.PrincipalToken:
			add(all.tokens, id, p.RateLimits)
		}
	}
	if !some {
		return nil
	}
	return all
}

func limitOf(r config.RateLimits) *limit {
	if r.CallsPerMinute == 0 && r.WritesPerMinute == 0 {
		return nil
	}
	rate := func(perMinute int) Rate {
		if r.Burst > 0 {
			return Rate{perMinute, r.Burst}
		}
		return Rate{perMinute, perMinute}
	}
	return &limit{rate(r.CallsPerMinute), rate(r.WritesPerMinute), r.Path}
}

// of answers the limit of a principal and whose bucket it is about, and the one of its
// token, where that has one and is bound to somebody. The owner has one of its own entry
// alone.
func (l *limits) of(p *capabilities.Principal) (who caller, principal, token *limit) {
	if p.Credential != "" {
		token = l.tokens[p.Credential]
	}
	who, principal = caller{p.Kind, p.ID}, l.everybody
	own := (*limit)(nil)
	switch {
	case p.Seat != "":
		who = caller{capabilities.Seat, p.Seat}
		own = l.seats[p.Seat]
		if p.Kind == capabilities.Owner {
			principal = nil
		}
	case p.Kind == capabilities.Owner:
		return who, l.owner, token
	case p.Kind == capabilities.Person:
		own = l.people[p.ID]
	case p.Kind == capabilities.Operator:
		own, token = token, nil
	}
	if own != nil {
		principal = own
	}
	return who, principal, token
}

// Interceptor refuses a call that is over a limit of its principal or its token. It costs
// a look where there is none.
func (l *Calls) Interceptor() capabilities.Interceptor {
	return capabilities.Interceptor{Name: "rate_limits", Stage: capabilities.StageGate, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			if limits := l.limits.Load(); limits != nil {
				if e := l.judge(limits, inv); e != nil {
					return nil, e
				}
			}
			return next(ctx, inv)
		}
	}}
}

// judge takes a call out of the buckets that it counts for, or refuses it.
func (l *Calls) judge(limits *limits, inv *capabilities.Invocation) *capabilities.Error {
	p := inv.Principal
	who, principal, token := limits.of(p)
	now, writes := l.now(), !capabilities.ReadOnlyProven(inv.Capability)
	if e := l.take(who, principal, writes, now); e != nil {
		return e
	}
	return l.take(caller{id: p.Credential}, token, writes, now)
}

func (l *Calls) take(who caller, of *limit, writes bool, now time.Time) *capabilities.Error {
	if of == nil {
		return nil
	}
	if writes { // a write that is over its own limit takes nothing of the other
		if wait := l.writes.Look(who, of.writes, now); wait > 0 {
			return of.refuse(who, "writes", of.writes, wait)
		}
	}
	if wait := l.calls.Take(who, of.calls, now); wait > 0 {
		return of.refuse(who, "calls", of.calls, wait)
	}
	if writes {
		if wait := l.writes.Take(who, of.writes, now); wait > 0 {
			return of.refuse(who, "writes", of.writes, wait)
		}
	}
	return nil
}

func (of *limit) refuse(who caller, what string, r Rate, wait time.Duration) *capabilities.Error {
	e := capabilities.Refuse(capabilities.RateLimited, "%s is limited to %d %s a minute, %d of them at once (%s in the configuration): nothing was done, send the call again in a while",
		who.label(), r.PerMinute, what, r.Burst, of.path)
	e.RetryAfter = wait
	return e
}

func (c caller) label() string {
	switch {
	case c.kind == "":
		return "the token " + c.id
	case c.kind == capabilities.Operator:
		return "the token " + c.id
	case c.kind == capabilities.Owner:
		return "the owner"
	}
	return fmt.Sprintf("the %s %q", c.kind, c.id)
}
