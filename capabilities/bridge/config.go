package bridge

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The transports a server may be reached by. Left empty, a command is
// [TransportStdio] and a url is [TransportHTTP].
const (
	TransportStdio = "stdio"
	// TransportHTTP is streamable HTTP; an endpoint that refuses it the way those of
	// 2024-11-05 do is reached by TransportSSE instead.
	TransportHTTP = "http"
	TransportSSE  = "sse" // HTTP+SSE of 2024-11-05
)

const (
	defaultStartup = time.Minute
	// A package runner downloads at its first start.
	defaultRunnerStartup = 3 * time.Minute
)

// A Server says how one MCP server is started or reached, and how its tools are
// presented. One of Command, URL and Peer is set.
type Server struct {
	Name string // 1 to 64 printable characters
	// Seat is "" for a server that everybody shares, else the seat whose own child, or
	// session, this is. The instances of one name have another seat each, and share
	// the name, the prefix and nothing else.
	Seat string

	Command string
	Args    []string          // byte for byte, no shell
	Env     map[string]string // beside what any program needs of the host
	Cwd     string            // "" for the directory of this process

	URL     string
	Headers map[string]string // sent with every request, to this origin only

	// Auth authorizes the requests, to this origin only, where Headers has no Authorization;
	// nil for none. AuthAs differs where it authorizes otherwise: the server is started
	// again then.
	Auth   Authorizer
	AuthAs string

	// Peer is a server that speaks another protocol, in place of Command and URL. Headers
	// and Secrets are masked as for any.
	Peer Peer

	Transport  string // "" or one of the constants
	ToolPrefix string // put before every tool's name as it stands; "" derives one ending in "__"

	// Annotations override hints, by a tool's own name or its exposed one.
	Annotations map[string]Override
	// Allow names the tools to keep, by their own name, exactly or with a trailing
	// "*"; nil keeps all, empty keeps none. Deny leaves out, and wins.
	Allow, Deny []string

	StartupTimeout time.Duration // of the handshake, and again of the first list; 0 for a default
	CallTimeout    time.Duration // of one call; 0 is [capabilities.DefaultTimeout]

	Limits Limits
	Relay  Relay

	// Drift is what becomes of a tool whose hints moved towards danger since they were
	// accepted: DriftMark, which "" means too, or DriftHold.
	Drift string

	// Secrets are what the variables of the configuration stood for, by their names. They
	// are masked in what the server answers.
	Secrets map[string]string

	// ShownArgs and ShownURL are what a [Launch] shows of Args and URL, whose secrets
	// only the configuration can tell; nil and "" show them as far as they are known to
	// hold none.
	ShownArgs []string
	ShownURL  string

	// Unresolved says why the server must not be started, such as a variable that is
	// not set. One sentence each; empty means it can be.
	Unresolved []string
}

func (s *Server) key() Key { return Key{Seat: s.Seat, Server: s.Name} }

func (s *Server) startupTimeout() time.Duration {
	switch {
	case s.StartupTimeout > 0:
		return s.StartupTimeout
	case s.Command != "" && isRunner(s.Command):
		return defaultRunnerStartup
	}
	return defaultStartup
}

func (s *Server) callTimeout() time.Duration {
	if s.CallTimeout > 0 {
		return s.CallTimeout
	}
	return capabilities.DefaultTimeout
}

// transport answers how the server is configured to be reached.
func (s *Server) transport() string {
	switch {
	case s.Peer != nil:
		return s.Peer.Kind()
	case s.Transport != "":
		return s.Transport
	case s.Command != "":
		return TransportStdio
	}
	return TransportHTTP
}

// kind is what its capabilities come from, see [capabilities.BridgedSpec].
func (s *Server) kind() string {
	if s.Peer != nil {
		return s.Peer.Kind()
	}
	return ""
}

// authorizes reports whether Auth is what the server is asked with.
func (s *Server) authorizes() bool {
	if s.Auth == nil || s.URL == "" {
		return false
	}
	for name := range s.Headers {
		if strings.EqualFold(name, headerAuthorization) {
			return false
		}
	}
	return true
}

// Prefix answers what the names of its tools begin with.
func (s Server) Prefix() string { return s.prefix() }

func (s *Server) prefix() string {
	if s.ToolPrefix != "" {
		return s.ToolPrefix
	}
	return derivePrefix(s.Name)
}

// keeps reports whether Allow and Deny leave a tool in.
func (s *Server) keeps(t *wireTool) bool {
	match := t.matches
	return !slices.ContainsFunc(s.Deny, match) && (s.Allow == nil || slices.ContainsFunc(s.Allow, match))
}

// matches reports whether a pattern of Allow or Deny is about a tool.
func (t *wireTool) matches(pattern string) bool {
	return matches(pattern, t.name) || t.also != "" && matches(pattern, t.also)
}

// matches reports whether a pattern of Allow or Deny is about a name.
func matches(pattern, tool string) bool {
	if stem, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(tool, stem)
	}
	return pattern == tool
}

