package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// callReads calls the samples of what reads.
func (r *run) callReads(ctx context.Context) (err error) {
	r.calls, err = r.reads(ctx)
	return err
}

// callReadsLater calls them again, on the server that was started meanwhile.
func (r *run) callReadsLater(ctx context.Context) (err error) {
	if r.Again == nil {
		return nil
	}
	r.later, err = r.reads(ctx)
	return err
}

func (r *run) reads(ctx context.Context) (all []exchange, err error) {
	return all, r.served(func(c *capabilities.Capability) error {
		if c.Writes() {
			return nil
		}
		for _, s := range r.samples(c) {
			x, err := r.send(ctx, c, s, false)
			if err != nil {
				return err
			}
			all = append(all, x)
		}
		return nil
	})
}

// callWrites calls the samples of what writes: as dry runs where that can be, else where
// the target lets them be done, once. Between them it looks whether what only reads, or
// was only tried, changed anything.
func (r *run) callWrites(ctx context.Context) error {
	before, err := r.state(ctx)
	if err != nil {
		return err
	}
	if before, err = r.readsChangeNothing(ctx, before); err != nil {
		return err
	}
	err = r.served(func(c *capabilities.Capability) error {
		if !c.Writes() {
			return nil
		}
		tried, err := r.tries(ctx, c)
		if err != nil {
			return err
		}
		for _, s := range r.samples(c) {
			if !tried && s.Refuses == "" {
				continue // it is done below
			}
			x, err := r.send(ctx, c, s, tried)
			if err != nil {
				return err
			}
			r.calls = append(r.calls, x)
		}
		return nil
	})
	if err != nil {
		return err
	}
	after, err := r.state(ctx)
	if err != nil {
		return err
	}
	r.judged(Effects, 1)
	for _, name := range before.differs(after) {
		r.found(Effects, name, "it answers another thing after dry runs and refused writes, which change nothing")
	}
	return r.doWrites(ctx)
}

// tries reports whether a capability can be tried in a dry run: one that keeps no receipt
// and rehearses nothing says that it cannot.
func (r *run) tries(ctx context.Context, c *capabilities.Capability) (bool, error) {
	if c.Receipts() {
		return true, nil
	}
	a, err := r.callMCP(ctx, r.Token, c.Name(), r.good(c), true)
	return err == nil && a.unheard == "" && !(a.code == capabilities.Unavailable && strings.Contains(a.said, "dry run")), err
}

// doWrites does for good, over MCP, what cannot be tried.
func (r *run) doWrites(ctx context.Context) error {
	if !r.Writes {
		return nil
	}
	return r.served(func(c *capabilities.Capability) error {
		if !c.Writes() {
			return nil
		}
		if tried, err := r.tries(ctx, c); err != nil || tried {
			return err
		}
		for _, s := range r.samples(c) {
			if s.Refuses != "" {
				continue
			}
			a, err := r.callMCP(ctx, r.Token, c.Name(), s.In, false)
			if err != nil {
				return err
			}
			r.calls = append(r.calls, exchange{c: c, sample: s, answers: []answer{a}})
		}
		return nil
	})
}

// stranger is a field that nothing declares.
const stranger = "conformance_unknown"

// sendWrong sends what no schema takes: a field that is not declared, a key that stands
// twice, a value of a wrong type, and a required field that is missing.
func (r *run) sendWrong(ctx context.Context) error {
	return r.served(func(c *capabilities.Capability) error {
		tool := r.tools[c.Name()]
		base, ok := inputs.Members(r.good(c))
		if !ok {
			return fmt.Errorf("its sample is no JSON object: %s", r.good(c))
		}
		wrong := []Sample{{Name: "a field that is not declared", In: inputs.Object(append(slices.Clone(base), inputs.Member{Key: stranger, Value: json.RawMessage("true")}))}}
		if !strings.Contains(tool.Route, "{") && !strings.HasPrefix(tool.Route, "GET ") {
			wrong = append(wrong, Sample{Name: "a key that stands twice", In: `{"` + stranger + `":1,"` + stranger + `":1}`})
		}
		if name, ok := required(c); ok {
			wrong = append(wrong, Sample{Name: "a required field that is missing", In: inputs.Object(without(base, name))})
		}
		if name, ok := scalar(tool); ok {
			wrong = append(wrong, Sample{Name: "a value of a wrong type", In: inputs.Object(append(without(base, name), inputs.Member{Key: name, Value: json.RawMessage("[[]]")}))})
		}
		for _, s := range wrong {
			s.Refuses = capabilities.Invalid
			x, err := r.send(ctx, c, s, false)
			if err != nil {
				return err
			}
			r.wrong = append(r.wrong, x)
		}
		return nil
	})
}

func without(all []inputs.Member, name string) []inputs.Member {
	return slices.DeleteFunc(slices.Clone(all), func(m inputs.Member) bool { return m.Key == name })
}

// required answers a field that has to be sent.
func required(c *capabilities.Capability) (string, bool) {
	var s struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(c.Input().Raw(), &s) != nil || len(s.Required) == 0 {
		return "", false
	}
	return s.Required[0], true
}

// scalar answers a field, the first in the order of names, that takes no list.
func scalar(tool inputs.Tool) (string, bool) {
	var names []string
	for name := range tool.Input.Properties {
		if name == "if_match" || name == "if_none_match" {
			continue // which over HTTP are headers
		}
		s, _ := tool.Field(name)
		if len(s.Type) > 0 && !slices.Contains(s.Type, "array") && !slices.Contains(s.Type, "object") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return slices.Min(names), true
}
