package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// Headers of the streamable HTTP transport.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	typeJSON      = "application/json"
	typeEvents    = "text/event-stream"
)

// An httpLane is the data lane of the streamable HTTP transport: it posts every
// request itself and reads the answer as bytes. The session and the version are
// those the SDK's handshake agreed on.
type httpLane struct {
	client  *http.Client
	url     string
	session string // "" where the server keeps none
	version string
	modern  bool
	meta    string
	// authorized says that a credential was given, as far as can be told.
	authorized bool
	// wants answers what there is to do before the server takes what it refused so; "" when
	// that is not known.
	wants func(*http.Response) string
	// noted is told when a server sends on the stream of a call that what it has changed.
	noted func(method string)

	// life ends when the server is stopped; calls that still run then are told so.
	life context.Context //nolint:containedctx // of the supervisor, which owns every link

	calls *calls // that run in the session

	next    atomic.Uint32
	notices drain.Group // requests that no caller waits for
}

// roundTrip implements lane.
func (l *httpLane) roundTrip(ctx context.Context, req request) (message, error) {
	id := firstID + l.next.Add(1)%(lastID-firstID)
	defer l.calls.begin(req.courier)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	resp, err := l.post(ctx, req.encode(id, l.meta), func(h http.Header) {
		if req.repeatable {
			// A server may close a connection in the moment it is used again. The transport
			// then sends what bears this key once more, over another connection. A key
			// without a value is not sent.
			h["X-Idempotency-Key"] = nil
		}
		if parent := req.trace.Parent(); parent != "" {
			h["Traceparent"] = []string{parent}
			if req.trace.State != "" {
				h["Tracestate"] = []string{req.trace.State}
			}
		}
		if !l.modern {
			return
		}
		h.Set(headerMethod, req.method)
		if req.tool != "" {
			h.Set(headerName, headerValue(req.tool))
			setParamHeaders(h, req.params, req.arguments)
		}
		if req.label != "" {
			h.Set(headerName, headerValue(req.label))
		}
	})
	if err != nil {
		if ctx.Err() != nil {
			l.cancel(ctx, id, req.courier)
		}
		return message{}, l.unsent(ctx, err)
	}
	m, err := l.read(ctx, resp, id, beside{forward(req.progress), req.courier})
	if err != nil && ctx.Err() != nil {
		l.cancel(ctx, id, req.courier)
		return message{}, l.interrupted(ctx)
	}
	return m, err
}

// interrupted is the failure of a call that ended with its context or the link.
func (l *httpLane) interrupted(ctx context.Context) *failure {
	if l.life.Err() != nil {
		return unavailable(true, errLaneEnded, "%s while the call was running", whyStopped(l.life))
	}
	return interrupted(ctx, true)
}

// endSession tells the server that the session is over.
func (l *httpLane) endSession() {
	if l.session == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.WithValue(context.Background(), endKey{}, true), noticeTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, l.url, nil)
	if err != nil {
		return
	}
	l.identify(req.Header)
	if resp, err := l.client.Do(req); err == nil {
		_ = resp.Body.Close() // servers may refuse this
	}
}

func (l *httpLane) post(ctx context.Context, body []byte, more func(http.Header)) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	h := req.Header
	h.Set("Content-Type", typeJSON)
	h.Set("Accept", typeJSON+", "+typeEvents)
	l.identify(h)
	more(h)
	return l.client.Do(req)
}

func (l *httpLane) identify(h http.Header) {
	if l.version != "" {
		h.Set(headerVersion, l.version)
	}
	if l.session != "" {
		h.Set(headerSession, l.session)
	}
}

// unsent is the failure of a request without any response.
func (l *httpLane) unsent(ctx context.Context, err error) *failure {
	if ctx.Err() != nil && !errors.Is(err, errUnauthorized) {
		return l.interrupted(ctx)
	}
	return unsent(ctx, err)
}

// reasonOf is a transport error without the url, which may hold a credential, and
// without the port that the connection happened to come from.
func reasonOf(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := err.(*net.OpError); ok && op.Op != "dial" { //nolint:errorlint // what wraps it says more
		return fmt.Sprintf("%s: %v", op.Op, op.Err)
	}
	return err.Error()
}

// read reads the answer to the request with the given id.
func (l *httpLane) read(ctx context.Context, resp *http.Response, id uint32, to beside) (message, error) {
	if resp.StatusCode >= 300 {
		defer func() { _ = resp.Body.Close() }() // the call has its failure already
		return message{}, l.refused(resp)
	}
	wanted := func(m message) bool { n, ok := m.own(); return ok && n == id }
	aside := func(m message) { l.aside(m, id, to) }
	b := newBody(resp)
	for tries := 0; ; {
		m, err := readAnswer(b, wanted, aside)
		_ = b.resp.Body.Close() // read, or broken off
		if err == nil {
			a := answerOf(m)
			if a.failure != nil {
				return message{}, a.failure
			}
			return m, nil
		}
		var f *failure
		if errors.As(err, &f) || ctx.Err() != nil {
			return message{}, err
		}
		if b.lastEvent == "" || l.modern {
			return message{}, unavailable(true, err, "ended its answer before it was whole")
		}
		// The answer can be had from where the stream broke off (2025-11-25, transports,
		// resumability). That repeats nothing: the call itself is not sent again.
		if b.progressed {
			tries, b.progressed = 0, false
		}
		if tries++; tries > maxResumes || !sleep(ctx, b.delay()) {
			return message{}, unavailable(true, err, "ended its answer before it was whole, and could not resume it")
		}
		again, err := l.resume(ctx, b.lastEvent) //nolint:bodyclose // the next turn of the loop closes it
		if err != nil {
			again = &http.Response{Body: http.NoBody, Header: http.Header{"Content-Type": {typeEvents}}}
		}
		b.renew(again)
	}
}

