package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Client reaches a holder. It is an [capabilities.Invoker] and, after
// [Client.Refresh], a [capabilities.Viewer]. Whatever principal a call names, the
// holder puts its own in its place. It keeps no connection open between calls
// and is safe for concurrent use.
type Client struct {
	dial    func(context.Context) (net.Conn, error)
	version string
	http    *http.Client
	held    atomic.Pointer[held]
	build   atomic.Pointer[string] // what the holder said last

	mu          sync.Mutex
	subscribers map[int]func()
	next        int
}

var (
	_ capabilities.Invoker = (*Client)(nil)
	_ capabilities.Viewer  = (*Client)(nil)
)

// unreachable marks that no connection came about, so nothing was sent.
type unreachable struct{ error }

func (u unreachable) Unwrap() error { return u.error }

// Dial answers a client that says it is of the given version and opens its connections with dial.
// It sends nothing yet.
func Dial(dial func(context.Context) (net.Conn, error), version string) *Client {
	c := &Client{version: version, subscribers: map[int]func(){}}
	c.dial = func(ctx context.Context) (net.Conn, error) {
		conn, err := dial(ctx)
		if err != nil {
			return nil, unreachable{err}
		}
		return conn, nil
	}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx) },
		// One connection a request: a call is never sent twice, and closing it cancels.
		DisableKeepAlives:  true,
		DisableCompression: true,
	}}
	c.held.Store(&held{view: &capabilities.View{}})
	return c
}

// Refresh reads the holder's view. Views and capabilities answered before stay as
// they were. The error's chain holds an [*capabilities.Error].
func (c *Client) Refresh(ctx context.Context) error {
	resp, err := c.send(ctx, http.MethodGet, pathView, nil)
	if err != nil {
		return gone(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var v view
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return gone(err)
	}
	next, err := v.decode(func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
		return c.Invoke(ctx, inv.Call)
	})
	if err != nil {
		return gone(err)
	}
	if before := c.held.Swap(next); before.view.Digest != next.view.Digest {
		c.notify()
	}
	return nil
}

// View answers what the last [Client.Refresh] brought, whatever p; before the
// first it is empty.
func (c *Client) View(*capabilities.Principal) *capabilities.View { return c.held.Load().view }

// Find answers one capability of [Client.View].
func (c *Client) Find(_ *capabilities.Principal, name string) (*capabilities.Capability, *capabilities.Rule, bool) {
	h := c.held.Load()
	found, ok := h.byName[name]
	return found, h.rules[name], ok
}

