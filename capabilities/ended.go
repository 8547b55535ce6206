package capabilities

import (
	"context"
	"errors"
)

// The ways a call ends that are no code. A call that its caller gave up is answered to
// nobody; the code that it would get is that of one that took too long.
const (
	EndedOK        = "ok"        // it was not refused
	EndedCancelled = "cancelled" // its caller went away, or this server stopped, before it ended
)

// EndedAs answers in one word how a call ended whose error this is: [EndedOK],
// [EndedCancelled], or the code of its refusal. What claims no code is
// [InternalError].
func EndedAs(err error) string {
	if err == nil {
		return EndedOK
	}
	e, refused := AsError(err)
	switch {
	case !refused:
		return string(InternalError)
	case e.Code == Timeout && errors.Is(err, context.Canceled):
		return EndedCancelled
	}
	return string(e.Code)
}
