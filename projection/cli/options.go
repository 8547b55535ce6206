package cli

import (
	"context"
	"io"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Options configure a [CLI].
type Options struct {
	// Name is the program's name, as it stands in help and messages.
	Name string
	// Summary is what the program is for, in one sentence without a period.
	Summary string
	// Version is the program's own version.
	Version string
	// Open answers the session that call, tools and inspect use. It is called at
	// most once a run, with the run's context.
	Open func(ctx context.Context, r OpenRequest) (Session, error)
	// Commands are the further commands, beside those of this package.
	Commands []Command
	// Codes is the table of codes that exit statuses follow, base codes and packs'.
	Codes []capabilities.CodeInfo
	// HostEnv answers the environment of this process, as [os.Environ] does, for the
	// servers that inspect starts; nil is an empty one.
	HostEnv func() []string
}

// OpenRequest says what a session must reach and what it will be used for. Empty
// paths mean the defaults.
type OpenRequest struct {
	Data      string // the data directory
	Config    string // the configuration file
	MCPConfig string // a client's mcpServers file
	// Err is where what the person should know is written.
	Err io.Writer
	// Names are the capabilities that will be called: where one belongs to a bridged
	// server, its server is waited for.
	Names []string
	// All asks to wait for every configured server, until it answered or failed.
	// With neither Names nor All nothing is waited for and nothing need be started:
	// shell completion must be quick.
	All bool
}

// Session is a server to call: one that runs already, or one in this process.
type Session interface {
	capabilities.Invoker
	capabilities.Viewer
	// Principal answers who calls.
	Principal() *capabilities.Principal
	// Absent answers why a name that Find does not know is not there now: the refusal
	// of a server that has not told its tools yet, or nil for a name that means nothing.
	Absent(ctx context.Context, name string) error
	// Attached reports whether the server is another process, which serves on when the
	// session is closed.
	Attached() bool
	// Close lets go of the server. A session is not used after.
	Close() error
}

// Command is a command that is no projection of the registry, such as serve.
type Command struct {
	// Name has one word, or several for a command of a group: "token create".
	Name string
	// Short is one sentence without a period; Long and Example are for its help.
	Short, Long, Example string
	// Args says in the usage line what stands behind the command, such as "FILE".
	Args             string
	MinArgs, MaxArgs int
	Flags            []Flag
	// Run serves the command. The exit status follows from its error: a
	// [*capabilities.Error] has that of its code, a [Usage] error 2, any other 1.
	Run func(ctx context.Context, inv Invocation) error
}

// FlagKind says what values a [Flag] takes.
type FlagKind uint8

// The closed set of flag kinds.
const (
	Text   FlagKind = iota // one text
	Switch                 // on or off
	List                   // a text, any number of times
)

// Flag is a flag of a [Command]. Its name and shorthand must be none of --data,
// --config, --output, -o, --help, -h.
type Flag struct {
	Name  string
	Short string // one letter, or ""
	Usage string // one clause without a period
	Word  string // what stands for the value in help, such as "FILE"; "" is "TEXT"
	Kind  FlagKind
	// Default is the value of a Text flag that is not given.
	Default string
	// Values are the only values a Text flag takes; nil for any.
	Values []string
}

// MCPConfigFlag answers the flag --mcp-config as the commands of this package have
// it, for further commands that start servers.
func MCPConfigFlag() Flag {
	f, _ := findOwn(flagMCPConfig)
	return Flag{Name: f.name, Word: f.word, Usage: f.usage}
}

// Format is how an answer is written.
type Format string

// The closed set of formats.
const (
	Table Format = "table" // for people
	JSON  Format = "json"  // for programs
)

// Invocation is what a [Command] is run with.
type Invocation struct {
	Args   []string
	Dash   int    // how many of Args stand before --; -1 without one
	Data   string // --data, or ""
	Config string // --config, or ""
	Output Format // -o
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	texts  map[string]*string
	bools  map[string]*bool
	lists  map[string]*[]string
}

// Text answers the value of a [Text] flag; "" for a flag the command has not.
func (i Invocation) Text(name string) string {
	if p := i.texts[name]; p != nil {
		return *p
	}
	return ""
}

// Switch answers the value of a [Switch] flag; false for one the command has not.
func (i Invocation) Switch(name string) bool {
	p := i.bools[name]
	return p != nil && *p
}

// List answers the values of a [List] flag; nil for one the command has not.
func (i Invocation) List(name string) []string {
	if p := i.lists[name]; p != nil {
		return *p
	}
	return nil
}