// maxResumes is how often an answer is asked for again without getting further.
const maxResumes = 3

func (l *httpLane) resume(ctx context.Context, lastEvent string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url, nil)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	l.identify(req.Header)
	req.Header.Set("Accept", typeEvents)
	req.Header.Set("Last-Event-ID", lastEvent)
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != typeEvents {
		_ = resp.Body.Close() // an answer of another kind does not matter
		return nil, fmt.Errorf("resuming was answered with status %d", resp.StatusCode)
	}
	return resp, nil
}

// beside is where what comes beside an answer goes.
type beside struct {
	report  func(capabilities.Progress) // nil for nowhere
	courier *courier                    // nil where nothing is relayed
}

// aside handles what comes beside the answer on its stream.
func (l *httpLane) aside(m message, id uint32, to beside) {
	switch {
	case m.isRequest():
		if on, _ := l.calls.relay.may(m.method); !on || to.courier == nil {
			l.reply(l.calls.refusal(m))
			return
		}
		to.courier.take(m, replies{l.reply, l.reply})
	case m.method == noteToolsChange, m.method == notePromptsChange, m.method == noteResourcesChange:
		l.noted(m.method)
	case m.method == noteProgress:
		if n, p, ok := readProgress(m.params); ok && n == id && to.report != nil {
			to.report(p)
		}
	case m.method == noteMessage && to.courier != nil:
		if !m.tooDeep() {
			to.courier.logMessage(m.params)
		}
	case m.method == noteElicited && to.courier != nil:
		to.courier.completed(m.params)
	case m.method == noteCancel && to.courier != nil:
		to.courier.withdraw(string(rawjson.Member(m.params, "requestId")))
	}
}

// reply posts the answer to a request of the server. Nobody waits for it.
func (l *httpLane) reply(line []byte) {
	l.notices.Go(func() { l.notify(l.life, line, answerTimeout) })
}

// cancel takes a request back. A modern server sees the closed stream; a legacy
// one has to be told, and may ask in the stream of the session what is about it.
func (l *httpLane) cancel(ctx context.Context, id uint32, c *courier) {
	if l.modern {
		return
	}
	l.calls.giveUp(id, c)
	l.notices.Go(func() {
		l.notify(context.WithoutCancel(ctx), cancelled(id, ctx.Err().Error()), noticeTimeout)
	})
}

// notify posts what has no answer, for a bounded time. It is a courtesy: when it
// fails there is nothing to do.
func (l *httpLane) notify(ctx context.Context, body []byte, limit time.Duration) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	resp, err := l.post(ctx, body, func(http.Header) {})
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// refused is the failure of a response that is not a success. What the server
// says in a JSON-RPC error is its own word; a page of HTML is not shown.
func (l *httpLane) refused(resp *http.Response) *failure {
	body, _ := io.ReadAll(resp.Body) // what cannot be read says nothing
	status := resp.StatusCode
	f := &failure{code: capabilities.UpstreamError, text: "answered with HTTP status " + strconv.Itoa(status), mayHaveRun: status >= 500}
	var fault rpcError
	if m, _, err := parseMessage(body); err == nil && m.fault != nil {
		fault = readFault(m.fault)
		f.said = &fault
		f.text += ": " + fault.sentence()
	}
	switch {
	case l.session != "" && sessionGone(status, fault.text, body):
		f.code, f.sessionLost, f.mayHaveRun = capabilities.Unavailable, true, false
		f.text = "forgot the session"
	case isCredential(status):
		f.code, f.credential = capabilities.Unavailable, status
		if f.text = l.wants(resp); f.text == "" {
			f.text = refusedCredential(l.authorized, status, resp.Header.Get(headerChallenge)) + ": its operator has to renew it"
		}
	case status == http.StatusTooManyRequests || status >= 502 && status <= 504:
		f.code = capabilities.Unavailable
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
			f.retryAfter = min(time.Duration(s)*time.Second, time.Hour)
		}
	case status < 400:
		f.text = fmt.Sprintf("answered with a redirect (HTTP status %d) that leads nowhere", status)
	}
	return f
}

// sessionGone recognises what servers answer when they do not know a session: 404
// as the specification says, and in the wild 400 or 503 with a sentence about it.
func sessionGone(status int, text string, body []byte) bool {
	switch status {
	case http.StatusNotFound:
		return true
	case http.StatusBadRequest, http.StatusServiceUnavailable:
		if text == "" && len(body) < 1024 {
			text = string(body)
		}
		return strings.Contains(strings.ToLower(text), "session")
	}
	return false
}
