package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// ProbeOptions configure [Probe]. The zero value is usable.
type ProbeOptions struct {
	// HostEnv is the environment of this process, as [os.Environ] answers it. A child
	// gets a stated part of it.
	HostEnv []string
	Version string // of this program, told to the server
	// Timeout bounds the handshake and the list together. 0 is the time a bridged
	// server has for each: a minute, three for a package runner, and longer for a child
	// that still writes.
	Timeout time.Duration

	tuning tuning
}

// A ProbeError says in which phase a server failed, and why.
type ProbeError struct {
	Phase  string // "configuration", "start", "handshake" or "list"
	Reason string // a clause that follows "the server"
	Stderr string // the last lines of a child's standard error, printable
	Status int    // the HTTP status that a url answered; 0 for none, and for a child
	cause  error
}

// Error is one sentence that names the phase and the cause.
func (e *ProbeError) Error() string {
	if e.Phase == "configuration" {
		return "the server is not started: " + e.Reason
	}
	if cause, ok := strings.CutPrefix(e.Reason, "failed the handshake: "); ok {
		return fmt.Sprintf("the server failed in the phase %s: %s", e.Phase, cause)
	}
	return fmt.Sprintf("the server failed in the phase %s: it %s", e.Phase, e.Reason)
}

// Unwrap answers what happened below.
func (e *ProbeError) Unwrap() error { return e.cause }

// Probe starts or reaches one server, shakes hands, reads its whole list of tools and
// stops it again, over the transports and the lanes of a bridge. It calls no tool.
// Name, Allow, Deny and the fields of tools need not be set. The error is a
// [*ProbeError], or the end of ctx. Either way nothing of the server is left.
func Probe(ctx context.Context, s Server, o ProbeOptions) (*Observation, error) {
	p := &prober{server: s, seen: &Observation{Transport: s.transport()}}
	if err := p.prepare(o); err != nil {
		return nil, err
	}
	given := ctx
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	l, err := p.connect(ctx)
	if err == nil {
		p.describe(ctx, l)
		if err = p.list(ctx, l); err == nil && p.seen.Discover == DiscoverIgnored {
			p.askAgain(ctx, l)
		}
		p.stop(l)
		if l.stderr != nil {
			p.seen.Stderr = p.dialer.redact(l.stderr())
		}
	}
	p.finish()
	if given.Err() != nil {
		return nil, given.Err()
	}
	if err != nil {
		return nil, p.explain(err)
	}
	p.seen.Alias = p.alias()
	p.seen.expose()
	return p.seen, nil
}

// A prober is one run of [Probe].
type prober struct {
	server Server
	dialer *dialer
	seen   *Observation
	left   []string // of the child's group, once its process was gone

	mu   sync.Mutex // of the fields of seen that the child's goroutines write
	done bool       // what comes now belongs to nobody
}

const (
	junkSamples = 5
	junkSample  = 200 // bytes of one
)

func (p *prober) prepare(o ProbeOptions) error {
	s := &p.server
	var faults []string
	s.checkLaunch(func(field, format string, args ...any) {
		faults = append(faults, field+": "+fmt.Sprintf(format, args...))
	})
	if err := joinFaults(append(faults, s.Unresolved...)); err != nil {
		return &ProbeError{Phase: "configuration", Reason: err.Error()}
	}
	if o.Timeout > 0 {
		s.StartupTimeout = o.Timeout
	}
	p.dialer = &dialer{
		server: *s, limit: s.startupTimeout, version: o.Version, redact: redactor(*s), env: childEnv(s.Command, o.HostEnv, s.Env),
		probe: cmp.Or(o.tuning.probe, probeLimit), cold: coldLimit(s.Command, o.tuning.probe), grace: cmp.Or(o.tuning.grace, stopGrace),
		onJunk: p.onJunk, junk: func() int { return 0 }, onStderr: func(string) {}, onChange: func() {}, onLeft: p.onLeft,
		spawner: &spawner{},
	}
	if s.URL == "" {
		return nil
	}
	client, err := newHTTPClient(*s, o.Version, "")
	if err != nil {
		return &ProbeError{Phase: "configuration", Reason: err.Error(), cause: err}
	}
	p.dialer.http = client
	return nil
}

