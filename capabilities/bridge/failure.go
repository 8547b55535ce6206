package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A failure is why a request to a server has no answer that can be handed on.
type failure struct {
	code capabilities.Code
	text string // a clause that follows the server's name
	// mayHaveRun says that the request may have reached the server and taken effect.
	mayHaveRun bool
	// sessionLost says that the server no longer knows our session: nothing ran.
	sessionLost bool
	// credential says that the server did not take the credential it was given: the
	// HTTP status, or 0.
	credential int
	// said is the JSON-RPC error that the server answered with, where it answered with one
	// and an HTTP status that is no success; nil for none.
	said       *rpcError
	retryAfter time.Duration
	cause      error
}

// lacksMethod reports whether a server answered that it does not know a method, under an
// HTTP status that is no success (2026-07-28, streamable HTTP).
func lacksMethod(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.said != nil && f.said.code == codeMethodNotFound && !f.sessionLost && f.credential == 0
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// unavailable is the failure of a request that may have taken effect unless it
// never left.
func unavailable(sent bool, cause error, format string, args ...any) *failure {
	return &failure{code: capabilities.Unavailable, text: fmt.Sprintf(format, args...), mayHaveRun: sent, cause: cause}
}

// broken is the failure of a server that answered with something nobody can read.
func broken(format string, args ...any) *failure {
	return &failure{code: capabilities.UpstreamError, text: fmt.Sprintf(format, args...), mayHaveRun: true}
}

// tooLarge is the failure of an answer over the limit of a message.
func tooLarge() *failure {
	return &failure{
		code: capabilities.TooLarge, mayHaveRun: true,
		text: fmt.Sprintf("answered with more than %d bytes, which is the limit; ask for less", maxMessage),
	}
}

// interrupted is the failure of a request whose context ended.
func interrupted(ctx context.Context, sent bool) *failure {
	f := &failure{code: capabilities.Timeout, text: "did not answer within the time limit of the call", mayHaveRun: sent, cause: ctx.Err()}
	if errors.Is(ctx.Err(), context.Canceled) {
		f.text = "was not waited for: the caller went away"
	}
	return f
}

// ofBroken is the failure of the one call a broken answer belongs to.
func ofBroken(b *brokenAnswer) *failure {
	if errors.Is(b, rawjson.ErrDeep) {
		return &failure{
			code: capabilities.TooLarge, mayHaveRun: true,
			text: fmt.Sprintf("answered with JSON nested deeper than %d levels, which is the limit", maxDepth),
		}
	}
	return broken("answered with something that is %v", b.reason)
}

// asFailure answers the failure in err's chain, or one that holds err.
func asFailure(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return unavailable(true, err, "failed: %v", err)
}
