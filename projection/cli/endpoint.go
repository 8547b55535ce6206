package cli

import (
	"context"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// Endpoint is how a command line names another MCP server: what goes with the address or
// the command of it.
type Endpoint struct {
	Command string   // that names it, as it stands in messages
	Prefix  string   // before the names of its flags, such as "old-"
	Name    string   // that clients know it by; "" is its own
	Headers []string // for an address, as "Name: value"
	Env     []string // for a command, as "NAME=VALUE", or "NAME" to hand on one of HostEnv
	// HostEnv answers the environment of this process; nil is an empty one.
	HostEnv func() []string
}

// EndpointFlags answers the flags of [Endpoint], for further commands.
func EndpointFlags(prefix, whose string) []Flag {
	return []Flag{
		{Name: prefix + flagHeader, Usage: "a header for every request to the url" + whose + ", as 'Name: value'; any number of times", Kind: List},
		{Name: prefix + flagEnv, Usage: "a variable for the command" + whose + ", as NAME=VALUE, or NAME to hand on this one's; any number of times", Kind: List},
	}
}

// TimeoutFlag answers the flag that bounds how long a server is waited for.
func TimeoutFlag() Flag {
	return Flag{Name: flagTimeout, Word: "DURATION", Usage: timeoutUsage}
}

const timeoutUsage = "how long the handshake and the list may take together, such as 30s; the default is a minute for each, three for a package runner"

// EndpointOf answers the endpoint of a command that has [EndpointFlags].
func EndpointOf(inv Invocation, command, prefix string, hostEnv func() []string) Endpoint {
	return Endpoint{Command: command, Prefix: prefix, Headers: inv.List(prefix + flagHeader), Env: inv.List(prefix + flagEnv), HostEnv: hostEnv}
}

// Limit reads the value of a flag that is a time; "" is 0. The error is one of usage.
func Limit(flag, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, Usage("--%s is a time above zero with its unit, such as 30s or 2m, not %s", flag, quoted(text))
	}
	return d, nil
}

// Observe looks at a server: it shakes hands, reads the list, calls nothing and leaves
// nothing running. The error says what failed, what the server last wrote to its
// standard error, and what to do about a credential.
func (e Endpoint) Observe(ctx context.Context, s bridge.Server, version string, limit time.Duration) (*bridge.Observation, error) {
	// There are servers that list tools only to a client that can do what they need. This one is
	// told what one behind a bridge is told, where its configuration says nothing of that.
	s.Relay = bridge.Relay{Elicitation: true}
	probe := bridge.ProbeOptions{Version: version, Timeout: limit}
	if e.HostEnv != nil {
		probe.HostEnv = e.HostEnv()
	}
	seen, err := bridge.Probe(ctx, s, probe)
	if err != nil {
		return nil, withRemedy(withStderr(err), s, e.Prefix+flagHeader)
	}
	return seen, nil
}

// OfURL answers the server at an address. The error is one of usage.
func (e Endpoint) OfURL(address string) (*bridge.Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, Usage("%s is no http or https address; a command stands behind --, such as: %s -- %s", quoted(address), e.Command, escape(address, false))
	}
	if len(e.Env) > 0 {
		return nil, Usage("--%s is for a command: a url has no environment", e.Prefix+flagEnv)
	}
	s := &bridge.Server{Name: e.Name, URL: address, Headers: map[string]string{}}
	for _, line := range e.Headers {
		name, value, ok := strings.Cut(line, ":")
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		_, twice := s.Headers[name]
		switch {
		case !ok || name == "":
			// The text may hold a credential: it is not repeated.
			return nil, Usage("--%s is 'Name: value', and one of those given has no name or no colon", e.Prefix+flagHeader)
		case twice:
			return nil, Usage("--%s gives %s twice", e.Prefix+flagHeader, quoted(name))
		}
		s.Headers[name] = strings.TrimSpace(value)
	}
	return s, nil
}

// OfCommand answers the server that a command starts: the program and its arguments.
// The error is one of usage.
func (e Endpoint) OfCommand(args []string) (*bridge.Server, error) {
	if len(e.Headers) > 0 {
		return nil, Usage("--%s is for a url: a command gets --%s", e.Prefix+flagHeader, e.Prefix+flagEnv)
	}
	s := &bridge.Server{Name: e.Name, Command: args[0], Args: args[1:], Env: map[string]string{}}
	for _, word := range e.Env {
		name, value, given := strings.Cut(word, "=")
		if !given {
			if value, given = variable(e.HostEnv, name); !given {
				return nil, Usage("--%s %s hands on a variable that is not set: set it, or give NAME=VALUE", e.Prefix+flagEnv, quoted(name))
			}
		}
		s.Env[name] = value
	}
	return s, nil
}

func variable(hostEnv func() []string, name string) (value string, ok bool) {
	if hostEnv == nil {
		return "", false
	}
	for _, kv := range hostEnv() {
		if v, found := strings.CutPrefix(kv, name+"="); found && name != "" {
			value, ok = v, true
		}
	}
	return value, ok
}