func (p *prober) onJunk(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.seen.JunkLines++
	if len(p.seen.Junk) < junkSamples {
		p.seen.Junk = append(p.seen.Junk, p.dialer.redact(bounded(printable(line[:min(len(line), 4*junkSample)]), junkSample)))
	}
}

// connect shakes hands.
func (p *prober) connect(ctx context.Context) (*link, error) {
	began := time.Now()
	defer func() { p.seen.Handshake = time.Since(began) }()
	d := p.dialer
	d.life = ctx
	switch p.server.transport() {
	case TransportStdio:
		return p.connectChild(ctx)
	case TransportSSE:
		ctx, cancel := context.WithTimeout(ctx, p.server.startupTimeout())
		defer cancel()
		return d.dialSSE(ctx)
	}
	l, err := d.dialHTTP(ctx, false)
	if err == nil {
		p.seen.Discover = taken(l)
	}
	return l, err
}

// connectChild is [dialer.dialStdio] that tells which of its two ways worked.
func (p *prober) connectChild(ctx context.Context) (*link, error) {
	l, ended, err := p.dialer.tryStdio(ctx, false)
	if err == nil {
		p.seen.Discover = taken(l)
		return l, nil
	}
	if !ended || ctx.Err() != nil {
		return nil, err
	}
	p.mu.Lock()
	junk, lines := p.seen.Junk, p.seen.JunkLines
	p.seen.Junk, p.seen.JunkLines = nil, 0
	p.mu.Unlock()
	again, _, errAgain := p.dialer.tryStdio(ctx, true)
	if errAgain == nil {
		p.seen.Discover = DiscoverExited
		return again, nil
	}
	p.mu.Lock()
	p.seen.Junk, p.seen.JunkLines = junk, lines // those of the failure that is told
	p.mu.Unlock()
	return nil, err
}

func taken(l *link) Discovery {
	switch {
	case l.kind == TransportSSE:
		return DiscoverUnasked
	case l.modern:
		return DiscoverAnswered
	case l.ignored:
		return DiscoverIgnored
	}
	return DiscoverRefused
}

// describe keeps what the handshake told.
func (p *prober) describe(ctx context.Context, l *link) {
	o := p.seen
	o.Transport, o.Version, o.Modern = l.kind, l.version, l.modern
	if r := l.session.InitializeResult(); r != nil {
		o.Instructions = r.Instructions
		if r.ServerInfo != nil {
			o.Name, o.Title, o.Number = r.ServerInfo.Name, r.ServerInfo.Title, r.ServerInfo.Version
		}
		if raw, err := json.Marshal(r.Capabilities); err == nil && r.Capabilities != nil {
			o.Capabilities = raw
		}
	}
	if !l.modern {
		return
	}
	// The SDK keeps of a modern server's description what it needs; the rest is read as
	// bytes. A server that answered once and not again has told enough.
	if m, err := l.lane.roundTrip(ctx, request{method: methodDiscover}); err == nil {
		p.discovered(m)
	}
}

// discovered keeps what an answer to server/discover tells.
func (p *prober) discovered(m message) {
	for key, value := range rawjson.Members(m.result) {
		switch key {
		case "supportedVersions":
			for _, v := range rawjson.Elements(value) {
				if s, ok := rawjson.String(v); ok {
					p.seen.Offered = append(p.seen.Offered, bounded(s, 64))
				}
			}
		case "capabilities":
			p.seen.Capabilities = object(value)
		}
	}
}

