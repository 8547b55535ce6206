package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrStopped says that the bridge was stopped.
var ErrStopped = errors.New("the bridge is stopped")

// Check answers everything that is wrong with a whole configuration, as [Faults], and
// changes nothing.
func (b *Bridge) Check(servers []Server) error {
	_, err := b.specs(servers)
	return err
}

// specs makes the specs of a configuration that has no fault.
func (b *Bridge) specs(servers []Server) ([]*spec, error) {
	if faults := checkServers(servers, b.o.ReservedServers); len(faults) > 0 {
		return nil, faults
	}
	all := make([]*spec, len(servers))
	for i, s := range servers {
		var err error
		if all[i], err = newSpec(s, b.o.Version, b.o.Mark); err != nil {
			return nil, fmt.Errorf("server %q: %w", s.key(), err)
		}
	}
	return all, nil
}

// Plan answers what [Bridge.Apply] would do now, with the same faults, and changes
// nothing.
func (b *Bridge) Plan(servers []Server) (Changes, error) {
	b.changing.Lock()
	defer b.changing.Unlock()
	next, err := b.specs(servers)
	if err != nil {
		return Changes{}, err
	}
	var plan Changes
	before, kept := map[Key]*supervisor{}, map[Key]bool{}
	for _, sp := range next {
		kept[sp.conf.key()] = true
	}
	for _, s := range b.supervisors() {
		before[s.key] = s
		if !kept[s.key] {
			plan.Removed = append(plan.Removed, s.key)
		}
	}
	for _, sp := range next {
		k := sp.conf.key()
		switch s := before[k]; {
		case s == nil:
			plan.Added = append(plan.Added, k)
		case s.specNow().restarts(sp) || s.specNow().presents(sp):
			plan.Changed = append(plan.Changed, k)
		case s.pausing():
			plan.Retried = append(plan.Retried, k)
		default:
			plan.Unchanged = append(plan.Unchanged, k)
		}
	}
	return plan, nil
}

// Apply makes servers the configuration, all of it or, with the faults of [Bridge.Check]
// as the error, nothing. It returns at once: what has to start, stop or restart does so
// afterwards, and no server that is configured as before is touched, save that one
// which is down is started again now and not when it is due.
//
// The tools of a server that is removed are withdrawn before Apply returns, and what is
// shown otherwise is shown so by then. A server that is started or reached another way
// than before is stopped before it starts; until it is ready its tools stay listed and
// refuse. One that must not be started any more stops and keeps its tools in the same
// way. Calls that are running when a server is to be stopped are let finish for a short
// while; those that do not are refused, with the doubt whether they were applied.
//
// A bridge that is not started yet takes the configuration and starts it then. One that
// is stopped answers [ErrStopped].
func (b *Bridge) Apply(servers []Server) (Changes, error) {
	b.changing.Lock()
	defer b.changing.Unlock()
	next, err := b.specs(servers)
	if err != nil {
		return Changes{}, err
	}
	if b.stopped || b.root != nil && b.root.Err() != nil {
		return Changes{}, ErrStopped
	}
	maps.DeleteFunc(b.leaving, func(_ Key, s *supervisor) bool { return isClosed(s.gone) })
	before := map[Key]*supervisor{}
	for _, s := range b.supervisors() {
		before[s.key] = s
	}
	var (
		done  Changes
		order = make([]*supervisor, 0, len(next))
		added []*supervisor
		kept  = map[Key]bool{}
	)
	// What is removed goes first: its names may be those of what comes.
	for _, sp := range next {
		kept[sp.conf.key()] = true
	}
	for _, s := range b.supervisors() {
		if !kept[s.key] {
			done.Removed = append(done.Removed, s.key)
			b.remove(s)
		}
	}
	for _, sp := range next {
		k := sp.conf.key()
		s := before[k]
		if s == nil {
			s = newSupervisor(sp, &b.o)
			s.after = b.leaving[k]
			added, done.Added = append(added, s), append(done.Added, k)
			order = append(order, s)
			continue
		}
		order = append(order, s)
		switch now := s.specNow(); {
		case now.restarts(sp) || now.presents(sp):
			s.reconfigure(sp)
			s.retryNow()
			done.Changed = append(done.Changed, k)
		case s.retryNow():
			done.Retried = append(done.Retried, k)
		default:
			if sp.conf.Peer != nil {
				s.noteChange() // what it offers is read again when somebody asks for that
			}
			done.Unchanged = append(done.Unchanged, k)
		}
	}
	b.mu.Lock()
	b.order = order
	b.mu.Unlock()
	if b.root != nil {
		for _, s := range added {
			b.launch(s)
		}
	}
	b.o.Log.Info("servers_applied", "added", keyTexts(done.Added), "removed", keyTexts(done.Removed), "changed", keyTexts(done.Changed),
		"retried", keyTexts(done.Retried), "unchanged", len(done.Unchanged))
	return done, nil
}

// Reauthorized says that an instance is authorized by something else from now on, such as
// another sign-in. One that waits is started at once; the session of one that runs is
// somebody else's, and ends once the calls in it are done, or have had their time. It
// reports whether there is such an instance, and it can be started at all.
func (b *Bridge) Reauthorized(k Key) bool {
	for _, s := range b.supervisors() {
		if s.key == k {
			return s.reauthorized()
		}
	}
	return false
}

// remove takes an instance out of the configuration. changing is held.
func (b *Bridge) remove(s *supervisor) {
	s.remove()
	if b.root == nil {
		return // it never ran
	}
	b.leaving[s.key] = s
}

// launch runs an instance. changing is held, and the bridge is started and not stopped.
func (b *Bridge) launch(s *supervisor) {
	s.set(func() { s.state, s.reason = StateStarting, "" })
	root := b.root
	b.running.Go(func() { s.run(root) })
}

// Start starts every server at once and returns. The servers run until
// [Bridge.Stop] or the end of ctx, which has to be followed by Stop.
func (b *Bridge) Start(ctx context.Context) {
	b.changing.Lock()
	defer b.changing.Unlock()
	if b.stopped || b.root != nil {
		return
	}
	b.root, b.cancel = context.WithCancel(ctx)
	for _, s := range b.supervisors() {
		b.launch(s)
	}
}

// Stop stops every server, all at once, and returns when nothing is left of them
// or ctx ends. It takes at most some 6 seconds.
func (b *Bridge) Stop(ctx context.Context) error {
	b.changing.Lock()
	b.stopped = true // never start after a stop
	if b.cancel != nil {
		b.cancel()
	}
	b.running.Close()
	b.changing.Unlock()
	select {
	case <-b.running.Idle():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stopping the servers: %w", ctx.Err())
	}
}

// supervisors answers the instances in the order of the configuration.
func (b *Bridge) supervisors() []*supervisor {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.order)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
