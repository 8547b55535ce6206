package signin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// lookAgain is how often an account without tokens is looked for in what is sealed: another process may have signed in.
const lookAgain = 5 * time.Second

// An Account is what one instance of a server is signed in by. It is safe for concurrent use, and gives its tokens to requests to that server
// alone.
type Account struct {
	c   *Client
	key Key

	mu     sync.Mutex
	server Server
	grant  *grant
	// unsealed says that the grant could not be written down, so that what is sealed is older.
	unsealed bool
	header   string
	secrets  []string
	// asked is what the server has said that it asks for.
	asked challenge
	// need is why a sign-in is needed, later why the one that is held cannot be renewed now.
	need, later string
	// more says that what is needed is more than the grant is for.
	more     bool
	issuer   string
	retryAt  time.Time
	wait     time.Duration
	looked   time.Time
	renewing chan struct{} // closed at the end of what renews now
}

// challenge is what a server asks for (RFC 6750 section 3, RFC 9728 section 5.1).
type challenge struct {
	seen   bool
	hint   string
	scopes []string
}

// Format writes the key.
func (a *Account) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "the account of %q at %q", a.key.Seat, a.key.Server)
}

// Authorization answers the value of the Authorization header of the next request; "" sends none. An access token that has ended is renewed
// first; one that is about to end is used meanwhile. The error is that of ctx.
func (a *Account) Authorization(ctx context.Context) (string, error) {
	g, header := a.current()
	now := a.c.o.Now()
	if g == nil || !g.stale(now) {
		return header, ctx.Err()
	}
	done := a.renew(g, false)
	if age, _ := g.age(now); done != nil && age < g.Lives {
		return header, ctx.Err()
	}
	if done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.header, nil
}

// current answers the grant, which another process may have sealed, and its header.
func (a *Account) current() (*grant, string) {
	a.mu.Lock()
	found := a.grant == nil && a.look(lookAgain) && a.grant != nil
	g, header := a.grant, a.header
	a.mu.Unlock()
	if found {
		a.c.o.Changed(a.key)
	}
	return g, header
}

// Refused is told that the server answered a request with this Authorization header with 401 or 403, and these WWW-Authenticate headers. It
// reports whether the request is worth sending again: the token was renewed, or has become another since. A new sign-in is for a person to
// make, so that nothing is asked of the server in a loop.
func (a *Account) Refused(ctx context.Context, value string, status int, challenges []string) (again bool) {
	asked, bearer := parseChallenges(challenges)
	a.mu.Lock()
	if value != a.header {
		again = a.header != ""
		a.mu.Unlock()
		return again
	}
	switch {
	case status == http.StatusForbidden && a.grant != nil:
		// What it names may be no more than what is missing (MCP, Scope Challenge Handling).
		asked.scopes = scopeTokens(slices.Concat(a.grant.Scopes, asked.scopes)...)
		a.asked, a.more = asked, true
		a.ask(ctx, "it wants more than was granted"+listed(asked.scopes))
		return false
	case a.grant == nil && (bearer || len(challenges) == 0):
		a.asked = asked
		a.ask(ctx, cmp.Or(a.need, "it asks for one")) // why the last one ended says more
		return false
	case a.grant == nil:
		a.mu.Unlock()
		return false // it asks for something else
	case a.need == "" && bearer:
		a.asked = asked
	}
	g := a.grant
	a.mu.Unlock()
	if done := a.renew(g, true); done != nil {
		select {
		case <-done:
		case <-ctx.Done():
			return false
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.header != "" && a.header != value
}

// parseChallenges answers what the first challenge for a bearer token says. What cannot be read is no challenge.
func parseChallenges(headers []string) (asked challenge, bearer bool) {
	const most, longest = 8, 8 << 10
	asked.seen = true
	for _, header := range headers[:min(len(headers), most)] {
		if len(header) > longest {
			continue
		}
		all, err := oauthex.ParseWWWAuthenticate([]string{header})
		if err != nil {
			continue
		}
		for _, one := range all {
			if one.Scheme != "bearer" {
				continue
			}
			asked.hint, asked.scopes = one.Params["resource_metadata"], scopeTokens(one.Params["scope"])
			return asked, true
		}
	}
	return asked, false
}

func listed(scopes []string) string {
	const most = 200
	if len(scopes) == 0 {
		return ""
	}
	text := strings.Join(scopes, " ")
	if len(text) > most {
		text = text[:most] + "..."
	}
	return ", " + text
}

// ask says why a sign-in is needed. mu is held, and let go.
func (a *Account) ask(ctx context.Context, why string) {
	changed := a.need != why
	a.need = why
	a.mu.Unlock()
	if changed {
		a.c.log(a.key).WarnContext(ctx, "sign_in_needed", "reason", why)
		a.c.o.Changed(a.key)
	}
}

// look reads what is sealed, unless that was done within a time. It reports whether it did. mu is held.
func (a *Account) look(within time.Duration) bool {
	now := a.c.o.Now()
	if passed := now.Sub(a.looked); a.unsealed || !a.looked.IsZero() && passed >= 0 && passed < within {
		return false
	}
	a.looked = now
	r, err := a.c.load(a.key)
	switch {
	case err != nil:
		a.c.log(a.key).Error("sign_in_unreadable", "error", err)
	case r.Grant.of(a.server) && (a.grant == nil || a.grant.Access != r.Grant.Access):
		a.use(r.Grant, true)
	}
	return true
}

// use takes a grant. mu is held.
func (a *Account) use(g *grant, sealed bool) {
	a.grant, a.unsealed, a.header, a.secrets = g, !sealed, "Bearer "+g.Access, g.secrets()
	a.need, a.more, a.later, a.retryAt, a.wait = "", false, "", time.Time{}, 0
	a.issuer = g.Issuer
}

// adopt takes what a person has signed in for, which has just been kept, or could not be. It reports whether that is for the server as it is
// configured now: the configuration may have changed since it was asked for.
func (a *Account) adopt(g *grant, sealed bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !g.of(a.server) {
		return false
	}
	a.use(g, sealed)
	return true
}

// prolong is [Account.adopt] of a grant that is the one before with another token: it is for no more than that.
func (a *Account) prolong(g *grant, sealed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !g.of(a.server) {
		return
	}
	more, need := a.more, a.need
	if a.use(g, sealed); more {
		a.more, a.need = more, need
	}
}

// doubt notes that the server does not take a token that should be good. That is its word alone, and perhaps about one thing: the token is
// held on until its authorization server has ended it, or somebody signs in anew.
func (a *Account) doubt(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.more {
		a.need = why
	}
}

// lose drops what is held.
func (a *Account) lose(why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(why)
}

// drop is [Account.lose]. mu is held.
func (a *Account) drop(why string) {
	a.grant, a.unsealed, a.header, a.secrets, a.later, a.more, a.need = nil, false, "", nil, "", false, why
}

// leave is [Account.lose] of an account that is configured no more.
func (a *Account) leave() {
	a.lose("")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.server = Server{Key: a.key}
}

func (a *Account) configure(s Server) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if same(a.server, s) {
		return
	}
	if a.grant != nil && !a.grant.of(s) {
		a.drop("")
	}
	if a.server.URL != s.URL {
		a.asked, a.need, a.more, a.issuer = challenge{}, "", false, ""
	}
	a.server = s
	if a.grant == nil {
		a.look(0)
	}
}

func same(a, b Server) bool {
	return a.Key == b.Key && a.URL == b.URL && a.ClientID == b.ClientID && a.ClientSecret == b.ClientSecret && a.Issuer == b.Issuer && slices.Equal(a.Scopes, b.Scopes)
}

// is reports whether a server is the one that is configured.
func (a *Account) is(s Server) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return same(a.server, s)
}

