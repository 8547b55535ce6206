package httpapi

import (
	"net"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Refusal is a request that was refused before it reached the door, which notes calls.
type Refusal struct {
	Surface capabilities.Surface
	// Reason is one of the reasons of this package, and Error what was answered. What
	// stands in its chain is known of the credential.
	Reason string
	Error  *capabilities.Error
	// Principal is who sent it, nil where that is not known.
	Principal *capabilities.Principal
	// From is the address that it came from, without a port.
	From      string
	RequestID string
}

// The reasons of refusals.
const (
	// ForeignHost: it names a host that is not this server.
	ForeignHost = "foreign_host"
	// ForeignOrigin: a page of another site sent it.
	ForeignOrigin = "foreign_origin"
	// PastProxy: it did not come through the proxy.
	PastProxy = "past_proxy"
	// BadCredential: its credential is not good, or not any more.
	BadCredential = "bad_credential"
	// BadLink: the one-time token of a link is not good.
	BadLink = "bad_link"
	// UnknownName: it names a tool in no view.
	UnknownName = "unknown_name"
	// BadExchange: it asks the authorization server for tokens, or to end one, and is not in
	// order.
	BadExchange = "bad_exchange"
)

// note tells of a request that is refused here.
func (x *exchange) note(r *http.Request, reason string, e *capabilities.Error) {
	if x.s.o.Refused == nil || reason == "" {
		return
	}
	surface := capabilities.HTTP
	if path := routePath(r); path == mcpPath || strings.HasPrefix(path, mcpPath+"/") || strings.HasPrefix(path, "/seats/") {
		surface = capabilities.MCP
	}
	x.s.o.Refused(Refusal{Surface: surface, Reason: reason, Error: e, Principal: x.principal, From: fromOf(r), RequestID: x.id[0]})
}

// fromOf answers where a request comes from, without the port.
func fromOf(r *http.Request) string {
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return clip(r.RemoteAddr)
	}
	return from
}
