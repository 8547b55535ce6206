package capabilities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Asker is the client that makes a call, as somebody who can be asked something before the
// call is answered, and told something meanwhile. The messages are those that a server of
// the Model Context Protocol sends to its client: "elicitation/create",
// "sampling/createMessage" and "roots/list", with params and results as the revision
// 2025-11-25 has them, whichever one the client speaks. It is safe for concurrent use, and
// of no use once the call is answered.
type Asker interface {
	// Takes reports whether the client said that it answers such a question. Ask answers
	// [ErrUnasked] to any other.
	Takes(method string, params json.RawMessage) bool
	// Client tells clients apart: two calls with one Client are made by the same one. "" is
	// a client that nothing is known of, and is like no other.
	Client() string
	// Ask puts a question and waits for the answer, which is the result object, until ctx
	// ends. [ErrUnasked] is answered at once where the client did not say that it answers
	// such questions, or is not to be asked any more; [ErrUnanswered] where it cannot answer
	// any more; a [*ClientError] where it refuses to; and the error of ctx in the end. A
	// client that answers in another request than the one that made the call (2026-07-28)
	// is not there meanwhile: whatever is to have the client's eyes waits for the answer.
	Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Tell sends a notification that belongs to the call, such as
	// "notifications/elicitation/complete". One that cannot be delivered is dropped.
	Tell(method string, params json.RawMessage)
}

// ErrUnasked is the error of a question that was not put.
var ErrUnasked = errors.New("the client of this call cannot be asked that")

// ErrUnanswered is the error of a question whose answer cannot come any more.
var ErrUnanswered = errors.New("the client of this call is gone and did not answer")

// ClientError is the JSON-RPC error that a client answers a question with. Its words are the
// client's own.
type ClientError struct {
	Code    int64
	Message string
}

// Error says what the client answered.
func (e *ClientError) Error() string {
	return fmt.Sprintf("the client answered error %d: %s", e.Code, clip(e.Message))
}
