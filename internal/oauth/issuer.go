package oauth

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

const (
	// keysAge is how long keys hold before they are asked for again.
	keysAge = 10 * time.Minute
	// keysEnd is how long they hold when the issuer does not answer.
	keysEnd = time.Hour
	// askEvery bounds how often the issuer is asked, whatever is sent to us: for a key that
	// it did not have a moment ago, and when it failed.
	askEvery = 30 * time.Second
	// askAgain is that for an issuer that failed and no key of which is known.
	askAgain = 5 * time.Second
)

// issuer is an authorization server whose keys are fetched and kept.
type issuer struct {
	name, stated string // stated is the address of the keys in the configuration, "" for none
	client       *http.Client
	now          func() time.Time

	mu      sync.Mutex
	keys    *keySet
	fetched time.Time     // when keys were
	asked   time.Time     // when the issuer was asked last
	asking  chan struct{} // closed when the question that runs now has an answer; nil without one
	trouble error         // of the last question
}

func newIssuer(name, stated string, transport http.RoundTripper, now func() time.Time) *issuer {
	return &issuer{name: name, stated: stated, client: newClient(transport), now: now}
}

// keysFor answers the keys that a token may be signed with. The refusal is
// [capabilities.Unauthenticated] when the issuer has no such key, and
// [capabilities.Unavailable] when it does not say.
func (i *issuer) keysFor(ctx context.Context, kid, algorithm string) ([]crypto.PublicKey, error) {
	for first := true; ; first = false {
		i.mu.Lock()
		found, asking, ask := i.look(kid, algorithm)
		ask = ask && first // once for each token, whatever the clock does
		if ask {
			i.asking, i.asked = make(chan struct{}), i.now()
		}
		i.mu.Unlock()
		switch {
		case ask:
			i.ask(ctx)
		case len(found) > 0:
			return found, nil
		case asking != nil:
			select {
			case <-asking:
			case <-ctx.Done():
				return nil, capabilities.Refuse(capabilities.Unavailable, "the authorization server had not named its keys when the request ended").Because(ctx.Err())
			}
		default:
			return nil, i.none()
		}
	}
}

// look answers the keys that fit, the question that runs, and whether the caller is to ask
// one now. It is called under the lock.
func (i *issuer) look(kid, algorithm string) (found []crypto.PublicKey, asking chan struct{}, ask bool) {
	now := i.now()
	age := now.Sub(i.fetched)
	if i.keys != nil && age >= 0 && age < keysEnd {
		found = i.keys.find(kid, algorithm)
	}
	if i.asking != nil || len(found) > 0 && age < keysAge {
		return found, i.asking, false
	}
	every := askEvery
	if i.keys == nil {
		every = askAgain
	}
	since := now.Sub(i.asked)
	return found, nil, i.asked.IsZero() || since < 0 || since >= every
}

// ask fetches the keys for everybody who waits for them, whoever leaves meanwhile.
func (i *issuer) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
	defer cancel()
	keys, err := i.fetch(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	if err == nil {
		i.keys, i.fetched = keys, i.now()
	}
	i.trouble = err
	close(i.asking)
	i.asking = nil
}

// none answers why there is no key for a token.
func (i *issuer) none() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.trouble == nil {
		return refuse("the access token is signed with no key of the authorization server")
	}
	e := capabilities.Refuse(capabilities.Unavailable, "the authorization server %s does not say its keys: try again, or tell the operator of this server", i.name).Because(i.trouble)
	every := askEvery
	if i.keys == nil {
		every = askAgain
	}
	e.RetryAfter = max(every-i.now().Sub(i.asked), time.Second)
	return e
}

func (i *issuer) fetch(ctx context.Context) (*keySet, error) {
	address := i.stated
	if address == "" {
		var err error
		if address, err = i.discover(ctx); err != nil {
			return nil, err
		}
	}
	body, err := get(ctx, i.client, address)
	if err != nil {
		return nil, err
	}
	return readKeys(body)
}

// discover reads in the metadata of the issuer where its keys stand: RFC 8414, and OpenID
// Connect Discovery 1.0 where it has that alone.
func (i *issuer) discover(ctx context.Context) (string, error) {
	var failed []error
	for _, address := range metadataAddresses(i.name) {
		body, err := get(ctx, i.client, address)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		var m struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		switch err := json.Unmarshal(body, &m); {
		case err != nil:
			failed = append(failed, fmt.Errorf("reading %s: %w", address, err))
		case m.Issuer != i.name: // RFC 8414 section 3.3
			failed = append(failed, fmt.Errorf("%s is the metadata of another issuer, %q", address, m.Issuer))
		case !config.SecureURL(m.Keys), strings.HasPrefix(i.name, "https:") && !strings.HasPrefix(m.Keys, "https:"):
			failed = append(failed, fmt.Errorf("%s names no https address of its keys", address))
		default:
			return m.Keys, nil
		}
	}
	return "", errors.Join(failed...)
}

// metadataAddresses answers where the metadata of an issuer may stand, in the order in
// which it is looked for.
func metadataAddresses(issuer string) []string {
	const oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	host, path := u.Scheme+"://"+u.Host, strings.TrimRight(u.EscapedPath(), "/")
	if path == "" {
		return []string{host + oauth, host + openID}
	}
	return []string{host + oauth + path, host + openID + path, host + path + openID}
}
