package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	// attemptTime is how long a person has to sign in, and mostAttempts how many may be at it at once.
	attemptTime  = 10 * time.Minute
	mostAttempts = 1024
	// maxLink bounds the link: browsers and servers take no longer ones for sure.
	maxLink = 8 << 10
)

// attempt is a sign-in that a browser has been sent to. Whoever has its state and a code ends it.
type attempt struct {
	server   Server
	place    *place
	client   identity
	redirect string
	verifier string
	scopes   []string
	expires  time.Time
}

// Format writes what it is.
func (attempt) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "a sign-in") }

// Begin begins a sign-in, in place of one of that account that is not finished. See [Accounts].
func (c *Client) Begin(ctx context.Context, key Key) (Link, error) {
	a := c.account(key)
	if a == nil {
		return Link{}, capabilities.Refuse(capabilities.NotFound, "there is no server %q that could be signed in to", key.Server)
	}
	want := a.wish()
	redirect, err := c.o.Redirect(ctx)
	if refusal, ok := capabilities.AsError(err); ok {
		return Link{}, capabilities.Refuse(refusal.Code, "%q cannot be signed in to: %s", key.Server, refusal.Message).Because(err)
	}
	if err != nil {
		return Link{}, capabilities.Refuse(capabilities.Unavailable, "this program has no address that a browser could come back to from signing in to %q", key.Server).Because(err)
	}
	t := &attempt{server: want.server, redirect: redirect, verifier: secretText(), expires: c.o.Now().Add(attemptTime)}
	if t.place, err = c.discover(ctx, want.server, want.asked); err == nil {
		a.found(t.place.meta.Issuer)
		t.client, err = c.identify(ctx, want.server, t.place, redirect)
	}
	var link string
	if err == nil {
		t.scopes = want.scopes(t.place)
		state := secretText()
		if link, err = t.link(state); err == nil {
			err = c.admit(state, t)
		}
	}
	if err != nil {
		return Link{}, c.failed(ctx, err, signedIn(key, t.place), "%q cannot be signed in to: %s")
	}
	c.log(key).InfoContext(ctx, "sign_in_begun", "issuer", t.place.meta.Issuer)
	return Link{URL: link, Expires: t.expires}, nil
}

// secretText answers 256 bits.
func secretText() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails: see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// link answers where the browser goes (RFC 6749 section 4.1.1, RFC 7636 section 4.3, RFC 8707 section 2).
func (t *attempt) link(state string) (string, error) {
	u, err := url.Parse(t.place.meta.AuthorizationEndpoint)
	if err != nil {
		return "", faultf("%s is no URL", short(t.place.meta.AuthorizationEndpoint))
	}
	sum := sha256.Sum256([]byte(t.verifier))
	q := u.Query()
	for name, value := range map[string]string{
		"response_type": "code", "client_id": t.client.ID, "redirect_uri": t.redirect, "state": state, "resource": t.place.resource,
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256",
	} {
		q.Set(name, value)
	}
	if q.Del("scope"); len(t.scopes) > 0 {
		q.Set("scope", strings.Join(t.scopes, " "))
	}
	if slices.Contains(t.scopes, offlineAccess) {
		q.Set("prompt", "consent") // without which OpenID Connect ignores that scope (Core 1.0 section 11)
	}
	u.RawQuery = q.Encode()
	link := u.String()
	if len(link) > maxLink {
		return "", faultf("the address to sign in at would be over %d characters", maxLink)
	}
	return link, nil
}

// admit opens an attempt, and ends the one before it.
func (c *Client) admit(state string, t *attempt) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.o.Now()
	for other, o := range c.open {
		if o.server.Key == t.server.Key || !now.Before(o.expires) {
			delete(c.open, other)
		}
	}
	if len(c.open) >= mostAttempts {
		return &fault{words: "too many sign-ins are open; some end within ten minutes", transient: true}
	}
	c.open[state] = t
	return nil
}

func (c *Client) endAttempts(key Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for state, t := range c.open {
		if t.server.Key == key {
			delete(c.open, state)
		}
	}
}

// take answers the attempt of a state, once.
func (c *Client) take(query url.Values) *attempt {
	states := query["state"]
	if len(states) != 1 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.open[states[0]]
	delete(c.open, states[0])
	if t == nil || !c.o.Now().Before(t.expires) {
		return nil
	}
	return t
}

