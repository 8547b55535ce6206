package bridge

import (
	"encoding/json"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// An Observation is what one server showed of itself in one session: facts, and no
// judgement. It holds no value of an environment, a header or a url.
type Observation struct {
	// Alias is the name that the server's tools are prefixed with: the configured one,
	// else what the server calls itself.
	Alias     string
	Transport string // [TransportStdio], [TransportHTTP] or [TransportSSE]

	Name, Title, Number string // what the server calls itself, and its own version
	Instructions        string
	// Capabilities is the object the server advertised.
	Capabilities json.RawMessage

	Version string   // the protocol version agreed on
	Offered []string // the versions the server said it takes; only a modern one says
	Modern  bool     // 2026-07-28 or later
	// Discover is how server/discover was taken. It is empty where the server was not asked.
	Discover Discovery

	Handshake time.Duration // from the start of the process, or the first request, on
	List      time.Duration // of all pages

	Pages     int
	ListBytes int // of the results of tools/list
	// ListFault says why the list was left before its end; "" when it was not.
	ListFault string
	Tools     []ObservedTool

	JunkLines int      // lines of output, or events, that are no JSON-RPC 2.0 message
	Junk      []string // the first of them, printable and cut
	Stderr    string   // the last lines of a child's standard error, printable
	Stop      *Stop    // how a child stopped; nil over HTTP
}

// Discovery is how a server took server/discover, the question that a client of
// 2026-07-28 begins with.
type Discovery string

// The closed set of ways.
const (
	DiscoverAnswered Discovery = "answered"
	DiscoverRefused  Discovery = "refused"   // with an error, after which it was initialized
	DiscoverIgnored  Discovery = "ignored"   // no answer within the time for it, twice
	DiscoverLate     Discovery = "late"      // no answer during its start, and one later
	DiscoverExited   Discovery = "exited"    // its process ended; a fresh one was initialized
	DiscoverUnasked  Discovery = "not asked" // the transport is older than the question
)

// An ObservedTool is one entry of a server's list.
type ObservedTool struct {
	Name    string          // "" when it has none
	Exposed string          // the name it would be offered under
	Raw     json.RawMessage // the entry as it was sent
	Hints   capabilities.HintFacts
	// OddHints are the keys of hints whose value is no boolean, or which stand twice
	// with different ones.
	OddHints []string
	// Skipped says why no client should take the entry; "" for one that can be offered.
	Skipped string
}

// A Stop is how a child ended.
type Stop struct {
	How   StopStep
	After time.Duration // from closing its standard input to the end of its process
	// Left are the names of processes that outlived it and had to be ended.
	Left []string
}

// StopStep is what it took to stop a child.
type StopStep string

// The closed set of steps, each tried after the one before.
const (
	StopItself StopStep = "itself" // it had ended before it was asked to
	StopInput  StopStep = "input closed"
	StopTerm   StopStep = "SIGTERM"
	StopKill   StopStep = "SIGKILL"
)

// Observe makes an observation of lists that were read elsewhere: every page is the
// result of one tools/list. alias is the name that tools are prefixed with. The error
// says which page cannot be read, or that there are more than 10,000 tools.
func Observe(alias string, pages ...json.RawMessage) (*Observation, error) {
	o := &Observation{Alias: alias}
	for _, page := range pages {
		if rawjson.Valid(page, maxDepth) != nil {
			return nil, broken("page %d is not valid JSON, or nests deeper than %d levels", o.Pages+1, maxDepth)
		}
		if _, err := o.read(page, false); err != nil {
			return nil, err
		}
	}
	o.expose()
	return o, nil
}

// read takes one page and answers the cursor of the next one, or nil. headers says
// that the arguments of a call may stand in headers too.
func (o *Observation) read(page json.RawMessage, headers bool) (next json.RawMessage, err error) {
	var tools json.RawMessage
	for key, value := range rawjson.Members(page) {
		switch key {
		case "tools":
			tools = value
		case "nextCursor":
			if s, ok := rawjson.String(value); ok && s != "" {
				next = value
			}
		}
	}
	if rawjson.Kind(tools) != '[' {
		return nil, broken("answered tools/list without a list of tools")
	}
	o.Pages++
	o.ListBytes += len(page)
	for _, raw := range rawjson.Elements(tools) {
		if len(o.Tools) == maxTools {
			return nil, broken("lists more than %d tools, which is the limit", maxTools)
		}
		t, err := readTool(raw, headers)
		seen := ObservedTool{Name: t.name, Raw: raw, Hints: t.facts, OddHints: t.oddHints}
		if err != nil {
			seen.Skipped = err.Error()
		}
		o.Tools = append(o.Tools, seen)
	}
	return next, nil
}

// expose fills in the names that the tools would be offered under.
func (o *Observation) expose() {
	prefix := derivePrefix(o.Alias)
	for i := range o.Tools {
		if t := &o.Tools[i]; t.Name != "" {
			t.Exposed = exposedName(o.Alias, prefix, t.Name)
		}
	}
}