func (a *Account) held() *grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.grant
}

// found notes where the server is signed in to.
func (a *Account) found(issuer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.grant == nil {
		a.issuer = issuer
	}
}

// Wants answers what there is to do before the server can be used; "" for nothing.
func (a *Account) Wants() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.need != "":
		command := a.c.o.Program + " login " + a.key.Server
		if a.key.Seat != "" {
			command += " --seat " + a.key.Seat
		}
		return "waits for a sign-in (" + a.need + "): run " + command
	case a.later != "":
		return "has a sign-in that cannot be renewed now (" + a.later + "): it is tried again"
	}
	return ""
}

// Secrets answers every token that is held.
func (a *Account) Secrets() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.secrets
}

func (a *Account) standing() Standing {
	a.current()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := Standing{State: SignedOut, Reason: a.need, Issuer: a.issuer}
	if a.server.Issuer != "" {
		s.Issuer = a.server.Issuer
	}
	if g := a.grant; g != nil {
		s.State, s.Issuer, s.Scopes, s.Since, s.Renews = SignedIn, g.Issuer, slices.Clone(g.Scopes), g.Since, g.Refresh != ""
		if g.Lives > 0 {
			s.Until = g.At.Add(g.Lives)
		}
		if s.Reason == "" {
			s.Reason = a.later
		}
	}
	if a.need != "" {
		s.State = Needed
	}
	return s
}

// wish is what a sign-in that begins now is to ask for.
type wish struct {
	server Server
	asked  challenge
}

func (a *Account) wish() wish {
	a.mu.Lock()
	defer a.mu.Unlock()
	return wish{a.server, a.asked}
}

// scopes answers what to ask for: what is configured and nothing else, for whoever wrote it meant it; else what the challenge names, else what the
// server knows (MCP, Scope Selection Strategy), with what makes a grant last.
func (w wish) scopes(p *place) []string {
	if w.server.Scopes != nil {
		return w.server.Scopes
	}
	scopes := w.asked.scopes
	if len(scopes) == 0 {
		scopes = p.scopes
	}
	if slices.Contains(p.meta.ScopesSupported, offlineAccess) && !slices.Contains(scopes, offlineAccess) {
		scopes = append(slices.Clone(scopes), offlineAccess)
	}
	return scopes
}
