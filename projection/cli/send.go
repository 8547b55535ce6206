package cli

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// send asks where it must, calls and writes the answer.
func (r *run) send(ctx context.Context, s Session, capa *capabilities.Capability, args []argument, c *called) error {
	format, err := parseFormat(string(r.format))
	if err != nil {
		return err
	}
	yes, err := c.on(flagYes)
	if err != nil {
		return err
	}
	op, err := operation(capa, c)
	if err != nil {
		return err
	}
	body, err := r.arguments(ctx, args, c)
	if err != nil {
		return err
	}
	if capa.AliasOf() != "" {
		p := &printer{w: r.err}
		p.print("note: ", capa.Name(), " is an old name of ", capa.AliasOf(), " and will go: use that\n")
	}
	if capa.Hints().AskFirst() && !op.DryRun && !c.refused {
		// Nobody is asked about a call that would be refused anyway.
		if err := capabilities.ValidateArguments(capa, body); err != nil {
			return err
		}
		if err := r.confirm(ctx, capa, yes); err != nil {
			return err
		}
	}
	call := capabilities.Call{
		Name: capa.Name(), Arguments: body, Principal: s.Principal(), Surface: capabilities.CLI, Operation: op, RequestID: r.requestID,
	}
	line := &progressLine{w: r.err}
	if isTerminal(r.err) {
		call.Progress = line.report
	}
	res, err := s.Invoke(ctx, call)
	line.end()
	if err != nil {
		return err
	}
	return r.writeResult(capa, res, format)
}

// operation reads --op-id and --dry-run, which only what writes has.
func operation(capa *capabilities.Capability, c *called) (capabilities.Operation, error) {
	var op capabilities.Operation
	dry, err := c.on(flagDryRun)
	if err != nil {
		return op, err
	}
	id, given := c.last(flagOpID)
	switch {
	case given && id == "":
		return op, Usage("--%s is empty", flagOpID)
	case given && !capa.Writes():
		return op, Usage("%s only reads: leave --%s out", capa.Name(), flagOpID)
	case dry && !capa.Writes():
		return op, Usage("%s only reads: leave --%s out", capa.Name(), flagDryRun)
	case dry && capa.Bridged():
		return op, Usage("%s runs on %s, which cannot be asked for a dry run: leave --%s out", capa.Name(), quoted(capa.Server()), flagDryRun)
	}
	return capabilities.Operation{ID: id, DryRun: dry}, nil
}