// unmatched answers the patterns of Allow and Deny that are about none of the tools. A
// lone "*" is about all there are, even when there are none.
func (s *Server) unmatched(tools []*wireTool) []string {
	var all []string
	for _, pattern := range slices.Concat(s.Allow, s.Deny) {
		about := func(t *wireTool) bool { return t.matches(pattern) }
		if pattern != "*" && !slices.ContainsFunc(tools, about) && !slices.Contains(all, pattern) {
			all = append(all, pattern)
		}
	}
	return all
}

// A Fault is one thing that is wrong with a configuration.
type Fault struct {
	Seat    string // of the instance, "" for a shared one
	Server  string // the server's name
	Field   string // the field of [Server], in the configuration's spelling
	Message string
}

// Error answers the fault as one line.
func (f Fault) Error() string {
	return fmt.Sprintf("server %q: %s: %s", Key{f.Seat, f.Server}, f.Field, f.Message)
}

// Faults are everything that is wrong with a configuration.
type Faults []Fault

// Error answers one line a fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

func joinFaults(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(faults, "; "))
}

// checkServers answers every fault of the servers, each alone and with the
// others. reserved are names that are not to be had, such as those of packs.
func checkServers(servers []Server, reserved []string) Faults {
	var faults Faults
	for i, s := range servers {
		add := func(field, format string, args ...any) {
			faults = append(faults, Fault{s.Seat, s.Name, field, fmt.Sprintf(format, args...)})
		}
		if why := checkServerName(s.Name); why != "" {
			add("name", "%s", why)
		}
		if slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, s.Name) }) {
			add("name", "it is the name of a pack of this program; choose another")
		}
		if s.ToolPrefix != "" && !prefixGrammar.MatchString(s.ToolPrefix) {
			add("tool_prefix", "%q does not match %s", s.ToolPrefix, prefixGrammar)
		}
		if why := s.checkDrift(); why != "" {
			add("drift", "%s, not %q", why, s.Drift)
		}
		s.checkLaunch(add)
		for j := range servers[:i] {
			before := &servers[j]
			if before.Name == s.Name {
				s.checkInstance(before, add)
			} else if why := prefixClash(before.prefix(), s.prefix()); why != "" {
				add("tool_prefix", "servers %q and %q: %s; declare another tool_prefix", before.Name, s.Name, why)
			}
		}
	}
	return faults
}

// checkInstance says what is wrong with two servers of one name.
func (s *Server) checkInstance(before *Server, add func(field, format string, args ...any)) {
	switch {
	case before.Seat == s.Seat && s.Seat == "":
		add("name", "another server has it")
	case before.Seat == s.Seat:
		add("name", "another server of the seat %q has it", s.Seat)
	case before.Seat == "" || s.Seat == "":
		add("shared", "it is shared by all and a seat has one of its own: a server is either")
	case before.prefix() != s.prefix():
		add("tool_prefix", "its instances for the seats %q and %q have the prefixes %q and %q, and need one", before.Seat, s.Seat, before.prefix(), s.prefix())
	}
}

func (s *Server) checkLaunch(add func(field, format string, args ...any)) {
	switch s.Transport {
	case "", TransportStdio, TransportHTTP, TransportSSE:
	default:
		add("transport", "%q is none of %s, %s and %s", s.Transport, TransportStdio, TransportHTTP, TransportSSE)
	}
	switch {
	case s.Peer != nil && (s.Command != "" || s.URL != ""):
		add("command", "a server is reached one way: by a command, a url, or otherwise")
	case s.Peer != nil:
	case s.Command != "" && s.URL != "":
		add("command", "a server has a command or a url, not both")
	case s.Command == "" && s.URL == "" && len(s.Unresolved) == 0:
		add("command", "a server needs a command or a url")
	case s.Command != "" && s.Transport != "" && s.Transport != TransportStdio:
		add("transport", "a server with a command is reached by %s", TransportStdio)
	case s.URL != "" && s.Transport == TransportStdio:
		add("transport", "a server with a url is not reached by %s", TransportStdio)
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			add("url", "it is not an http or https address")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if name == "" || strings.ContainsFunc(name, notToken) {
			add("headers", "%q is not a header name", name)
		} else if strings.ContainsFunc(s.Headers[name], notFieldValue) {
			add("headers", "the value of %q has a line end or another control character", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			add("env", "%q is not a variable name", name)
		} else if strings.ContainsRune(s.Env[name], 0) {
			add("env", "the value of %q has a NUL character, which no variable can hold", name)
		}
	}
	if s.StartupTimeout < 0 || s.CallTimeout < 0 {
		add("startup_timeout", "a time limit is not negative")
	}
	if s.Limits.ConcurrentCalls < 0 || s.Limits.CallsPerMinute < 0 || s.Limits.ResultBytes < 0 {
		add("limits", "a limit is not negative")
	}
}

// notFieldValue reports what RFC 9110 section 5.5 does not allow in a field value.
func notFieldValue(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
