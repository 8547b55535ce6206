package bridge

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A link is one live connection to one server: the SDK's session is the control
// lane, lane is the data lane.
type link struct {
	lane    lane
	session *mcp.ClientSession
	version string       // the protocol version agreed on
	modern  bool         // 2026-07-28 or later: no handshake, every request says who it is
	offers  offers       // beside tools
	level   atomic.Int32 // of its log, as it was asked: one more than the place among the levels, 0 for never
	ignored bool         // the handshake ended without an answer to server/discover
	// silent reports whether the server was not heard to answer it to this moment.
	silent func() bool
	kind   string // "stdio", "http" or "sse"

	done   <-chan struct{} // it ended by itself
	reason func() string   // why, as a clause that follows the server's name
	// abandon ends the control lane of a link that another one replaces; calls that
	// run on it go on. Only over streamable HTTP.
	abandon func()
	shut    func()        // ends it; returns when nothing is left of it
	stderr  func() string // the last lines of a child's standard error; nil without a child
	child   *child        // nil over HTTP
}

// A dialer opens links to one server.
type dialer struct {
	server   Server
	limit    func() time.Duration   // of a start
	env      []string               // of a child
	version  string                 // of this program
	settled  atomic.Pointer[string] // the protocol version that the server took after it refused ours
	probe    time.Duration
	cold     time.Duration // of a probe; 0 for probe
	grace    time.Duration
	line     time.Duration // 0 for lineGrace
	redact   func(string) string
	onJunk   func(line []byte)
	junk     func() int // lines so far that were no message
	onStderr func(line string)
	onLeft   func(group int, mark string) // nil, or of [childSpec]
	onChange func()                       // the server says that its tools changed
	onOffers func(which func(*revisions)) // or what it offers beside them; nil for a probe
	onUpdate func(uri string)             // or a resource that is subscribed to
	http     *httpClient
	spawner  *spawner        // of children
	life     context.Context //nolint:containedctx // of the supervisor, which owns every link
}

// client answers the SDK's client. It declares what may be relayed at all: what is not
// served would be asked for, and a call would wait for it. Whatever a server asks is taken
// off the stream before the SDK, which answers none of it.
func (d *dialer) client() *mcp.Client {
	o := &mcp.ClientOptions{
		Capabilities:           d.server.Relay.declared(),
		MultiRoundTrip:         &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { d.onChange() },
	}
	if d.onOffers != nil && d.server.Relay.Prompts {
		o.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { d.noted(notePromptsChange) }
	}
	if d.onOffers != nil && d.server.Relay.Resources {
		o.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { d.noted(noteResourcesChange) }
		o.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { d.onUpdate(r.Params.URI) }
	}
	return mcp.NewClient(&mcp.Implementation{Name: "holotype", Version: d.version}, o)
}

// noted takes a notification that something the server offers has changed.
func (d *dialer) noted(method string) {
	switch {
	case method == noteToolsChange:
		d.onChange()
	case d.onOffers == nil:
	case method == notePromptsChange:
		d.onOffers(func(r *revisions) { r.prompts++ })
	case method == noteResourcesChange:
		d.onOffers(func(r *revisions) { r.resources++ })
	}
}

// sessionOptions skips server/discover when legacy is set.
func (d *dialer) sessionOptions(legacy bool) *mcp.ClientSessionOptions {
	if v := d.settled.Load(); v != nil {
		return &mcp.ClientSessionOptions{ProtocolVersion: *v}
	}
	if legacy {
		return &mcp.ClientSessionOptions{ProtocolVersion: legacyVersion}
	}
	return nil
}

// mirrors reports whether arguments of calls stand in headers too (2026-07-28,
// streamable HTTP).
func (l *link) mirrors() bool { return l.modern && l.kind == TransportHTTP }

// adopt fills what the handshake agreed on.
func (l *link) adopt(session *mcp.ClientSession) {
	l.session = session
	if r := session.InitializeResult(); r != nil {
		l.version = r.ProtocolVersion
		l.offers = offersOf(r)
	}
	l.modern = l.version >= modernVersion
}

// requestMeta is what every request of a modern connection carries in _meta
// (2026-07-28, basic/index, request metadata), without braces and without the value of the
// last member, what the client declares; "" for a legacy one.
func (d *dialer) requestMeta(l *link) string {
	if !l.modern {
		return ""
	}
	info, err := json.Marshal(mcp.Implementation{Name: "holotype", Version: d.version})
	if err != nil { // cannot happen: two strings
		return ""
	}
	b := append([]byte(nil), '"')
	b = append(b, mcp.MetaKeyProtocolVersion...)
	b = rawjson.AppendQuoted(append(b, `":`...), l.version)
	b = append(append(b, `,"`...), mcp.MetaKeyClientInfo...)
	b = append(append(b, `":`...), info...)
	b = append(append(b, `,"`...), mcp.MetaKeyClientCapabilities...)
	return string(append(b, `":`...))
}
