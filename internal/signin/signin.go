package signin

import (
	"context"
	"net/url"
	"time"
)

// A Key names an instance of a server. Seat is "" for one that everybody shares.
type Key struct{ Seat, Server string }

// A Server is what is configured of the instance that is signed in to.
type Server struct {
	Key
	// URL is that of the MCP endpoint: the resource that tokens are for.
	URL string
	// ClientID is that of a client which is registered already, or the https URL of a document that describes one; "" registers a client, or
	// uses the document of this program. ClientSecret goes with it, and to Issuer alone, which has to be given then.
	ClientID, ClientSecret string
	// Issuer is the one authorization server that is signed in at; "" is the one that the server names.
	Issuer string
	// Scopes are asked for in place of those that the server names; nil asks for what it names.
	Scopes []string
}

// State is how an account stands.
type State string

// The closed set of states.
const (
	// SignedOut is that of a server that has not asked for a sign-in, and has none.
	SignedOut State = "signed_out"
	// Needed is that of a server that asks for a sign-in, or for more than the one it has.
	Needed State = "needed"
	// SignedIn is that of a server whose tokens are held.
	SignedIn State = "signed_in"
)

// A Standing is what there is to know of an account. It holds no token.
type Standing struct {
	State  State
	Reason string // why a sign-in is needed, or why it cannot be renewed now, one clause; "" when neither is so
	Issuer string // where it is signed in, or would be, as far as known
	Scopes []string
	Since  time.Time // of the sign-in; zero when there is none
	Until  time.Time // the end of the access token; zero when it is not known
	// Renews says that the end of the access token is not the end of the sign-in.
	Renews bool
}

// A Link is where a person signs in, in a browser.
type Link struct {
	URL     string
	Expires time.Time
}

// A Finished sign-in is what a browser that came back brought.
type Finished struct {
	Key    Key
	Issuer string
}

// Accounts are what the callers of this package need of it.
type Accounts interface {
	// Begin begins a sign-in and answers where it goes on. The error is a [capabilities.Error]: not_found without an account of
	// that key, conflict where the server takes no sign-in, unavailable where it or its authorization server cannot be asked.
	Begin(ctx context.Context, key Key) (Link, error)
	// Finish takes what the authorization server sent a browser back with (RFC 6749 section 4.1.2, RFC 9207), once. The error is a
	// [capabilities.Error] whose words are for the person in front of that browser, and hold nothing of the query.
	Finish(ctx context.Context, query url.Values) (Finished, error)
	// Forget revokes the tokens of an account where its authorization server can (RFC 7009), and forgets them and the registration
	// whether it can or not. It reports whether there was anything.
	Forget(ctx context.Context, key Key) (bool, error)
	// Standing answers how an account stands; false without one.
	Standing(key Key) (Standing, bool)
}
