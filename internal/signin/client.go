package signin

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
)

var _ Accounts = (*Client)(nil)

// A Client signs in to servers. It is safe for concurrent use.
type Client struct {
	o    Options
	web  *web
	work drain.Group     // renewals, which outlast the calls that they are made for
	life context.Context //nolint:containedctx // that of the renewals, which end with the client and no call
	end  context.CancelFunc

	mu       sync.Mutex
	accounts map[Key]*Account
	open     map[string]*attempt // by their state
}

// New answers a client that has no accounts.
func New(o Options) *Client {
	if o.Sealed == nil {
		o.Sealed = NewMemory()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func(Key) {}
	}
	c := &Client{o: o, web: newWeb(o.Transport), accounts: map[Key]*Account{}, open: map[string]*attempt{}}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// Close waits for what is being renewed, so that no refresh token is used up without its successor being kept. What is not done when ctx ends is
// given up.
func (c *Client) Close(ctx context.Context) {
	c.work.Close()
	select {
	case <-c.work.Idle():
	case <-ctx.Done():
	}
	c.end()
	c.work.Wait()
	c.web.close()
}

// Format writes how many accounts there are.
func (c *Client) Format(f fmt.State, _ rune) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = fmt.Fprintf(f, "%d accounts", len(c.accounts))
}

// Account answers the account of an instance, the same one for the same key. What it holds is not used where the configuration has become that
// of another resource, issuer or client; it is used again once that is taken back. Requests go by [Account.At].
func (c *Client) Account(s Server) *Account {
	s.Scopes = slices.Clone(s.Scopes)
	c.mu.Lock()
	a := c.accounts[s.Key]
	if a == nil {
		a = &Account{c: c, key: s.Key}
		c.accounts[s.Key] = a
	}
	c.mu.Unlock()
	a.configure(s)
	return a
}

// Retain forgets the accounts that are not among these, but for what is sealed of them: an entry that is taken away and put back is signed in as
// before, and [Client.Forget] is for whoever means it.
func (c *Client) Retain(keys []Key) {
	kept := make(map[Key]bool, len(keys))
	for _, key := range keys {
		kept[key] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, a := range c.accounts {
		if !kept[key] {
			delete(c.accounts, key)
			a.leave()
		}
	}
	for state, t := range c.open {
		if c.accounts[t.server.Key] == nil {
			delete(c.open, state)
		}
	}
}

// log answers the log of an account, with what the bridge says of the same instance.
func (c *Client) log(key Key) *slog.Logger {
	log := c.o.Log.With("server", key.Server)
	if key.Seat != "" {
		log = log.With("seat", key.Seat)
	}
	return log
}

func (c *Client) account(key Key) *Account {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.accounts[key]
}

// Standing answers how an account stands; false without one.
func (c *Client) Standing(key Key) (Standing, bool) {
	a := c.account(key)
	if a == nil {
		return Standing{}, false
	}
	return a.standing(), true
}

// Forget revokes what an account was granted, and forgets it and the registration. See [Accounts].
func (c *Client) Forget(ctx context.Context, key Key) (bool, error) {
	a, had := c.account(key), false
	c.endAttempts(key)
	err := c.o.Sealed.Alone(ctx, key.sealedName(), func() error {
		r, err := c.load(key)
		had = err != nil || r.Grant != nil || r.Registration != nil
		if r.Grant == nil && a != nil {
			r.Grant = a.held() // one that could not be kept
			had = had || r.Grant != nil
		}
		if !had {
			return nil
		}
		if r.Grant != nil {
			c.revoke(ctx, key, r.Grant)
		}
		if err := c.store(key, record{}); err != nil {
			return err
		}
		if a != nil {
			a.lose("it was signed out of")
		}
		return nil
	})
	if err != nil {
		return false, capabilities.Refuse(capabilities.Unavailable, "the sign-in to %q was not forgotten: what is sealed cannot be written; see the log", key.Server).Because(err)
	}
	if had {
		c.log(key).InfoContext(ctx, "sign_in_forgotten")
		c.o.Changed(key)
	}
	return had, nil
}

// revoke ends a grant at its authorization server (RFC 7009), where that can be asked.
func (c *Client) revoke(ctx context.Context, key Key, g *grant) {
	if g.Revocation == "" {
		return
	}
	form := url.Values{"token": {g.Access}, "token_type_hint": {"access_token"}}
	if g.Refresh != "" {
		form = url.Values{"token": {g.Refresh}, "token_type_hint": {"refresh_token"}}
	}
	if a, err := c.post(ctx, g.Revocation, g.Client, g.Reach, form); err != nil || a.status != 200 {
		c.log(key).WarnContext(ctx, "sign_in_not_revoked", "issuer", g.Issuer)
	}
}

// seal keeps a grant before it is used. One that cannot be kept is used all the same: the one that it takes the place of is worth nothing any
// more.
func (c *Client) seal(ctx context.Context, key Key, g *grant) (kept bool) {
	r, err := c.load(key)
	if err != nil {
		r = record{}
	}
	r.Grant = g
	if err := c.store(key, r); err != nil {
		c.log(key).ErrorContext(ctx, "sign_in_not_kept", "error", err)
		return false
	}
	return true
}
