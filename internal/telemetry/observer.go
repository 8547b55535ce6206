package telemetry

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/metrics"
)

// Observer is told of every call, whatever the surface, once: it counts it and, where an
// exporter is given, makes a span of it.
type Observer struct {
	Counts   *metrics.Counts // nil counts nothing
	Exporter *Exporter       // nil exports nothing
	Now      func() time.Time
}

// Interceptor stands outermost in the chain of calls.
func (o *Observer) Interceptor() capabilities.Interceptor {
	return capabilities.Interceptor{Name: "telemetry", Stage: capabilities.StageAudit, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (res *capabilities.Result, err error) {
			start := o.Now()
			var parent [8]byte
			if o.Exporter != nil {
				inv.Trace, parent = o.Exporter.begin(inv.Trace)
			}
			if o.Counts != nil {
				o.Counts.Begin()
			}
			// A panic is counted too, on its way to whoever answers it.
			outcome := string(capabilities.InternalError)
			defer func() {
				end := o.Now()
				if o.Counts != nil {
					o.Counts.End(inv.Capability, inv.Surface, outcome, end.Sub(start))
				}
				if o.Exporter != nil && inv.Trace.Sampled {
					o.Exporter.waiting.put(&span{
						trace: inv.Trace, parent: parent, start: start.UnixNano(), end: end.UnixNano(), c: inv.Capability,
						outcome: outcome, requestID: inv.RequestID, surface: inv.Surface,
					})
				}
			}()
			res, err = next(ctx, inv)
			outcome = capabilities.EndedAs(err)
			return res, err
		}
	}}
}

// Sending is told of a call that is sent to a bridged server. It answers the trace that
// goes with it, and what is called with how it ended.
func (o *Observer) Sending(inv *capabilities.Invocation, sent Sent) (t capabilities.Trace, done func(error)) {
	start := o.Now()
	t = inv.Trace
	var parent [8]byte
	if o.Exporter != nil {
		t, parent = o.Exporter.begin(t)
	}
	return t, func(err error) {
		end, outcome := o.Now(), capabilities.EndedAs(err)
		if o.Counts != nil {
			o.Counts.Answered(sent.Server, outcome, end.Sub(start))
		}
		if o.Exporter != nil && t.Sampled {
			o.Exporter.waiting.put(&span{
				trace: t, parent: parent, start: start.UnixNano(), end: end.UnixNano(), c: inv.Capability,
				outcome: outcome, requestID: inv.RequestID, surface: inv.Surface, sent: &sent,
			})
		}
	}
}

// reasonOf is an error of a request without its url.
func reasonOf(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}
