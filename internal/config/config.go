package config

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

// DefaultListen is where the HTTP surface listens when neither the configuration nor a flag says otherwise.
const DefaultListen = "127.0.0.1:4280"

// Config is a configuration that was read and checked. The zero value is not the default one: call [Load] with no path for that.
type Config struct {
	// File is the path of the YAML file, empty when there is none.
	File string
	// Auth says whether a call over HTTP needs a credential; [AuthToken] when the file does not say.
	Auth Auth
	// Listen is the host:port of the HTTP surface; [DefaultListen] when the file does not say.
	Listen string
	// Hosts are further names that the HTTP surface is reached by, "name" for any port or "name:port".
	Hosts []string
	// TLS and Proxy say how the HTTP surface is reached from other machines.
	TLS   TLS
	Proxy Proxy
	// Audit says where calls are noted besides the database of the audit.
	Audit Audit
	// Packs names the native packs to serve, in the order of the file. Nil means all of them; empty means none.
	Packs []string
	// Store says where what is written is kept.
	Store Store
	// Servers are the declared MCP servers: those of the file, those of the client's file, those that are stored, each in their order, disabled
	// ones left out. No two have the same name. One that is not [Server.Shared] is a template, with what its entry alone gives and a reason not to
	// start it; [Config.Instances] are what runs.
	Servers []Server
	// OpenAPIServers are the APIs that documents describe, in the order of the file. None has the name of one of Servers.
	OpenAPIServers []OpenAPIServer
	// People, Units and Seats are those of the file, in its order. Whatever they name exists.
	People []Person
	Units  []Unit
	Seats  []Seat
	// Gate are the rules for everybody, and Principals those of single principals; the rules of a seat stand with it.
	Gate       Gate
	Principals []PrincipalRules
	// RateLimits are the limits on the calls of each principal but the owner. Those of single principals and of seats stand with them.
	RateLimits RateLimits
	// Discovery says when a client's list of tools is too long for it.
	Discovery Discovery
	// Metrics says who may read the metrics, and Telemetry where spans and metrics are sent.
	Metrics   MetricsAccess
	Telemetry Telemetry
	// OAuth says from whom OAuth access tokens are taken; the zero value takes none.
	OAuth OAuth
	// Notices say what was read and is not acted on, in the order of the files.
	Notices []Notice

	lines     map[string]int
	instances []Server
	templates []Template
	variables []Variable
	// What Show and the entries are printed from: the file as it was read, and every declared server.
	read     file
	declared []declaration
}

// Instances returns what is to run: every shared server once, without a seat, and every template once for each seat that declares mcp_env
// for it, itself or through its unit; in the order of Servers and, within a template, of the seats.
func (c *Config) Instances() []Server { return slices.Clone(c.instances) }

// Templates returns the servers that are not shared, in the order of Servers.
func (c *Config) Templates() []Template { return slices.Clone(c.templates) }

// Template is a server of which every seat that declares mcp_env for it has a child of its own.
type Template struct {
	Name string
	// Seats are the seats that have one, in the order of the file.
	Seats []string
	// NotStarted says in one sentence why nothing runs, when there are no seats; else it is empty.
	NotStarted string
}

// Fault returns a fault at a path of the YAML file, such as packs[1], with the line on which that path was given. It is for what
// only the caller can judge, such as the name of a pack that does not exist.
func (c *Config) Fault(path, message string) Fault {
	return Fault{File: c.File, Line: c.lines[path], Path: path, Message: message}
}

// Auth says which credential a call over HTTP needs.
type Auth string

// The values of [Auth]. AuthNone is for loopback addresses only, which [LoopbackOnly] checks when the address is known.
const (
	AuthToken Auth = "token"
	AuthNone  Auth = "none"
)

// Transport says how an MCP server is reached.
type Transport string

// The values of [Transport]. A server with a command is TransportStdio; one with a url is TransportHTTP (streamable HTTP)
// unless its entry says TransportSSE.
const (
	TransportStdio Transport = "stdio"
	TransportHTTP  Transport = "http"
	TransportSSE   Transport = "sse"
)

// Drift says what becomes of a tool whose hints changed towards danger since an operator accepted them.
type Drift string

// The values of [Drift]. DriftHold keeps the tool listed and refuses its calls until it is accepted; DriftWarn says so and lets them pass.
const (
	DriftWarn Drift = "warn"
	DriftHold Drift = "hold"
)

