package mcpserver

import (
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// keyed reports whether a caller's writes take their operation key among the
// arguments, where a model can send it. A seat has none: what it does is told apart by
// the position it acts from.
func (s *Server) keyed(p *capabilities.Principal) bool {
	return s.o.Ledger && p != nil && p.Seat == ""
}

// dryRunArgument is what callers send that look for a dry run among the arguments.
const dryRunArgument = "dry_run"

// misplaced answers the refusal of a dry run that is asked for where no capability looks
// for it, so that nobody sends the call again without.
func misplaced(c *capabilities.Capability, args json.RawMessage) *capabilities.Error {
	if !wire.Keyed(c) || rawjson.Member(args, dryRunArgument) == nil {
		return nil
	}
	if fields, closed := fieldsOf(c); !closed || fields[dryRunArgument] {
		return nil
	}
	return capabilities.Violates(capabilities.Violation{
		Pointer: "/" + dryRunArgument, Keyword: "additionalProperties",
		Message: "is no argument: a dry run is asked for in _meta, as \"" + MetaDryRun + "\": true; nothing was done",
	})
}

// takeKey takes the operation key out of the arguments, which no capability knows.
// Other members keep their bytes and their order.
func takeKey(args json.RawMessage, op *capabilities.Operation) (json.RawMessage, *capabilities.Error) {
	value := rawjson.Member(args, wire.KeyArgument)
	if value == nil {
		return args, nil
	}
	key, ok := rawjson.String(value)
	switch {
	case !ok || !capabilities.ValidKey(key):
		return args, capabilities.Refuse(capabilities.OpIDInvalid, "%s is 1 to 128 visible ASCII characters: send the op_id of an earlier answer to repeat that call, or leave it out", wire.KeyArgument)
	case op.ID != "" && op.ID != key:
		return args, capabilities.Refuse(capabilities.OpIDInvalid, "the argument %s and _meta %q name two operations: send one", wire.KeyArgument, MetaOperation)
	}
	op.ID = key
	out := append(make([]byte, 0, len(args)), '{')
	taken := false
	for name, value := range rawjson.Members(args) {
		if name == wire.KeyArgument && !taken {
			taken = true // a second one is refused as a duplicate key would be: no capability knows it
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendQuoted(out, name), ':'), value...)
	}
	return append(out, '}'), nil
}