// askAgain asks server/discover of a server that let it go by during its start, when
// it may not have been reading yet. What it answers now, in a session that was
// initialized, says no more than that it answers. It is the last thing asked: a server
// may end by it.
func (p *prober) askAgain(ctx context.Context, l *link) {
	ctx, cancel := context.WithTimeout(ctx, p.dialer.probe)
	defer cancel()
	m, err := l.lane.roundTrip(ctx, request{method: methodDiscover})
	switch {
	case errors.Is(err, errLaneEnded):
		p.seen.Discover = DiscoverExited
	case err == nil:
		p.seen.Discover = DiscoverLate
		p.discovered(m)
	}
}

// list reads every page of the list of tools.
func (p *prober) list(ctx context.Context, l *link) error {
	limit := p.server.startupTimeout()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	err := p.walk(ctx, l)
	p.seen.List = time.Since(began)
	var f *failure
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("did not list its tools within %s", limit)
	case errors.As(err, &f) && f.code == tooLarge().code:
		err = fmt.Errorf("answered tools/list with one message over %d bytes, which is the limit", maxMessage)
	case errors.Is(err, errLaneEnded):
		err = fmt.Errorf("%s while it was asked for its tools", l.reason())
	}
	return &startError{phase: "list", reason: p.dialer.redact(err.Error())}
}

func (p *prober) walk(ctx context.Context, l *link) error {
	seen := map[string]bool{}
	var cursor json.RawMessage
	for {
		m, err := l.lane.roundTrip(ctx, request{method: "tools/list", cursor: cursor})
		if err != nil {
			return err
		}
		if m.fault != nil {
			e := readFault(m.fault)
			if p.seen.Pages == 0 && e.code == codeMethodNotFound {
				return nil // a server without tools
			}
			return broken("refused tools/list: %s", e.sentence())
		}
		next, err := p.seen.read(m.result, l.modern && l.kind == TransportHTTP)
		switch {
		case err != nil || next == nil:
			return err
		case seen[string(next)]:
			p.seen.ListFault = fmt.Sprintf("it repeats itself after page %d: the cursor of the next page is one that was read", p.seen.Pages)
			return nil
		case len(next) > maxCursor:
			p.seen.ListFault = fmt.Sprintf("it names the page after page %d by %d bytes, at most %d are taken", p.seen.Pages, len(next), maxCursor)
			return nil
		case p.seen.Pages == maxPages:
			p.seen.ListFault = fmt.Sprintf("it goes on after %d pages", maxPages)
			return nil
		case p.seen.ListBytes >= maxListBytes:
			p.seen.ListFault = fmt.Sprintf("it goes on after %d bytes", p.seen.ListBytes)
			return nil
		}
		seen[string(next)] = true
		cursor = next
	}
}

// finish makes what was seen final: the library may still hold a line.
func (p *prober) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
}

// explain makes the error of a run.
func (p *prober) explain(err error) error {
	start := asStartError(err)
	e := &ProbeError{Phase: start.phase, Reason: start.reason, Stderr: cmp.Or(start.stderr, p.seen.Stderr), Status: start.status, cause: err}
	// Who asked the library does not help.
	e.Reason = strings.NewReplacer(`calling "initialize": `, "", `sending "initialize": `, "").Replace(e.Reason)
	switch {
	case len(p.server.Headers) > 0:
	case start.status == http.StatusUnauthorized:
		e.Reason = "asks for a credential, and none was given (HTTP status 401)"
	case start.status == http.StatusForbidden:
		e.Reason = "refuses the request, which carried no credential (HTTP status 403)"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := p.seen.JunkLines; n > 0 {
		e.Reason += fmt.Sprintf("; lines on its standard output that are no JSON-RPC 2.0 messages: %d, the first \"%s\"", n, p.seen.Junk[0])
	}
	return e
}

// alias answers what the tools are prefixed with.
func (p *prober) alias() string {
	if p.server.Name != "" {
		return p.server.Name
	}
	name := p.seen.Name
	if strings.TrimSpace(name) == "" {
		name = filepath.Base(p.server.Command)
		if u, err := url.Parse(p.server.URL); err == nil && p.server.URL != "" {
			name = u.Hostname()
		}
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(name, "-"))
	runes := []rune(name)
	return string(runes[:min(len(runes), maxServerName)])
}
