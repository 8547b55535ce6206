package bridge

import "time"

// State is where a server stands.
type State string

// The closed set of states.
const (
	StateStarting State = "starting" // started for the first time, or again
	StateReady    State = "ready"
	StateFailed   State = "failed" // its start failed; it is tried again
	StateExited   State = "exited" // it was ready and went down; it is started again
	// StateHeld is that of a server that waits for credentials: its configuration does
	// not resolve, and it is not started; or it refuses the credential it is given.
	StateHeld    State = "held"
	StateStopped State = "stopped"
)

// A Status is what there is to know of one server. It holds no value of an
// environment, a header or a url.
type Status struct {
	Name      string
	Prefix    string
	Transport string // as reached, or as configured before that
	State     State
	Reason    string // why it is not ready; "" when it is
	Phase     string // what failed: "start", "handshake", "list", "run", "call", "configuration"
	Stderr    string // the last lines of a failed child's standard error, printable
	Restarts  int
	NextTry   time.Time // zero when none is due

	Version      string // the protocol version, "" before the handshake
	Modern       bool   // 2026-07-28 or later
	ServerName   string // what the server calls itself
	ServerTitle  string
	ServerNumber string // its own version

	Tools     int       // presented
	Filtered  int       // left out by the configuration
	Skipped   []Skipped // left out for a fault of theirs
	Repaired  int       // presented with a repaired schema
	OddHints  int       // hints whose value is no boolean, taken as unknown
	Unlisted  []string  // overrides of tools the server does not list
	JunkLines int       // lines of its output that are no message
}

// A Skipped is a tool, or a part of a list, that is not presented, and why.
type Skipped struct {
	Tool   string // its own name, or where it stood; "" for the list itself
	Reason string
}