// Absent answers why a name that the last [Client.Refresh] did not bring is not there
// now: the refusal of the server that has not told its tools yet, or nil for a name
// that means nothing to the holder.
func (c *Client) Absent(ctx context.Context, name string) error {
	resp, err := c.send(ctx, http.MethodGet, pathAbsent+"?name="+url.QueryEscape(name), nil)
	if err != nil {
		return gone(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var e event
	if err := json.NewDecoder(resp.Body).Decode(&e); err != nil {
		return gone(err)
	}
	if e.Refusal == nil {
		return nil
	}
	return e.Refusal.decode()
}

// LoginLink answers a fresh link that signs a browser in as the owner, once, within
// ten minutes. The error's chain holds an [*capabilities.Error]: unavailable where the
// holder serves no pages.
func (c *Client) LoginLink(ctx context.Context) (string, error) {
	resp, err := c.send(ctx, http.MethodPost, pathLogin, nil)
	if err != nil {
		return "", gone(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var a login
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		return "", gone(err)
	}
	if a.Refusal != nil {
		return "", a.Refusal.decode()
	}
	return a.Link, nil
}

// Leave asks the holder to let the data directory go, to the process that asks. It
// takes the holder a moment after the answer. The error is [ErrHolderGone] where nobody
// answers, and its chain holds an [*capabilities.Error] where the holder stays.
func (c *Client) Leave(ctx context.Context) error {
	resp, err := c.send(ctx, http.MethodPost, pathLeave, nil)
	if _, refused := capabilities.AsError(err); refused {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrHolderGone, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var a left
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		return fmt.Errorf("%w: %w", ErrHolderGone, err)
	}
	if a.Refusal != nil {
		return a.Refusal.decode()
	}
	return nil
}

// Subscribe calls f after a [Client.Refresh] that brought another view.
func (c *Client) Subscribe(f func()) (cancel func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.next
	c.next++
	c.subscribers[id] = f
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.subscribers, id)
	}
}

func (c *Client) notify() {
	c.mu.Lock()
	all := make([]func(), 0, len(c.subscribers))
	for _, f := range c.subscribers {
		all = append(all, f)
	}
	c.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Invoke sends one call to the holder's door. A call whose answer is lost is
// refused as the door itself would: unknown_outcome for a write of the holder's,
// maybe_applied for a bridged tool that is not proven read-only.
func (c *Client) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	body, err := json.Marshal(request{
		Name: call.Name, Arguments: call.Arguments, OpID: call.Operation.ID, DryRun: call.Operation.DryRun,
		Progress: call.Progress != nil, RequestID: call.RequestID, Wait: call.Wait,
	})
	if err != nil {
		return nil, fmt.Errorf("writing a call of %s: %w", call.Name, err)
	}
	if len(body) > maxRequest {
		return nil, capabilities.Refuse(capabilities.TooLarge, "the arguments of %s have %d bytes, at most %d are taken", call.Name, len(call.Arguments), capabilities.MaxArguments)
	}
	resp, err := c.send(ctx, http.MethodPost, pathCall, body)
	if err != nil {
		return nil, c.lost(ctx, call.Name, err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := json.NewDecoder(resp.Body)
	for {
		var e event
		if err := lines.Decode(&e); err != nil {
			return nil, c.lost(ctx, call.Name, err)
		}
		switch {
		case e.Progress != nil && call.Progress != nil:
			call.Progress(*e.Progress)
		case e.Refusal != nil:
			return nil, e.Refusal.decode()
		case e.Result != nil:
			return e.Result.decode(), nil
		}
	}
}

// send sends one request and answers a response of this version with status 200.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if err := c.accept(resp, http.StatusOK); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

func (c *Client) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://holotype"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set(versionHeader, c.version)
	return req, nil
}

// Build answers which build the holder said to be when it answered last; "" before that,
// and for one that does not say.
func (c *Client) Build() string {
	if b := c.build.Load(); b != nil {
		return *b
	}
	return ""
}

// accept refuses a response of another version, or of another status than want.
func (c *Client) accept(resp *http.Response, want int) error {
	theirs, build := resp.Header.Get(versionHeader), resp.Header.Get(buildHeader)
	c.build.Store(&build)
	switch {
	case theirs == "":
		return capabilities.Refuse(capabilities.Unavailable, "what answers on the socket of the data directory is no holotype: stop it, or choose another data directory")
	case theirs != c.version:
		return capabilities.Refuse(capabilities.Unavailable, "holotype %s holds the data directory and this is holotype %s: stop the running one and start it again, or call it with its own version", theirs, c.version)
	case resp.StatusCode != want:
		return capabilities.Refuse(capabilities.InternalError, "the running holotype answered status %d", resp.StatusCode)
	}
	return nil
}

// gone classes a failure of a request that changes nothing.
func gone(err error) error {
	if _, ok := capabilities.AsError(err); ok {
		return err
	}
	return capabilities.Refuse(capabilities.Unavailable, "the running holotype does not answer on its socket: start it again, or stop what is left of it").Because(err)
}

// lost classes a call whose answer did not come.
func (c *Client) lost(ctx context.Context, name string, err error) error {
	if _, ok := capabilities.AsError(err); ok {
		return err
	}
	if _, ok := errors.AsType[unreachable](err); ok {
		return gone(err)
	}
	found, _, ok := c.Find(nil, name)
	writes, builtin := true, true // the dangerous reading of a name we do not know
	if ok {
		writes, builtin = found.Writes(), !found.Bridged()
	}
	code, what := capabilities.Unavailable, "the running holotype went away before it answered"
	if ctx.Err() != nil {
		code, what, err = capabilities.Timeout, "the call was stopped before it was answered", ctx.Err()
	}
	if writes && builtin {
		return capabilities.Refuse(capabilities.UnknownOutcome, "%s: %s may or may not have taken effect, look before you repeat it", what, name).Because(err)
	}
	e := capabilities.Refuse(code, "%s: %s", name, what).Because(err)
	e.MaybeApplied = writes
	return e
}