// Server is one entry of mcp_servers, of a client's file or of those that are stored, or one instance of it. Either Command or URL is set,
// never both.
type Server struct {
	// Name is 1 to 64 printable characters, unique among the servers.
	Name string
	// Shared says that one child serves every caller. The others are templates, and their instances belong to one seat each.
	Shared bool
	// Seat is the id of the seat that an instance of a template acts for, empty for a shared server and for a template itself.
	Seat string
	// File and Line say where the entry stands; the file of a stored one is the words "stored entry" and its name, and its line 0.
	File string
	Line int
	// Origin says the same for a person.
	Origin Origin
	// Entry is the entry as it was declared, with our keys in the order of the reference, as one JSON object: variables stay ${NAME}, and a
	// literal value stands in it as it was written.
	Entry json.RawMessage
	// MaskedEntry is Entry to be shown, and given back as the entry of a stored server: the name is left out, hints are yes, no or unknown, what is
	// written out in env and headers reads (set), and so does what looks like a credential in a url or in args. Variables stay ${NAME}.
	MaskedEntry json.RawMessage
	// MaskedArgs and MaskedURL are Args and the url as MaskedEntry has them.
	MaskedArgs []string
	MaskedURL  string
	// Transport is how the server is reached, inferred when the entry does not say.
	Transport Transport

	// Command is the program to start and Args its arguments, byte for byte as written: no variables, no shell.
	Command string
	Args    []string
	// Env is what the entry, and for an instance of a seat its unit and the seat, add to the environment of the program, variables
	// replaced. A value that did not resolve is absent.
	Env map[string]string
	// Cwd is an absolute directory, or empty for the directory Holotype was started in.
	Cwd string

	// URL is where the server is, variables replaced; empty while it is unresolved.
	URL string
	// Headers are sent with every request to the server, put together as Env is. No two names are the same header.
	Headers map[string]string

	// ToolPrefix is the declared prefix as it stands before the names, empty when it is to be derived from the name.
	ToolPrefix string
	// ToolAnnotations are the operator's overrides of hints, by the name of a tool: its own name or its exposed one.
	ToolAnnotations map[string]Annotation
	// Allow names the tools to keep, by their own name. Nil means all of them; empty means none.
	Allow []string
	// Deny names the tools to leave out, by their own name. It wins over Allow.
	Deny []string

	// Drift says what becomes of a tool whose hints changed towards danger.
	Drift Drift

	// StartupTimeout bounds the start and the handshake, CallTimeout one call.
	StartupTimeout time.Duration
	CallTimeout    time.Duration

	// Limits are what the server may be asked for.
	Limits Limits

	// Relay says what is passed on beside calls.
	Relay Relay

	// SignIn says how it is signed in to.
	SignIn SignIn

	// Secrets are what the variables of Env, URL, Headers and SignIn stood for, by their names, for this instance alone.
	Secrets map[string]string

	// Unresolved says why the server must not be started, one sentence a cause, each naming the field and, where there is one,
	// the variable. Empty means that it can be started.
	Unresolved []string
}

// LogValue keeps the values of env and headers and the url, all of which may hold secrets, out of a log.
func (s Server) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", s.Name), slog.String("transport", string(s.Transport)))
}

// Hint is what an override says about one hint. The zero value says nothing: the hint stays as the server sent it.
type Hint uint8

// The values of [Hint]. HintUnknown takes back what a server asserts; it is not HintNo.
const (
	HintUnset Hint = iota
	HintYes
	HintNo
	HintUnknown
)

// String returns unset, yes, no or unknown.
func (h Hint) String() string {
	switch h {
	case HintUnset:
		return "unset"
	case HintYes:
		return "yes"
	case HintNo:
		return "no"
	case HintUnknown:
		return "unknown"
	}
	return "invalid"
}

// Limits are what one instance of a server may be asked for; 0 is no limit of its own.
type Limits struct {
	ConcurrentCalls int
	CallsPerMinute  int // begun within any 60 seconds
	ResultBytes     int
}

// MaxResultBytes is the largest result of a call there can be: what one message may have.
const MaxResultBytes = 16 << 20

// Annotation is the operator's override of the hints and the title of one tool. Fields left at their zero value override nothing.
type Annotation struct {
	ReadOnly    Hint
	Destructive Hint
	Idempotent  Hint
	OpenWorld   Hint
	Title       string
}

// Notice is something that was read and is not acted on, or that is probably not what was meant. It stops nothing.
type Notice struct {
	File string
	// Line is 1-based; 0 when the notice is about the whole file.
	Line int
	// Text is one sentence in lower case that names the server and the key.
	Text string
}

// String returns file:line: text.
func (n Notice) String() string { return position(n.File, n.Line) + n.Text }