// Finish ends a sign-in with what came back. See [Accounts].
func (c *Client) Finish(ctx context.Context, query url.Values) (Finished, error) {
	t := c.take(query)
	if t == nil {
		return Finished{}, capabilities.Refuse(capabilities.NotFound, "this sign-in is not open: it was finished, took longer than ten minutes, or another one was begun since; begin it again")
	}
	key := t.server.Key
	end := signedIn(key, t.place)
	code, err := t.judge(query)
	if err != nil {
		return Finished{}, c.failed(ctx, err, end, "%q was not signed in to: %s")
	}
	if !c.work.Enter() {
		return Finished{}, capabilities.Refuse(capabilities.Unavailable, "%q was not signed in to: this program is stopping; begin again once it is back", key.Server)
	}
	defer c.work.Leave()
	// A code is good once: a browser that hangs up must not lose what it was exchanged for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discoveryTime)
	defer cancel()
	if err := c.exchange(ctx, t, code); err != nil {
		return Finished{}, c.failed(ctx, err, end, "%q was not signed in to: %s; begin again")
	}
	c.log(key).InfoContext(ctx, "sign_in_finished", "issuer", end.Issuer)
	c.o.Changed(key)
	return end, nil
}

// signedIn is what there is to say of a sign-in at a place; nil is none that is known.
func signedIn(key Key, p *place) Finished {
	if p == nil {
		return Finished{Key: key}
	}
	return Finished{key, p.meta.Issuer}
}

// failed answers the refusal of a sign-in, and notes it. The format is of the server and the reason.
func (c *Client) failed(ctx context.Context, err error, of Finished, format string) error {
	c.log(of.Key).WarnContext(ctx, "sign_in_failed", "issuer", of.Issuer, "reason", words(err))
	code := capabilities.Conflict
	if transient(err) {
		code = capabilities.Unavailable
	}
	return capabilities.Refuse(code, format, of.Key.Server, told(err)).Because(err)
}

// judge answers the code of an answer. Who answers is judged first: an error of somebody else is none (RFC 9207 section 2.4).
func (t *attempt) judge(query url.Values) (string, error) {
	for _, name := range []string{"iss", "code", "error"} {
		if len(query[name]) > 1 {
			return "", faultf("the answer says something twice; begin again")
		}
	}
	switch issuers := query["iss"]; {
	case len(issuers) == 1 && issuers[0] != t.place.meta.Issuer:
		return "", faultf("the answer is of another authorization server than was asked, and was not used; do not begin again before you know why")
	case len(issuers) == 0 && t.place.meta.AuthorizationResponseIssParameterSupported:
		return "", faultf("the answer does not say which authorization server it is of, as that server promises, and was not used; begin again")
	}
	if query.Has("error") {
		switch query.Get("error") {
		case "access_denied":
			return "", faultf("access was denied at the authorization server")
		case "invalid_scope":
			return "", faultf("the authorization server does not know the scopes that were asked for; set oauth.scopes")
		case "server_error", "temporarily_unavailable":
			return "", faultf("the authorization server failed; begin again later")
		}
		return "", faultf("the authorization server refused it")
	}
	code := query.Get("code")
	if code == "" || len(code) > maxToken || judgeSecret(code, maxToken) != nil {
		return "", faultf("the answer has no code; begin again")
	}
	return code, nil
}

// exchange gets the tokens for a code, and keeps them.
func (c *Client) exchange(ctx context.Context, t *attempt, code string) error {
	got, err := c.askToken(ctx, t.place.meta.TokenEndpoint, t.client, t.place.reach, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {t.redirect}, "code_verifier": {t.verifier}, "resource": {t.place.resource},
	})
	if refused, ok := errors.AsType[*tokenRefusal](err); ok && refused.code == "invalid_client" {
		c.unregister(ctx, t.server.Key, t.client)
	}
	if err != nil {
		return err
	}
	now := c.o.Now()
	g := &grant{
		URL: t.server.URL, Resource: t.place.resource, Issuer: t.place.meta.Issuer, Token: t.place.meta.TokenEndpoint, Revocation: t.place.meta.RevocationEndpoint,
		Reach: t.place.reach, Client: t.client, Given: t.server.ClientID != "", Access: got.access, Refresh: got.refresh, Scopes: got.scopes, Since: now, At: now, Lives: got.lives,
	}
	if g.Scopes == nil {
		g.Scopes = t.scopes // what is not said is what was asked for (RFC 6749 section 5.1)
	}
	key := t.server.Key
	return c.o.Sealed.Alone(ctx, key.sealedName(), func() error {
		a := c.account(key)
		if a == nil || !a.is(t.server) {
			c.revoke(ctx, key, g)
			return faultf("the server was configured anew meanwhile")
		}
		if !a.adopt(g, c.seal(ctx, key, g)) { // it is there once that is taken back
			return faultf("the server was configured anew meanwhile")
		}
		return nil
	})
}

// unregister forgets a registration that its authorization server does not know any more.
func (c *Client) unregister(ctx context.Context, key Key, by identity) {
	err := c.o.Sealed.Alone(ctx, key.sealedName(), func() error { return c.dropRegistration(key, by) })
	if err != nil {
		c.log(key).ErrorContext(ctx, "sign_in_not_kept", "error", err)
	}
}

func (c *Client) dropRegistration(key Key, by identity) error {
	r, err := c.load(key)
	if err != nil || r.Registration == nil || r.Registration.Client.ID != by.ID {
		return err
	}
	r.Registration = nil
	return c.store(key, r)
}
