package cli

import (
	"context"
	"sync"
	"time"

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
	wait, err := waitOf(c)
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
		Name: capa.Name(), Arguments: body, Principal: s.Principal(), Surface: capabilities.CLI, Operation: op, RequestID: r.requestID, Wait: wait,
	}
	line := &progressLine{w: r.err}
	switch {
	case isTerminal(r.err):
		call.Progress = line.report
	case wait > 0:
		// Whoever asked to wait is told, once, for what.
		call.Progress = r.firstReport()
	}
	res, err := s.Invoke(ctx, call)
	line.end()
	if err != nil {
		return err
	}
	return r.writeResult(capa, res, format)
}

// firstReport answers what writes the message of the first report as a line.
func (r *run) firstReport() func(capabilities.Progress) {
	var once sync.Once
	p := &printer{w: r.err}
	return func(report capabilities.Progress) {
		if report.Message != "" {
			once.Do(func() { p.print(r.o.Name, ": ", oneLine(report.Message, 120), "\n") })
		}
	}
}

// waitOf reads --wait.
func waitOf(c *called) (time.Duration, error) {
	text, given := c.last(flagWait)
	if !given {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	switch {
	case err != nil || wait < 0 || wait > capabilities.MaxWait:
		return 0, Usage("--%s is a time such as 90s or 5m, at most %s, not %s", flagWait, capabilities.MaxWait, quoted(text))
	case wait == 0:
		return capabilities.NoWait, nil
	}
	return wait, nil
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
