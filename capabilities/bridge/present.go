package bridge

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// A presentation is one server's tools as capabilities. It is immutable.
type presentation struct {
	digest    [sha256.Size]byte          // of what the server said; another configuration is shown in any case
	tools     []*capabilities.Capability // in the order of their names
	relays    []*capabilities.Capability // methods that are relayed beside them
	drifts    []Drift
	eased     []Drift // tools whose hints changed otherwise
	alarmed   []Drift // the part of drifts that is new
	bytes     int     // of the tools, as tools/list writes them
	skipped   []Skipped
	filtered  int
	own       int // left out because they lead back to us
	repaired  int
	oddHints  int
	unlisted  []string
	unmatched []string
	ttl       time.Duration
}

// untold reports whether the server has never told its tools.
func (p *presentation) untold() bool { return p.digest == [sha256.Size]byte{} }

// present makes capabilities of a listing: filter, names, overrides, schemas, and what
// became of the hints since they were accepted. dirty says that the acceptance changed.
func (s *supervisor) present(sp *spec, list *listing) (p *presentation, dirty bool) {
	p = &presentation{skipped: slices.Clone(list.skipped), ttl: list.ttl, own: list.own}
	wires := make([]string, 0, len(list.tools))
	byName := make(map[string]*wireTool, len(list.tools))
	for _, t := range list.tools {
		if sp.conf.Peer == nil {
			t.also = "" // else a server could have Allow mean another tool than the operator does
		}
		if !sp.conf.keeps(t) {
			p.filtered++
			continue
		}
		wires = append(wires, t.name)
		if byName[t.name] == nil {
			byName[t.name] = t
		}
	}
	prefix := sp.conf.prefix()
	table := tabulate(sp.conf.Name, prefix, wires, s.o.ReservedNames)
	p.unmatched = sp.conf.unmatched(list.tools)
	overrides := withoutRelays(sp.conf.Annotations)
	p.relays = s.relays(sp)
	sum := sha256.New()
	common := s.handler(nil)
	var scratch []byte
	for _, name := range table.names() {
		w, _ := table.Lookup(name)
		t := byName[w.Tool]
		t.name = w.Tool // the same text, which the exposed name holds already
		facts, title := t.facts, sp.masker().mask(t.title)
		over, key, found := overrideFor(sp.conf.Annotations, t, name)
		if found {
			over.apply(&facts)
			if over.Title != "" {
				title = over.Title
			}
			delete(overrides, key)
			if key == t.name {
				delete(overrides, name) // the other spelling of the same tool
			}
		}
		v, changed := s.hints.judge(t.name, t.facts.Hints(), over, s.o.Now())
		dirty = dirty || changed
		drift := p.note(t.name, name, v, sp.holds())
		run := common
		switch {
		case drift != nil && drift.Held:
			run = s.withholding(drift)
		case len(t.params) > 0:
			run = s.handler(t.params)
		}
		one := sp.presented(t, name, prefix, list.modern)
		one.Title, one.Hints, one.Handler, one.Extras.Drift = title, facts, run, drift.extra()
		c, note, err := newCapability(one)
		if note != "" {
			p.skipped = append(p.skipped, Skipped{t.name, note})
		}
		if err != nil {
			p.skipped = append(p.skipped, Skipped{t.name, err.Error()})
			continue
		}
		p.tools = append(p.tools, c)
		scratch = wire.AppendTool(scratch[:0], c)
		p.bytes += len(scratch)
		p.oddHints += len(t.oddHints)
		if len(c.Repaired()) > 0 {
			p.repaired++
		}
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(t.raw))
		sum.Write(t.raw)
		writeTexts(sum, t.through...)
	}
	p.skipped = append(p.skipped, table.skipped...)
	p.unlisted = slices.Sorted(maps.Keys(overrides))
	sum.Sum(p.digest[:0])
	return p, dirty
}

// presented answers what a tool is shown as, as far as it follows from the tool and the
// configuration of its server, whatever the operator says about it and whoever runs it.
func (sp *spec) presented(t *wireTool, name, prefix string, modern bool) capabilities.BridgedSpec {
	output, native := outputOf(sp.masker().maskSchema(t.output), modern)
	return capabilities.BridgedSpec{
		Name: name, Tool: strings.TrimPrefix(name, prefix), Server: sp.conf.Name, Title: sp.masker().mask(t.title),
		Kind: sp.conf.kind(), Summary: sp.masker().mask(t.description), Input: sp.masker().maskSchema(t.input), Output: output, NativeOutput: native,
		Hints: t.facts, Timeout: sp.conf.callTimeout(),
		Extras: capabilities.BridgedExtras{
			WireName: t.name, Annotations: sp.masker().maskEach(t.annotations), Meta: sp.masker().maskJSON(t.meta),
			Icons: sp.masker().maskJSON(t.icons), Execution: t.execution, Through: t.through,
		},
	}
}

// note keeps what became of a tool's hints. It answers the drift, or nil.
func (p *presentation) note(tool, name string, v verdict, hold bool) *Drift {
	d := Drift{Tool: tool, Name: name, Was: v.was, Now: v.now, Changed: v.changed, Since: v.since, Held: hold}
	if len(v.changed) == 0 {
		if v.news {
			p.eased = append(p.eased, d)
		}
		return nil
	}
	p.drifts = append(p.drifts, d)
	if v.news {
		p.alarmed = append(p.alarmed, d)
	}
	return &d
}

// extra is the mark that the capability carries.
func (d *Drift) extra() *capabilities.HintDrift {
	if d == nil {
		return nil
	}
	return &capabilities.HintDrift{Was: d.Was, Changed: d.Changed, Since: d.Since, Held: d.Held}
}

// outputOf answers the output schema to present. Of a modern server's that is not the
// one of an object it is the one of the wrapped value, and native is the server's own.
func outputOf(schema json.RawMessage, modern bool) (output, native json.RawMessage) {
	if !modern || rawjson.Kind(schema) != '{' || describesObject(schema) {
		return schema, nil
	}
	return wrapSchema(schema), schema
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
	spec.Output, spec.NativeOutput = nil, nil
	c, again, errInput := newCapability(spec)
	if errInput != nil {
		return nil, again, errInput
	}
	return c, "its output schema is left out: it cannot be used", nil
}

// shows reports whether a tool is presented under an exposed name.
func (p *presentation) shows(name string) bool {
	_, found := slices.BinarySearchFunc(p.tools, name, func(c *capabilities.Capability, name string) int { return strings.Compare(c.Name(), name) })
	return found
}
