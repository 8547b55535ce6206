package signin

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// What was refused once is asked for again after soonest, then ever less often.
const (
	soonest = 5 * time.Second
	latest  = 5 * time.Minute
)

// renew sees to it that a grant is renewed once, whoever asks for it, and answers what is closed at the end of that. It is nil where there is
// nothing to wait for: it is another grant already, or it was tried just now. pressed says that the server has refused the access token.
func (a *Account) renew(g *grant, pressed bool) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.renewing != nil {
		return a.renewing
	}
	if a.grant != g || !a.retryAt.IsZero() && a.c.o.Now().Before(a.retryAt) {
		return nil
	}
	done := make(chan struct{})
	// It goes on when the call that it is made for is given up: an authorization server that rotates has ended the token before.
	if !a.c.work.Go(func() {
		before := a.standing()
		a.renewNow(g, pressed)
		a.mu.Lock()
		a.renewing = nil
		a.mu.Unlock()
		close(done)
		if after := a.standing(); after.State != before.State || after.Reason != before.Reason {
			if after.State == Needed {
				a.c.log(a.key).Warn("sign_in_needed", "reason", after.Reason)
			}
			a.c.o.Changed(a.key)
		}
	}) {
		return nil
	}
	a.renewing = done
	return done
}

// renewNow renews a grant while no other process does. What another one has sealed meanwhile is used in its place.
func (a *Account) renewNow(g *grant, pressed bool) {
	ctx, cancel := context.WithTimeout(a.c.life, discoveryTime)
	defer cancel()
	err := a.c.o.Sealed.Alone(ctx, a.key.sealedName(), func() error {
		if found, err := a.sealedInstead(g); found || err != nil {
			return err
		}
		if pressed {
			age, known := g.age(a.c.o.Now())
			switch {
			case g.Refresh == "" && known && g.Lives > 0 && age >= g.Lives:
				return a.end("its access token has ended, and cannot be renewed")
			case g.Refresh == "":
				a.doubt("it refuses its access token, which cannot be renewed")
				return nil
			case g.Pressed && known && age < time.Minute && (g.Lives == 0 || age < g.Lives-g.early()):
				a.doubt("it refuses the token that it was given just now")
				return nil
			}
		}
		return a.refresh(ctx, g, pressed)
	})
	if err != nil {
		a.postpone(err)
	}
}

// sealedInstead uses what is sealed in place of a grant, and reports whether it is something else.
func (a *Account) sealedInstead(g *grant) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.grant != g {
		return true, nil
	}
	if a.unsealed {
		return false, nil
	}
	r, err := a.c.load(a.key)
	switch {
	case err != nil:
		return false, err
	case !r.Grant.of(a.server):
		a.drop("it was signed out of")
		return true, nil
	case r.Grant.Access != g.Access:
		a.use(r.Grant, true)
		return true, nil
	}
	return false, nil
}

// refresh asks for another access token (RFC 6749 section 6).
func (a *Account) refresh(ctx context.Context, g *grant, pressed bool) error {
	got, err := a.c.askRefresh(ctx, g)
	if errors.Is(err, errNoEndpoint) {
		moved, wrong := a.c.moved(ctx, g)
		if wrong != "" {
			return a.end(wrong)
		}
		if moved != nil {
			g = moved
			got, err = a.c.askRefresh(ctx, g)
		}
	}
	if refused, ok := errors.AsType[*tokenRefusal](err); ok && !transient(err) {
		switch refused.code {
		case "invalid_grant":
			return a.end("its authorization server has ended the one before")
		case "invalid_client", "unauthorized_client":
			if err := a.end("its authorization server does not know this program any more"); err != nil {
				return err
			}
			return a.c.dropRegistration(a.key, g.Client)
		}
		return a.end("its authorization server refuses to renew the one before")
	}
	if err != nil {
		return err
	}
	next := *g
	next.Access, next.At, next.Lives, next.Pressed = got.access, a.c.o.Now(), got.lives, pressed
	if got.refresh != "" {
		next.Refresh = got.refresh
	}
	if got.scopes != nil {
		next.Scopes = got.scopes
	}
	a.prolong(&next, a.c.seal(ctx, a.key, &next))
	return nil
}

func (c *Client) askRefresh(ctx context.Context, g *grant) (tokens, error) {
	return c.askToken(ctx, g.Token, g.Client, g.Reach, url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {g.Refresh}, "resource": {g.Resource},
	})
}

// moved looks whether the token endpoint of a grant is at another place of its origin. The tokens are not sent to another origin: only who
// signs in there says that they may be.
func (c *Client) moved(ctx context.Context, g *grant) (moved *grant, wrong string) {
	meta, err := c.describeServer(ctx, g.Issuer, g.Reach)
	switch {
	case err != nil && !transient(err):
		return nil, "its authorization server is not what it was: " + words(err)
	case err != nil || meta == nil || meta.TokenEndpoint == g.Token:
		return nil, ""
	case !sameOrigin(meta.TokenEndpoint, g.Token):
		return nil, "its authorization server has moved to another address"
	}
	next := *g
	next.Token, next.Revocation = meta.TokenEndpoint, ""
	if sameOrigin(meta.RevocationEndpoint, g.Token) {
		next.Revocation = meta.RevocationEndpoint
	}
	return &next, ""
}

// end drops a grant that is worth nothing any more.
func (a *Account) end(why string) error {
	a.lose(why)
	r, err := a.c.load(a.key)
	if err != nil {
		r = record{}
	}
	r.Grant = nil
	return a.c.store(a.key, r)
}

// postpone notes why a grant cannot be renewed now.
func (a *Account) postpone(err error) {
	why := words(err)
	a.mu.Lock()
	a.wait = min(max(2*a.wait, soonest), latest)
	a.retryAt = a.c.o.Now().Add(a.wait)
	if a.grant != nil {
		a.later = why
	}
	wait := a.wait
	a.mu.Unlock()
	a.c.log(a.key).Warn("sign_in_not_renewed", "reason", why, "retry_in_seconds", wait.Seconds())
}
