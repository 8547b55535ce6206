package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A Peer is a server that speaks another protocol than MCP. What there is to call of it is
// presented, and called, as the tools of an MCP server are: by the same names, limits,
// overrides, states and refusals. Its methods may be called from any goroutine.
type Peer interface {
	// Kind is the protocol in one word, which the source of its capabilities begins with.
	Kind() string
	// Launch is equal for two that are reached the same way with the same values. It may
	// hold secrets, and is kept as a digest alone.
	Launch() []string
	// Offer answers what there is to call now. It is asked for at the start and whenever the
	// configuration is applied again. The error, a clause that follows the server's name,
	// may come with what still counts, or with nil. [ErrItself] is one of them.
	Offer(ctx context.Context) (*Offer, error)
	// Call makes one call and answers its result as MCP writes it (schema CallToolResult).
	// The error is one of [Failed] or of [Origin.Send], or an [*capabilities.Error] for
	// arguments that are refused, of which nothing was sent.
	Call(ctx context.Context, c PeerCall) (json.RawMessage, error)
	// Close gives back what connections it keeps. It may be called again.
	Close()
}

// An Offer is what there is to call of a [Peer].
type Offer struct {
	Name, Number string // what the server calls itself, and its own version
	Protocol     string // with its version
	// Tools are entries of tools/list. What stands in one under [AlsoKey] is another name
	// that the operator may call the tool by, in Allow, Deny and Annotations.
	Tools   []json.RawMessage
	Skipped []Skipped
}

// AlsoKey is the key of another name in an entry of [Offer]. Of an entry that came over MCP
// it means nothing.
const AlsoKey = "holotype/also"

// A PeerCall is one call of a tool of a [Peer].
type PeerCall struct {
	Tool       string // by its own name
	Arguments  json.RawMessage
	Repeatable bool // running it twice is running it once
	Trace      capabilities.Trace
}

// ErrItself says that what a peer stands for is this very server.
var ErrItself = errors.New("leads back to this very server")

// Failed is the error of a call that has no answer to hand on. The text is a clause that
// follows the server's name; mayHaveRun says that the call may have taken effect.
func Failed(code capabilities.Code, mayHaveRun bool, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &failure{code: code, text: err.Error(), mayHaveRun: mayHaveRun, cause: errors.Unwrap(err)}
}

// A peerLane is the data lane to a peer.
type peerLane struct {
	peer Peer
	life context.Context //nolint:containedctx // of the supervisor, which owns every link
}

// roundTrip implements lane, for calls alone.
func (l *peerLane) roundTrip(ctx context.Context, req request) (message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	arguments := req.arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	raw, err := l.peer.Call(ctx, PeerCall{Tool: req.tool, Arguments: arguments, Repeatable: req.repeatable, Trace: req.trace})
	if err != nil && l.life.Err() != nil {
		f := asFailure(err)
		return message{}, unavailable(f.mayHaveRun, errLaneEnded, "%s while the call was running", whyStopped(l.life))
	}
	if err != nil {
		return message{}, err
	}
	end, depth, err := rawjson.Scan(raw, 0, rawjson.AnyDepth)
	if err != nil || end != len(raw) {
		return message{}, broken("answered with something that is not valid JSON")
	}
	return message{result: raw, depth: depth}, nil
}

// dialPeer answers the link to a peer: nothing is opened until something is asked.
func (d *dialer) dialPeer() *link {
	peer := d.server.Peer
	return &link{
		lane: &peerLane{peer, d.life}, kind: peer.Kind(),
		done: make(chan struct{}), reason: func() string { return whyStopped(d.life) },
		abandon: func() {}, shut: peer.Close,
	}
}

// listPeer asks a peer what there is to call. What it said before counts where it cannot say
// it now, and that it could not is noted beside it.
func (s *supervisor) listPeer(ctx context.Context, l *link, peer Peer) (*listing, error) {
	offer, err := peer.Offer(ctx)
	switch {
	case errors.Is(err, ErrItself):
		return &listing{itself: true}, nil
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("did not say what there is to call within %s: %w", s.specNow().conf.startupTimeout(), err)
	}
	if offer == nil {
		return nil, err
	}
	list := &listing{}
	list.take(offer.Tools)
	list.skipped = append(list.skipped, offer.Skipped...)
	if err != nil {
		reason := s.redact(err.Error())
		list.skip("", "what it said before still counts, because it "+reason)
		s.log.WarnContext(ctx, "server_list_failed", "reason", reason)
	}
	s.set(func() {
		if s.turn != nil {
			s.seen = serverInfo{kind: l.kind, version: oneName(offer.Protocol), name: oneName(s.spec.masker().mask(offer.Name)), number: oneName(s.spec.masker().mask(offer.Number))}
		}
	})
	return list, nil
}

// take takes entries of a list, up to its limits.
func (l *listing) take(tools []json.RawMessage) {
	for i, raw := range tools {
		if l.entries == maxTools || l.bytes+len(raw) > maxListBytes {
			l.skip("", fmt.Sprintf("the list goes on after %d tools and %d bytes, which is the limit", l.entries, l.bytes))
			return
		}
		l.bytes += len(raw)
		l.entry(i, raw, false)
	}
}

// relistDue answers a channel that tells when the tools are to be listed again unasked. A
// peer is asked again when the configuration is applied.
func (s *supervisor) relistDue(l *link) <-chan time.Time {
	if _, peer := l.lane.(*peerLane); peer {
		return nil
	}
	return time.After(s.relistAfter())
}
