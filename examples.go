package holotype

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// RunExamples calls the examples of every builtin that the principal sees, in the
// order of the names, and answers an error that names every example that does not do
// what it says: one that is refused, one that is not refused with the code it names,
// one that is refused with a code that its capability does not declare. Writes that
// answer a receipt are called as dry runs, so that each example meets the same; what
// others leave, the next one finds. A native pack that keeps something is first filled
// with what its examples stand on, so the principal is an owner. It is for a pack's own
// tests, with [InMemory].
func (s *Server) RunExamples(ctx context.Context, p *capabilities.Principal) error {
	e, err := s.started()
	if err != nil {
		return err
	}
	for _, n := range s.chosen() {
		served := slices.ContainsFunc(e.registry.Packs(), func(i capabilities.PackInfo) bool { return i.Name == n.name })
		if served && n.seed != nil {
			if err := n.seed(ctx, e.door, p); err != nil {
				return fmt.Errorf("filling the pack %s for its examples: %w", n.name, err)
			}
		}
	}
	var faults []error
	for _, c := range e.views.View(p).Listed {
		if c.Bridged() || c.AliasOf() != "" {
			continue
		}
		for _, ex := range c.Examples() {
			_, err := e.door.Invoke(ctx, capabilities.Call{
				Name: c.Name(), Arguments: json.RawMessage(ex.In), Principal: p, Surface: capabilities.InProcess,
				Operation: capabilities.Operation{DryRun: c.Receipts()},
			})
			if fault := judgeExample(c, ex, err); fault != nil {
				faults = append(faults, fmt.Errorf("%s: example %q of %s: %w", c.Site(), ex.Name, c.Name(), fault))
			}
		}
	}
	return errors.Join(faults...)
}

func judgeExample(c *capabilities.Capability, ex capabilities.Example, err error) error {
	refusal, refused := capabilities.AsError(err)
	switch {
	case err != nil && !refused:
		return err
	case !refused && ex.Refuses != "":
		return fmt.Errorf("it is answered, and says that it is refused with %s", ex.Refuses)
	case !refused:
		return nil
	case ex.Refuses != refusal.Code:
		return fmt.Errorf("it is refused with %s: %w", refusal.Code, err)
	case !slices.ContainsFunc(c.Codes(), func(i capabilities.CodeInfo) bool { return i.Code == refusal.Code }):
		return fmt.Errorf("it is refused with %s, which the capability does not declare", refusal.Code)
	}
	return nil
}
