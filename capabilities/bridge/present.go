package bridge

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A presentation is one server's tools as capabilities. It is immutable.
type presentation struct {
	digest   [sha256.Size]byte
	table    *Table
	tools    []*capabilities.Capability
	skipped  []Skipped
	filtered int
	repaired int
	oddHints int
	unlisted []string
	ttl      time.Duration
}

// present makes capabilities of a listing: filter, names, overrides, schemas.
func (s *supervisor) present(list *listing) *presentation {
	p := &presentation{skipped: slices.Clone(list.skipped), ttl: list.ttl}
	wires := make([]string, 0, len(list.tools))
	byName := make(map[string]*wireTool, len(list.tools))
	overrides := maps.Clone(s.conf.Annotations)
	sum := sha256.New()
	for _, t := range list.tools {
		if !s.conf.keeps(t.name) {
			p.filtered++
			continue
		}
		wires = append(wires, t.name)
		if byName[t.name] == nil {
			byName[t.name] = t
		}
	}
	prefix := s.conf.prefix()
	p.table = tabulate(s.conf.Name, prefix, wires, s.o.ReservedNames)
	for _, name := range p.table.names() {
		wire, _ := p.table.Lookup(name)
		t := byName[wire.Tool]
		facts, title := t.facts, t.title
		if o, key, ok := overrideFor(s.conf.Annotations, t.name, name); ok {
			o.apply(&facts)
			if o.Title != "" {
				title = o.Title
			}
			delete(overrides, key)
			if key == t.name {
				delete(overrides, name) // the other spelling of the same tool
			}
		}
		c, note, err := newCapability(capabilities.BridgedSpec{
			Name: name, Tool: strings.TrimPrefix(name, prefix), Server: s.conf.Name, Title: title, Summary: t.description,
			Input: t.input, Output: t.output, Hints: facts, Timeout: s.conf.callTimeout(), Handler: s.handler(t),
			Extras: capabilities.BridgedExtras{
				WireName: t.name, Annotations: t.annotations, Meta: t.meta, Icons: t.icons, Execution: t.execution,
			},
		})
		if note != "" {
			p.skipped = append(p.skipped, Skipped{t.name, note})
		}
		if err != nil {
			p.skipped = append(p.skipped, Skipped{t.name, err.Error()})
			p.table = p.table.without(name)
			continue
		}
		p.tools = append(p.tools, c)
		p.oddHints += len(t.oddHints)
		if len(c.Repaired()) > 0 {
			p.repaired++
		}
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(t.raw))
		sum.Write(t.raw)
	}
	p.skipped = append(p.skipped, p.table.skipped...)
	p.unlisted = slices.Sorted(maps.Keys(overrides))
	sum.Sum(p.digest[:0])
	return p
}

// newCapability makes a capability whose schemas can be used: an input schema no
// call could be checked by costs the tool, an output schema costs itself.
func newCapability(spec capabilities.BridgedSpec) (c *capabilities.Capability, note string, err error) {
	c, err = capabilities.NewBridged(spec)
	if err == nil {
		if err := c.Input().Check(); err != nil {
			return nil, "", fmt.Errorf("input schema: %w", err)
		}
		if out := c.Output(); out == nil || out.Check() == nil {
			return c, "", nil
		}
	}
	if spec.Output == nil {
		return nil, "", err
	}
	spec.Output = nil
	c, again, errInput := newCapability(spec)
	if errInput != nil {
		return nil, again, errInput
	}
	return c, "its output schema is left out: it cannot be used", nil
}

// without answers the table without one name.
func (t *Table) without(name string) *Table {
	out := &Table{entries: maps.Clone(t.entries), skipped: t.skipped}
	delete(out.entries, name)
	return out
}

// publish presents a listing and tells the world when it differs from the last.
func (s *supervisor) publish(ctx context.Context, list *listing) {
	p := s.present(list)
	var before *presentation
	s.set(func() { before, s.shown = s.shown, p })
	if before.digest == p.digest {
		s.set(func() {
			// The same tools keep the same capabilities; only what was skipped may differ.
			kept := *p
			kept.tools, kept.table = before.tools, before.table
			s.shown = &kept
		})
		return
	}
	s.report(ctx, before, p)
	s.o.Publish(s.conf.Name, slices.Clone(p.tools))
}

// report says what is new. A tool that asserts something more dangerous than
// before is named: whoever trusted it trusted something else.
func (s *supervisor) report(ctx context.Context, before, now *presentation) {
	if len(now.skipped) > 0 {
		first := now.skipped[0]
		s.log.WarnContext(ctx, "server_tools_skipped", "count", len(now.skipped), "tool", printable([]byte(first.Tool)), "reason", s.redact(printable([]byte(first.Reason))))
	}
	if now.oddHints > 0 {
		s.log.WarnContext(ctx, "server_hints_not_boolean", "count", now.oddHints)
	}
	if len(now.unlisted) > 0 {
		s.log.WarnContext(ctx, "server_overrides_unlisted", "tools", now.unlisted)
	}
	if before.tools == nil {
		return
	}
	old := make(map[string]*capabilities.Capability, len(before.tools))
	for _, c := range before.tools {
		old[c.Name()] = c
	}
	added := 0
	for _, c := range now.tools {
		was, ok := old[c.Name()]
		if !ok {
			added++
			continue
		}
		delete(old, c.Name())
		if was.Hints() != c.Hints() {
			s.log.WarnContext(ctx, "server_hints_changed", "capability", c.Name(), "was", was.Hints().Word(), "now", c.Hints().Word())
		}
	}
	s.log.InfoContext(ctx, "server_catalogue_changed", "tools", len(now.tools), "added", added, "removed", len(old))
}
