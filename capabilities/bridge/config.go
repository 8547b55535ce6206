package bridge

import (
	"fmt"
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
// presented. Either Command or URL is set.
type Server struct {
	Name    string // 1 to 64 printable characters, unique
	Command string
	Args    []string          // byte for byte, no shell
	Env     map[string]string // beside what any program needs of the host
	Cwd     string            // "" for the directory of this process

	URL     string
	Headers map[string]string // sent with every request, to this origin only

	Transport  string // "" or one of the constants
	ToolPrefix string // put before every tool's name as it stands; "" derives one ending in "__"

	// Annotations override hints, by a tool's own name or its exposed one.
	Annotations map[string]Override
	// Allow names the tools to keep, by their own name, exactly or with a trailing
	// "*"; nil keeps all, empty keeps none. Deny leaves out, and wins.
	Allow, Deny []string

	StartupTimeout time.Duration // of the handshake, and again of the first list; 0 for a default
	CallTimeout    time.Duration // of one call; 0 is [capabilities.DefaultTimeout]

	// Secrets are what the variables of the configuration stood for, by their names. They
	// are masked in what the server answers.
	Secrets map[string]string

	// Unresolved says why the server must not be started, such as a variable that is
	// not set. One sentence each; empty means it can be.
	Unresolved []string
}

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
	case s.Transport != "":
		return s.Transport
	case s.Command != "":
		return TransportStdio
	}
	return TransportHTTP
}

func (s *Server) prefix() string {
	if s.ToolPrefix != "" {
		return s.ToolPrefix
	}
	return derivePrefix(s.Name)
}

// keeps reports whether Allow and Deny leave a tool in.
func (s *Server) keeps(tool string) bool {
	match := func(pattern string) bool {
		if stem, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(tool, stem)
		}
		return pattern == tool
	}
	return !slices.ContainsFunc(s.Deny, match) && (s.Allow == nil || slices.ContainsFunc(s.Allow, match))
}

// A Fault is one thing that is wrong with a configuration.
type Fault struct {
	Server  string // the server's name
	Field   string // the field of [Server], in the configuration's spelling
	Message string
}

// Error answers the fault as one line.
func (f Fault) Error() string {
	return fmt.Sprintf("server %q: %s: %s", f.Server, f.Field, f.Message)
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
			faults = append(faults, Fault{s.Name, field, fmt.Sprintf(format, args...)})
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
		s.checkLaunch(add)
		for _, before := range servers[:i] {
			if before.Name == s.Name {
				add("name", "another server has it")
			} else if why := prefixClash(before.prefix(), s.prefix()); why != "" {
				add("tool_prefix", "servers %q and %q: %s; declare another tool_prefix", before.Name, s.Name, why)
			}
		}
	}
	return faults
}

func (s *Server) checkLaunch(add func(field, format string, args ...any)) {
	switch s.Transport {
	case "", TransportStdio, TransportHTTP, TransportSSE:
	default:
		add("transport", "%q is none of %s, %s and %s", s.Transport, TransportStdio, TransportHTTP, TransportSSE)
	}
	switch {
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
	for name := range s.Headers {
		if name == "" || strings.ContainsFunc(name, notToken) {
			add("headers", "%q is not a header name", name)
		}
	}
	for name := range s.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			add("env", "%q is not a variable name", name)
		}
	}
	if s.StartupTimeout < 0 || s.CallTimeout < 0 {
		add("startup_timeout", "a time limit is not negative")
	}
}
