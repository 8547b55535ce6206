package capabilities

import (
	"encoding/json"
	"fmt"
)

// ServerError is the JSON-RPC error that another server answered a relayed method with, in
// its own words. It is in the chain of the refusal that stands for it.
type ServerError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil for none
}

// Error says what the server answered.
func (e *ServerError) Error() string {
	return fmt.Sprintf("the server answered error %d: %s", e.Code, clip(e.Message))
}
