package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// exit reports an error on standard error and answers the exit status.
func (r *run) exit(err error) int {
	p := &printer{w: r.err}
	var usage *usageError
	e, refused := capabilities.AsError(err)
	status := exitFailed
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage) || !r.ran:
		if usage != nil {
			err = usage // without the command library's words around it
		}
		p.print(r.o.Name, ": ", escape(strings.TrimSpace(err.Error()), true), "\n")
		p.print("see: ", r.o.Name, " ", strings.TrimSpace(r.topic+" --help"), "\n")
		status = exitUsage
	case refused:
		r.refusal(p, e)
		status = e.Info().Exit
	case errors.Is(err, context.Canceled) && r.stopped():
		p.print(r.o.Name, ": interrupted\n")
	default:
		p.print(r.o.Name, ": ", escape(err.Error(), true), "\n")
	}
	if r.stopped() && status != exitUsage {
		return exitInterrupted
	}
	return status
}

// refusal writes a refusal: a problem as HTTP has it for programs, the sentence
// with every violation and what to do for people.
func (r *run) refusal(p *printer, e *capabilities.Error) {
	if r.format == JSON {
		p.print(string(wire.Problem(e, e.Info().Status, r.requestID)), "\n")
		return
	}
	if len(e.Violations) > 1 {
		p.print(r.o.Name, ": ", string(e.Code), ": the arguments are wrong\n")
		for _, v := range e.Violations {
			p.print("  ", escape(r.violation(v), false), "\n")
		}
	} else {
		message := e.Message
		if len(e.Violations) == 1 && message == capabilities.Violates(e.Violations[0]).Message {
			message = r.violation(e.Violations[0])
		}
		p.print(r.o.Name, ": ", string(e.Code), ": ", escape(message, true), "\n")
	}
	var shapes []string
	for _, v := range e.Violations {
		if text := r.shape(v.Pointer); text != "" && !slices.Contains(shapes, text) {
			shapes = append(shapes, text)
			p.print(escape(text, false), "\n")
		}
	}
	if up := e.Upstream; up != nil {
		r.upstream(p, e, up)
	}
	if e.MaybeApplied {
		p.print("it may have taken effect all the same: look before you repeat it\n")
	}
	if e.RetryAfter > 0 {
		p.print(fmt.Sprintf("a retry can land in %d s\n", wire.RetryAfterSeconds(e.RetryAfter)))
	}
	if remedy := r.remedy(e); remedy != "" {
		p.print("what to do: ", remedy, "\n")
	}
}

// violation is the sentence of a violation, in the words of a command line.
func (r *run) violation(v capabilities.Violation) string {
	if v.Pointer == "" {
		return v.Message
	}
	return r.spelled(v.Pointer) + ": " + v.Message
}

// upstream writes a bridged server's own words where the message has them not.
func (r *run) upstream(p *printer, e *capabilities.Error, up *capabilities.Result) {
	for _, b := range up.Blocks {
		if text := showBlock(b); !strings.Contains(e.Message, text) {
			p.print("  ", strings.ReplaceAll(text, "\n", "\n  "), "\n")
		}
	}
}

// remedy answers what the table of codes says to do, where that says more than the
// message: a pack's own row where the code is a pack's, and that of a code whose message
// is about what happened alone. The message of any other code says what to do about it.
func (r *run) remedy(e *capabilities.Error) string {
	info := e.Info()
	i := slices.IndexFunc(r.o.Codes, func(i capabilities.CodeInfo) bool { return i.Code == e.Code })
	if i >= 0 {
		info = r.o.Codes[i]
	}
	own := !slices.ContainsFunc(capabilities.BaseCodes(), func(i capabilities.CodeInfo) bool { return i.Code == e.Code })
	switch {
	case own, e.Code == capabilities.InternalError, e.Code == capabilities.UnknownOutcome, e.Code == capabilities.OpIDInvalid:
		return info.Remedy
	}
	return ""
}
