// Package httpapi is the HTTP surface: one route a capability under /api/v1, the
// OpenAPI documents of what the caller may see, problem+json refusals (RFC 9457),
// health, sign-in and a server-rendered catalogue page.
//
// It only decodes. A request becomes the name of a capability and one raw JSON
// object of arguments, which goes through the door; nothing here validates a
// value, decides a permission or knows a capability by name.
//
// Every request is first admitted, before any route is looked up: its Host must
// be one of ours (a rebound DNS name is not), its Origin must be our own or
// allowed unless it is a GET or HEAD, and outside a short list of public paths it
// needs a credential. See [Server.Handler].
package httpapi
