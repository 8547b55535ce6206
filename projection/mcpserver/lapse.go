package mcpserver

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Whoever hands a request on ends its context when the credential that it came with ends,
// with the refusal for the cause.

// ended answers the refusal that a context ended with because its credential did, or nil.
func ended(ctx context.Context) *capabilities.Error {
	if ctx.Err() == nil {
		return nil
	}
	e, ok := capabilities.AsError(context.Cause(ctx))
	if !ok || e.Code != capabilities.Unauthenticated {
		return nil
	}
	return e
}

// lapsed answers the refusal of a call as the end of its credential makes it, which is
// why a call that waited ended.
func lapsed(ctx context.Context, e *capabilities.Error) *capabilities.Error {
	if e.Code != capabilities.Timeout {
		return e
	}
	why := ended(ctx)
	if why == nil {
		return e
	}
	own := *why
	own.MaybeApplied = e.MaybeApplied
	return &own
}

// outliving answers a context for a call that goes on when the connection of its request
// breaks, and ends when its credential does.
func outliving(request context.Context, p *capabilities.Principal) (context.Context, context.CancelFunc) {
	if p.Credential == "" { // the owner's does not end
		return context.WithCancel(context.WithoutCancel(request))
	}
	ctx, end := context.WithCancelCause(context.WithoutCancel(request))
	stop := context.AfterFunc(request, func() {
		if why := ended(request); why != nil {
			end(why)
		}
	})
	return ctx, func() {
		stop()
		end(nil)
	}
}
