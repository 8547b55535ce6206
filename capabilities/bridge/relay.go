package bridge

import (
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Relay says what else than calls is passed on between a server and the clients of its
// callers. The zero value passes on nothing.
type Relay struct {
	// Elicitation, Sampling and Roots are what the server may ask the client of a call
	// while it runs: its user, its model, and which directories it works in.
	Elicitation, Sampling, Roots bool
	// Logging is what the server logs while a call runs, for clients that ask for it.
	Logging bool
	// Prompts and Resources are what the server offers beside its tools.
	Prompts, Resources bool
}

// asks reports whether the server may ask anything.
func (r Relay) asks() bool { return r.Elicitation || r.Sampling || r.Roots }

// off answers the names of the switches that are off.
func (r Relay) off() []string {
	var all []string
	for _, one := range []struct {
		name string
		on   bool
	}{
		{"elicitation", r.Elicitation},
		{"sampling", r.Sampling},
		{"roots", r.Roots},
		{"logging", r.Logging},
		{"prompts", r.Prompts},
		{"resources", r.Resources},
	} {
		if !one.on {
			all = append(all, one.name)
		}
	}
	return all
}

// text writes the switches, for a fingerprint.
func (r Relay) text() string {
	b := []byte("relay ")
	for _, on := range []bool{r.Elicitation, r.Sampling, r.Roots, r.Logging, r.Prompts, r.Resources} {
		b = strconv.AppendBool(b, on)
	}
	return string(b)
}

// declared is what a server of the handshake era is told once that it may ask: all that is
// passed on at all. Whether the client of a call answers shows when it is asked.
func (r Relay) declared() *mcp.ClientCapabilities {
	c := &mcp.ClientCapabilities{}
	if r.Elicitation {
		c.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	}
	if r.Sampling {
		c.Sampling = &mcp.SamplingCapabilities{}
	}
	if r.Roots {
		c.RootsV2 = &mcp.RootCapabilities{} // a change of them is told to nobody: they are one caller's
	}
	return c
}

// The methods that are relayed.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
	noteElicited = "notifications/elicitation/complete"
	noteMessage  = "notifications/message"
	noteCancel   = "notifications/cancelled"
)

// may reports whether a server may ask that, and the name of the switch; "" of a method
// that is no question.
func (r Relay) may(method string) (on bool, name string) {
	switch method {
	case methodElicit:
		return r.Elicitation, "elicitation"
	case methodSample:
		return r.Sampling, "sampling"
	case methodRoots:
		return r.Roots, "roots"
	}
	return false, ""
}
