package bridge

import (
	"maps"
	"net/url"
	"slices"
	"time"
)

// State is where a server stands.
type State string

// The closed set of states.
const (
	StateIdle     State = "idle"     // the bridge was not started: nothing is known of it
	StateStarting State = "starting" // started for the first time, or again
	StateReady    State = "ready"
	StateFailed   State = "failed" // its start failed; it is tried again
	StateExited   State = "exited" // it was ready and went down; it is started again
	// StateHeld is that of a server that waits for credentials: its configuration does
	// not resolve, and it is not started; or it refuses the credential it is given.
	StateHeld    State = "held"
	StateStopped State = "stopped"
)

// A Status is what there is to know of one instance of a server. It holds no value of
// an environment, a header or a url, and every text is printable and bounded.
type Status struct {
	Name      string
	Seat      string // whose own it is; "" for one that everybody shares
	Prefix    string
	Transport string // as reached, or as configured before that
	State     State
	Reason    string // why it is not ready; "" when it is
	Phase     string // what failed: "start", "handshake", "list", "run", "call", "configuration"
	// Held says of a server that is not started what its configuration lacks, one
	// sentence for every variable.
	Held     []string
	Stderr   string // the last lines of a child's standard error: of the one that runs, or the last one
	Restarts int
	NextTry  time.Time // zero when none is due
	LastExit Exit      // how it last went down after it was ready; zero when it never did

	Launch Launch
	// SameLaunch are other instances that are started, or reached, the same way with the
	// same values. That is a warning: the tools are there twice.
	SameLaunch []Key

	Version      string // the protocol version, "" before the handshake
	Modern       bool   // 2026-07-28 or later
	ServerName   string // what the server calls itself
	ServerTitle  string
	ServerNumber string // its own version

	Tools     int       // presented
	Bytes     int       // of the presented tools, as tools/list writes them
	Filtered  int       // left out by the configuration
	Skipped   []Skipped // left out for a fault of theirs
	Repaired  int       // presented with a repaired schema
	OddHints  int       // hints whose value is no boolean, taken as unknown
	Unlisted  []string  // overrides of tools the server does not list
	Unmatched []string  // patterns of Allow and Deny that no listed tool matches
	Drifts    []Drift   // tools whose hints moved towards danger since they were accepted
	JunkLines int       // lines of its output that are no message

	Relays   []string // the methods that are relayed to it beside calls of its tools
	RelayOff []string // the names of the switches of its [Relay] that are off; nil of a server that speaks no MCP
}

// Load is how busy one instance of a server is.
type Load struct {
	Key
	State    State
	Restarts int
	Tools    int
	Running  int // calls that it has not answered yet
	Waiting  int // calls that wait for their turn
}

// Loads answers how busy every instance of a server is. It costs far less than
// [Bridge.Status].
func (b *Bridge) Loads() []Load {
	var all []Load
	for _, s := range b.supervisors() {
		s.mu.Lock()
		one := Load{Key: s.key, State: s.state, Restarts: s.restarts, Tools: len(s.shown.tools)}
		s.mu.Unlock()
		one.Running, one.Waiting = s.calls.Running(), s.limits.waiting()
		all = append(all, one)
	}
	return all
}

// Key is the instance's key.
func (s *Status) Key() Key { return Key{Seat: s.Seat, Server: s.Name} }

// A Skipped is a tool, or a part of a list, that is not presented, and why.
type Skipped struct {
	Tool   string // its own name, or where it stood; "" for the list itself
	Reason string
}

// An Exit is how a server went down.
type Exit struct {
	Reason string // a clause that follows the server's name
	At     time.Time
}

// A Launch is how a server is started or reached, without a value that may be secret:
// of an environment and of headers it has the names, and the arguments and the url are
// as [Server] says to show them; without that a url has nothing before the host or
// behind the path.
type Launch struct {
	Command string
	Args    []string
	Cwd     string
	Env     []string // the names
	URL     string
	Headers []string // the names
}

const (
	maxLaunchText  = 500
	maxLaunchTexts = 100
)

func (sp *spec) launchFacts() Launch {
	text := func(t string) string { return bounded(printable([]byte(sp.redact(t))), maxLaunchText) } // what is cut cannot be told any more
	texts := func(all []string) []string {
		var out []string
		for _, t := range all[:min(len(all), maxLaunchTexts)] {
			out = append(out, text(t))
		}
		return out
	}
	args, address := sp.conf.Args, bareURL(sp.conf.URL)
	if sp.conf.ShownArgs != nil {
		args = sp.conf.ShownArgs
	}
	if sp.conf.ShownURL != "" {
		address = sp.conf.ShownURL
	}
	return Launch{
		Command: text(sp.conf.Command), Args: texts(args), Cwd: text(sp.conf.Cwd), URL: text(address),
		Env: texts(slices.Sorted(maps.Keys(sp.conf.Env))), Headers: texts(slices.Sorted(maps.Keys(sp.conf.Headers))),
	}
}

func eachLine(texts []string) []string {
	var all []string
	for _, t := range texts {
		all = append(all, oneLine(t))
	}
	return all
}

func eachName(names []string) []string {
	var all []string
	for _, n := range names {
		all = append(all, oneName(n))
	}
	return all
}

// bareURL is a url without the parts that may hold a credential.
func bareURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (s *supervisor) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, sp := s.shown, s.spec
	st := Status{
		Name: s.key.Server, Seat: s.key.Seat, Prefix: sp.conf.prefix(), Transport: s.seen.kind, State: s.state, Reason: s.reason, Phase: s.phase,
		Held: eachLine(sp.conf.Unresolved), Stderr: s.stderr, Restarts: s.restarts, NextTry: s.next, LastExit: s.lastExit,
		Launch: sp.launchFacts(), Version: s.seen.version, Modern: s.seen.modern,
		ServerName: s.seen.name, ServerTitle: s.seen.title, ServerNumber: s.seen.number, Tools: len(p.tools), Bytes: p.bytes, Filtered: p.filtered,
		Repaired: p.repaired, OddHints: p.oddHints, Unlisted: eachName(p.unlisted), Unmatched: eachName(p.unmatched),
		JunkLines: int(s.junk.Load()),
	}
	for _, c := range p.relays {
		st.Relays = append(st.Relays, c.Method())
	}
	if sp.conf.Peer == nil {
		st.RelayOff = sp.conf.Relay.off()
	}
	for _, one := range slices.Concat(p.skipped, skippedOwn(p.own)) {
		st.Skipped = append(st.Skipped, Skipped{oneName(one.Tool), sp.redact(oneLine(one.Reason))})
	}
	for _, d := range p.drifts {
		d.Tool = oneName(d.Tool)
		st.Drifts = append(st.Drifts, d)
	}
	if s.link != nil && s.link.stderr != nil {
		st.Stderr = sp.redact(s.link.stderr())
	}
	return st
}

// Status answers where every instance of a server stands, in the order of the
// configuration.
func (b *Bridge) Status() []Status {
	all := b.supervisors()
	out := make([]Status, len(all))
	twins := map[[32]byte][]Key{}
	prints := make([][32]byte, len(all))
	for i, s := range all {
		out[i] = s.status()
		if sp := s.specNow(); !sp.held() {
			prints[i] = sp.launch
			twins[sp.launch] = append(twins[sp.launch], s.key)
		}
	}
	for i, s := range all {
		for _, k := range twins[prints[i]] {
			if k != s.key {
				out[i].SameLaunch = append(out[i].SameLaunch, k)
			}
		}
	}
	return out
}
