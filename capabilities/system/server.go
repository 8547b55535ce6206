package system

import "github.com/seed-89b9419b/holotype/internal/signin"

// Server is how one configured MCP server is doing. Where every seat has a child of
// its own, what is said here is of all of them, and instances has each.
type Server struct {
	// The name it has in the configuration.
	Name string `json:"name"`
	// What its tools' names begin with.
	Prefix string `json:"prefix"`
	// How it is reached.
	Transport ReachedBy `json:"transport"`
	// Whether one instance serves everybody; else every seat that has credentials for it has its own.
	Shared bool `json:"shared"`
	// How it is doing.
	State State `json:"state"`
	// Why it is not running, and what to do; absent while it runs.
	Reason string `json:"reason,omitempty"`
	// The protocol version that was agreed on.
	ProtocolVersion string `json:"protocol_version,omitempty"`
	// The name and version it gives itself.
	Identity string `json:"identity,omitempty"`
	// How it is started or reached. No value that may be secret is in it.
	Launch Launch `json:"launch"`
	// How many of its tools are listed.
	Tools int `json:"tools"`
	// How many bytes its tools take in a list.
	Bytes int `json:"bytes"`
	// The tools it sent that are not listed, each with the reason.
	Skipped []Skipped `json:"skipped"`
	// How many tools were left out by allow and deny.
	Filtered int `json:"filtered,omitempty"`
	// How many tools' published schemas were repaired.
	Repaired int `json:"repaired"`
	// Names in tool_annotations that it lists no tool of.
	UnlistedAnnotations []string `json:"unlisted_annotations,omitempty"`
	// Patterns in allow and deny that no tool of it matches.
	UnmatchedPatterns []string `json:"unmatched_patterns,omitempty"`
	// The methods of the protocol that are relayed to it beside calls of its tools.
	Relays []string `json:"relays,omitempty"`
	// The switches of relay that are off for it.
	RelayOff []string `json:"relay_off,omitempty"`
	// Other servers that are started or reached the very same way: the tools are there twice.
	SameLaunch []string `json:"same_launch,omitempty"`
	// Tools whose hints moved towards danger since they were accepted.
	Drifts []Drift `json:"drifts,omitempty"`
	// How many lines on its standard output were no protocol messages.
	JunkLines int `json:"junk_lines,omitempty"`
	// When it is started again, as RFC 3339; absent when no start is due.
	NextStart string `json:"next_start,omitempty"`
	// How it stands with a sign-in; absent where it never asked for one, has none, or every seat has its own.
	SignIn *SignIn `json:"sign_in,omitempty"`
	// Each child, or connection, of it.
	Instances []Instance `json:"instances"`
}

// Launch is how a server is started or reached.
type Launch struct {
	// The program.
	Command string `json:"command,omitempty"`
	// Its arguments.
	Args []string `json:"args,omitempty"`
	// The directory it is started in.
	Cwd string `json:"cwd,omitempty"`
	// The names of the variables that the configuration gives it.
	Env []string `json:"env,omitempty"`
	// The address, without what may be a credential.
	URL string `json:"url,omitempty"`
	// The names of the headers that the configuration gives.
	Headers []string `json:"headers,omitempty"`
}

// Instance is one child of a server, or one connection to it.
type Instance struct {
	// The seat whose own it is; absent for the one that everybody shares.
	Seat string `json:"seat,omitempty"`
	// How it is doing.
	State State `json:"state"`
	// What failed: configuration, start, handshake, list, call or run; absent while it runs.
	Phase string `json:"phase,omitempty"`
	// Why it is not running; absent while it runs.
	Reason string `json:"reason,omitempty"`
	// How it last went down after it had been running.
	LastExit string `json:"last_exit,omitempty"`
	// When that was, as RFC 3339.
	LastExitAt string `json:"last_exit_at,omitempty"`
	// The last lines it wrote to standard error.
	StderrTail []string `json:"stderr_tail,omitempty"`
	// How often it was started again.
	Restarts int `json:"restarts"`
	// When it is started again, as RFC 3339; absent when no start is due.
	NextStart string `json:"next_start,omitempty"`
	// The protocol version that was agreed on.
	ProtocolVersion string `json:"protocol_version,omitempty"`
	// The name and version it gives itself.
	Identity string `json:"identity,omitempty"`
	// How many of its tools are listed.
	Tools int `json:"tools"`
	// How it stands with a sign-in; absent where it never asked for one, and has none.
	SignIn *SignIn `json:"sign_in,omitempty"`
}

// SignIn is how an instance of a server stands with a sign-in by OAuth. No token is in it.
type SignIn struct {
	// Whether somebody is signed in, or has to.
	State SignInState `json:"state"`
	// Why a sign-in is needed.
	Reason string `json:"reason,omitempty"`
	// The authorization server, as far as it is known.
	Issuer string `json:"issuer,omitempty"`
	// What was granted, or is asked for.
	Scopes []string `json:"scopes,omitempty"`
	// Since when somebody is signed in, as RFC 3339.
	Since string `json:"since,omitempty"`
	// Until when, as RFC 3339; absent where it is renewed by itself, or the end is not known.
	Until string `json:"until,omitempty"`
	// The page of this server that begins a sign-in, for the owner's browser; absent where none is needed, or it serves no pages.
	Link string `json:"link,omitempty"`
}

// SignInState is the word of a [signin.State].
type SignInState string

// SchemaEnum lists the members.
func (SignInState) SchemaEnum() []string {
	return []string{string(signin.SignedOut), string(signin.Needed), string(signin.SignedIn)}
}

// Drift is a tool whose hints moved towards danger.
type Drift struct {
	// The tool's listed name.
	Tool string `json:"tool"`
	// The seat whose instance it is; absent for one that everybody shares.
	Seat string `json:"seat,omitempty"`
	// What moved, in words.
	Change string `json:"change"`
	// Since when, as RFC 3339.
	Since string `json:"since"`
	// Whether calls are refused until the hints are accepted.
	Held bool `json:"held"`
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
	// PartlyFailing is a server of which some seats' instances run and some do not.
	PartlyFailing State = "partly_failing"
	Failing       State = "failing"
	Waiting       State = "waiting_for_credentials"
	// NotStarted is a server that no seat has credentials for.
	NotStarted State = "not_started"
	// NotReported is a server that the process which answers did not start: nothing is
	// known of it.
	NotReported State = "not_reported"
	Stopped     State = "stopped"
)

// SchemaEnum lists the members.
func (State) SchemaEnum() []string {
	return []string{
		string(Starting), string(Running), string(PartlyFailing), string(Failing), string(Waiting), string(NotStarted), string(NotReported), string(Stopped),
	}
}

// ReachedBy is how a server that is bridged is reached: a transport of MCP, or by the requests
// that an OpenAPI document describes.
type ReachedBy string

// SchemaEnum lists the members.
func (ReachedBy) SchemaEnum() []string { return append(Transport("").SchemaEnum(), "openapi") }

// Transport is how a server is reached.
type Transport string

// SchemaEnum lists the members.
func (Transport) SchemaEnum() []string { return []string{"stdio", "http", "sse"} }
