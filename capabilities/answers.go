package capabilities

import "fmt"

// Answers says what a result is a function of. Parity tests compare results that
// follow from the input or the store across surfaces and processes, and how long
// a result may be cached follows from it.
type Answers uint8

// The closed set. The zero value is the default.
const (
	// FromStore results follow from the input and the store.
	FromStore Answers = iota
	// FromInput results follow from the input alone.
	FromInput
	// FromProcess results also follow from this process: its clock, its servers.
	FromProcess
	// FromWorld results follow from something outside this server.
	FromWorld
)

// String answers the word: "store", "input", "process" or "world".
func (a Answers) String() string {
	switch a {
	case FromStore:
		return "store"
	case FromInput:
		return "input"
	case FromProcess:
		return "process"
	case FromWorld:
		return "world"
	}
	return fmt.Sprintf("answers(%d)", uint8(a))
}
