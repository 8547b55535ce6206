package holotype

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/ratelimit"
)

// authenticator answers who sends a request: whoever the embedding program says, else
// the owner by the token of the data directory, or whom one of the API tokens stands
// for, else nobody. With auth: none everybody who reaches the loopback is the owner.
type authenticator struct {
	own    func(*http.Request) (*capabilities.Principal, error) // the embedding program's, or nil
	open   bool                                                 // auth: none
	token  []byte                                               // the owner's
	owner  *capabilities.Principal
	tokens *identity.Tokens // nil without a store
	access *access
	now    func() time.Time
	// wrong are the tokens that were none, by where they came from.
	wrong *ratelimit.Buckets[netip.Addr]
}

// mostStrangers is of how many addresses it is known at once how many wrong tokens they
// sent. All others share one bucket then.
const mostStrangers = 4096

// wrongRate is how many wrong tokens an address may send before each is looked at no
// further. Whoever guesses does not get anywhere with it; a program that was given a
// wrong token is told so a whole minute long.
func wrongRate() ratelimit.Rate { return ratelimit.Rate{PerMinute: 60, Burst: 60} }

// openWrong answers the counts of wrong tokens, which every way in that takes one shares.
func openWrong() *ratelimit.Buckets[netip.Addr] {
	return ratelimit.NewBuckets[netip.Addr](mostStrangers)
}

func (s *Server) authenticator(p *place, tokens *identity.Tokens, tokensOf *access) *authenticator {
	return &authenticator{
		own: s.o.Authenticate, open: p.config.Auth == config.AuthNone, token: []byte(p.token), owner: capabilities.OwnerPrincipal(), tokens: tokens, access: tokensOf,
		now: s.o.Now, wrong: tokensOf.wrong,
	}
}

func (a *authenticator) principal(r *http.Request) (*capabilities.Principal, error) {
	if a.own != nil {
		if who, err := a.own(r); who != nil || err != nil {
			return who, err
		}
	}
	// A program that mounts the handler may listen where we do not know.
	if a.open && fromHere(r) {
		return a.owner, nil
	}
	header := r.Header.Get("Authorization")
	if header == "" {
		return nil, nil
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, errWrongToken
	}
	return a.bearer(r, strings.TrimSpace(token))
}

var errWrongToken = capabilities.Refuse(capabilities.Unauthenticated, "the bearer token is not one of this server: the owner's stands in owner.token in the data directory")

// bearer answers whom a bearer token stands for. An address that has sent many wrong ones
// costs little from then on, and right ones are still let in from it.
func (a *authenticator) bearer(r *http.Request, token string) (*capabilities.Principal, error) {
	if subtle.ConstantTimeCompare([]byte(token), a.token) == 1 {
		return a.owner, nil
	}
	from, now := ratelimit.AddressOf(r), a.now()
	sparing := a.wrong.Look(from, wrongRate(), now) > 0
	who, err := a.known(r, token, sparing)
	if e, ok := capabilities.AsError(err); ok && e.Code == capabilities.Unauthenticated {
		if wait := a.wrong.Take(from, wrongRate(), now); wait > 0 {
			return nil, tooManyWrong(wait)
		}
	}
	return who, err
}

// stands answers the refusal of a request whose credential was good when it began and is
// good no more. That of the owner, and what the embedding program knows somebody by, is not
// judged here.
func (a *authenticator) stands(r *http.Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	switch {
	case !strings.EqualFold(scheme, "Bearer"), subtle.ConstantTimeCompare([]byte(token), a.token) == 1:
		return nil
	case a.own != nil && !a.access.Takes(token) && !identity.Takes(token):
		return nil
	}
	// An access token that the configuration in force takes no more is none.
	_, err := a.known(r, token, false)
	return err
}

// known answers whom a token stands for that is not the owner's. Sparing says to answer
// at little cost whatever is sent.
func (a *authenticator) known(r *http.Request, token string, sparing bool) (*capabilities.Principal, error) {
	switch {
	case a.access.Takes(token):
		return a.access.Principal(r, token)
	case a.tokens == nil:
		return nil, errWrongToken
	case sparing:
		return a.tokens.Sparing(r.Context(), token)
	}
	return a.tokens.Principal(r.Context(), token)
}

func tooManyWrong(wait time.Duration) *capabilities.Error {
	e := capabilities.Refuse(capabilities.RateLimited, "your address has sent too many credentials that are not good: put a good one in place, a request with it is served at once")
	e.RetryAfter = wait
	return e
}

// fromHere reports whether a program on this machine sent a request itself. What a proxy
// on this machine passes on comes over the loopback as well.
func fromHere(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header[name] != nil {
			return false
		}
	}
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}
