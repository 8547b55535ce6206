package capabilities

import (
	"context"
	"encoding/json"
	"fmt"
)

// Handle is a declared capability, callable in-process with its types.
type Handle[In, Out any] struct{ name string }

// Name answers the capability's name.
func (h *Handle[In, Out]) Name() string { return h.name }

// Call sends in through the door as the principal, so that the call is gated,
// validated and audited as from any other surface. The error's chain holds an
// [*Error].
func (h *Handle[In, Out]) Call(ctx context.Context, door Invoker, p *Principal, in In) (Out, error) {
	var out Out
	args, err := marshal(in)
	if err != nil {
		return out, Refuse(Invalid, "the input of %s cannot be written as JSON", h.name).Because(err)
	}
	res, err := door.Invoke(ctx, Call{Name: h.name, Arguments: args, Principal: p, Surface: InProcess})
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(res.Structured, &out); err != nil {
		return out, fmt.Errorf("reading the answer of %s: %w", h.name, err)
	}
	return out, nil
}
