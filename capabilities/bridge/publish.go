package bridge

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// publish presents what a server listed, and tells the world when it differs from the
// last. It answers whether the turn t, which the list was asked for in, still runs.
func (s *supervisor) publish(t *turn, list *listing, l *link) {
	s.presenting.Lock()
	defer s.presenting.Unlock()
	if t.ctx.Err() != nil {
		return // it was asked under a configuration that does not hold any more
	}
	s.kept, s.offered = keep(list, l.mirrors()), l.offers
	s.show(t.ctx, list, false)
}

// represent presents the last listing once more, under the configuration of now.
func (s *supervisor) represent() {
	s.presenting.Lock()
	defer s.presenting.Unlock()
	s.showKept()
}

// showKept is [supervisor.represent] with presenting held.
func (s *supervisor) showKept() {
	if s.kept == nil {
		return
	}
	list, err := s.kept.listing()
	if err != nil { // cannot happen: it was read before
		s.log.Error("server_list_lost", "reason", s.redact(err.Error()))
		return
	}
	s.show(context.Background(), list, true)
}

// withdraw publishes that there is no tool any more, for good.
func (s *supervisor) withdraw() {
	s.presenting.Lock()
	defer s.presenting.Unlock()
	s.withdrawn, s.kept = true, nil
	var had bool
	s.set(func() { had, s.shown = len(s.shown.published()) > 0, &presentation{} })
	if had {
		s.o.Publish(s.key.Seat, s.key.Server, nil)
	}
}

// show presents a listing. presenting is held.
func (s *supervisor) show(ctx context.Context, list *listing, force bool) {
	if s.withdrawn {
		return
	}
	s.recall()
	p, dirty := s.present(s.specNow(), list)
	if dirty {
		s.hints.prune(func(tool string) bool {
			return slices.ContainsFunc(list.tools, func(t *wireTool) bool { return t.name == tool })
		})
		if err := s.o.Memory.Remember(s.key, s.hints.give()); err != nil {
			s.log.ErrorContext(ctx, "server_hints_not_remembered", "reason", err.Error())
		}
	}
	var before *presentation
	s.set(func() { before, s.shown = s.shown, p })
	if before.digest == p.digest && !force {
		// The same tools keep the same capabilities; only what was skipped may differ, and
		// what goes with them.
		kept := *p
		kept.tools = before.tools
		s.set(func() { s.shown = &kept })
		if relayKey(before.relays) != relayKey(kept.relays) {
			s.o.Publish(s.key.Seat, s.key.Server, kept.published())
		}
		return
	}
	s.report(ctx, before, p, !force)
	s.o.Publish(s.key.Seat, s.key.Server, p.published())
}

// recall reads what was accepted of the server's tools, once.
func (s *supervisor) recall() {
	if s.hints != nil {
		return
	}
	said, ok := s.o.Memory.Recall(s.key)
	if said == nil {
		said = map[string]capabilities.Hints{}
	}
	s.hints = newAcceptance(said)
	s.hints.given = ok
}

// report says what is new; whole leaves out nothing that stands in the list. A tool that asserts something more dangerous than what was
// accepted is named: whoever trusted it trusted something else.
func (s *supervisor) report(ctx context.Context, before, now *presentation, whole bool) {
	if whole && len(now.skipped) > 0 {
		first := now.skipped[0]
		s.log.WarnContext(ctx, "server_tools_skipped", "count", len(now.skipped), "tool", printable([]byte(first.Tool)), "reason", s.redact(printable([]byte(first.Reason))))
	}
	if whole && now.oddHints > 0 {
		s.log.WarnContext(ctx, "server_hints_not_boolean", "count", now.oddHints)
	}
	if len(now.unlisted) > 0 {
		s.log.WarnContext(ctx, "server_overrides_unlisted", "tools", now.unlisted)
	}
	if len(now.unmatched) > 0 {
		s.log.WarnContext(ctx, "server_patterns_unmatched", "patterns", now.unmatched)
	}
	for _, d := range now.alarmed {
		s.log.WarnContext(ctx, "server_hints_changed", "capability", d.Name, "was", hintText(d.Was), "now", hintText(d.Now), "held", d.Held)
	}
	for _, d := range now.eased {
		s.log.InfoContext(ctx, "server_hints_changed", "capability", d.Name, "was", hintText(d.Was), "now", hintText(d.Now), "held", false)
	}
	if before.tools == nil {
		s.log.InfoContext(ctx, "tools_discovered", "tools", len(now.tools), "filtered", now.filtered, "skipped", len(now.skipped), "bytes", now.bytes)
		return
	}
	old := make(map[string]bool, len(before.tools))
	for _, c := range before.tools {
		old[c.Name()] = true
	}
	added := 0
	for _, c := range now.tools {
		if !old[c.Name()] {
			added++
		}
		delete(old, c.Name())
	}
	s.log.InfoContext(ctx, "server_catalogue_changed", "tools", len(now.tools), "added", added, "removed", len(old))
}

// lists reports whether a tool is listed, by its own name or the exposed one.
func (s *supervisor) lists(tool string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.shown.tools, func(c *capabilities.Capability) bool {
		return c.Name() == tool || c.Extras().WireName == tool
	})
}

// accept takes the hints of tools as they are, see [Bridge.Accept].
func (s *supervisor) accept(tools []string) ([]string, error) {
	s.presenting.Lock()
	defer s.presenting.Unlock()
	if s.hints == nil || s.kept == nil {
		return nil, nil
	}
	list, err := s.kept.listing()
	if err != nil {
		return nil, err
	}
	var drifts []Drift
	s.set(func() { drifts = s.shown.drifts })
	said := maps.Clone(s.hints.said)
	var names, shown []string
	for _, d := range drifts {
		if len(tools) > 0 && !slices.Contains(tools, d.Tool) && !slices.Contains(tools, d.Name) {
			continue
		}
		i := slices.IndexFunc(list.tools, func(t *wireTool) bool { return t.name == d.Tool })
		if i < 0 {
			return nil, fmt.Errorf("tool %q is not in the kept list", d.Tool)
		}
		said[d.Tool] = list.tools[i].facts.Hints()
		names = append(names, d.Tool)
		shown = append(shown, oneName(d.Tool))
	}
	if len(names) == 0 {
		return nil, nil
	}
	if err := s.o.Memory.Remember(s.key, said); err != nil {
		return nil, err
	}
	s.hints.said, s.hints.given = said, true
	for _, n := range names {
		delete(s.hints.since, n)
	}
	s.log.Info("server_hints_accepted", "tools", shown)
	s.showKept()
	return shown, nil
}
