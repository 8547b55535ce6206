package system

// Server is the state of one configured MCP server.
type Server struct {
	// The name it has in the configuration.
	Name string `json:"name"`
	// What its tools' names begin with.
	Prefix string `json:"prefix"`
	// How it is reached.
	Transport Transport `json:"transport"`
	// How it is doing.
	State State `json:"state"`
	// Why it is not running, and what to do; absent while it runs.
	Reason string `json:"reason,omitempty"`
	// The protocol version that was agreed on.
	ProtocolVersion string `json:"protocol_version,omitempty"`
	// The name and version it gives itself.
	Identity string `json:"identity,omitempty"`
	// How many of its tools are listed.
	Tools int `json:"tools"`
	// The tools it sent that are not listed, each with the reason.
	Skipped []Skipped `json:"skipped"`
	// How many tools' published schemas were repaired.
	Repaired int `json:"repaired"`
	// How many lines on its standard output were no protocol messages.
	JunkLines int `json:"junk_lines,omitempty"`
	// When it is started again, as RFC 3339; absent when no start is due.
	NextStart string `json:"next_start,omitempty"`
}

// Skipped is a tool that a server sent and that is not listed.
type Skipped struct {
	// The name the server knows it by.
	Tool string `json:"tool"`
	// Why it is not listed.
	Reason string `json:"reason"`
}

// State is how a server is doing.
type State string

// The closed set of states.
const (
	Starting State = "starting"
	Running  State = "running"
	Failing  State = "failing"
	Waiting  State = "waiting_for_credentials"
	Stopped  State = "stopped"
)

// SchemaEnum lists the members.
func (State) SchemaEnum() []string {
	return []string{string(Starting), string(Running), string(Failing), string(Waiting), string(Stopped)}
}

// Transport is how a server is reached.
type Transport string

// SchemaEnum lists the members.
func (Transport) SchemaEnum() []string { return []string{"stdio", "http", "sse"} }
