package bridge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// offers are what a server says that it has beside tools.
type offers struct {
	resources, subscribe, resourcesChange bool
	prompts, promptsChange                bool
	logging, completions                  bool
}

// anything is what a server may have that has said nothing.
func anything() offers {
	return offers{resources: true, subscribe: true, resourcesChange: true, prompts: true, promptsChange: true, logging: true, completions: true}
}

func offersOf(r *mcp.InitializeResult) (o offers) {
	if r == nil || r.Capabilities == nil {
		return o
	}
	c := r.Capabilities
	if c.Resources != nil {
		o.resources, o.subscribe, o.resourcesChange = true, c.Resources.Subscribe, c.Resources.ListChanged
	}
	if c.Prompts != nil {
		o.prompts, o.promptsChange = true, c.Prompts.ListChanged
	}
	o.logging, o.completions = c.Logging != nil, c.Completions != nil
	return o
}

// within answers what of it is relayed.
func (o offers) within(r Relay) offers {
	if !r.Resources {
		o.resources, o.subscribe, o.resourcesChange = false, false, false
	}
	if !r.Prompts {
		o.prompts, o.promptsChange = false, false
	}
	o.logging = o.logging && r.Logging
	o.completions = o.completions && (o.resources || o.prompts)
	return o
}

// methods answers those that are relayed.
func (o offers) methods() []string {
	var all []string
	if o.resources {
		all = append(all, capabilities.RelayResources, capabilities.RelayTemplates, capabilities.RelayRead)
	}
	if o.subscribe {
		all = append(all, capabilities.RelaySubscribe, capabilities.RelayUnsubscribe)
	}
	if o.prompts {
		all = append(all, capabilities.RelayPrompts, capabilities.RelayPrompt)
	}
	if o.completions {
		all = append(all, capabilities.RelayComplete)
	}
	if o.logging {
		all = append(all, capabilities.RelayLogging)
	}
	return all
}

// revisions count how often what a server offers has changed.
type revisions struct{ resources, prompts int }

func (r revisions) of(method string) string {
	switch {
	case strings.HasPrefix(method, "resources/"):
		return fmt.Sprint("r", r.resources)
	case strings.HasPrefix(method, "prompts/"):
		return fmt.Sprint("p", r.prompts)
	}
	return ""
}

// relayHints answers the hints of a relayed method. Nothing promises that reading a
// resource, or getting a prompt, changes nothing; an operator who knows says so of
// "resources/read" and of "prompts/get", as of a tool, and says it of all that goes with it.
func (sp *spec) relayHints(method string) (facts capabilities.HintFacts) {
	key := capabilities.RelayPrompt
	if strings.HasPrefix(method, "resources/") {
		key = capabilities.RelayRead
	}
	if over, ok := sp.conf.Annotations[key]; ok {
		over.apply(&facts)
	}
	return facts
}

// relays answers what is relayed of a server beside its tools. presenting is held.
func (s *supervisor) relays(sp *spec) []*capabilities.Capability {
	methods := s.offered.within(sp.conf.Relay).methods()
	all := make([]*capabilities.Capability, 0, len(methods))
	for _, method := range methods {
		all = append(all, s.relay(sp, method, s.revised.of(method)))
	}
	return all
}

func (s *supervisor) relay(sp *spec, method, revision string) *capabilities.Capability {
	return capabilities.NewRelayed(capabilities.RelayedSpec{
		Server: sp.conf.Name, Prefix: sp.conf.prefix(), Method: method, Revision: revision,
		Hints: sp.relayHints(method), Timeout: sp.conf.callTimeout(), Handler: s.relaying(method),
	})
}

// relayKey is equal for equal relays.
func relayKey(all []*capabilities.Capability) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintln(&b, c.Name(), c.Revision(), c.Hints(), c.Timeout())
	}
	return b.String()
}

// withoutRelays answers the overrides that are of tools.
func withoutRelays(all map[string]Override) map[string]Override {
	out := maps.Clone(all)
	for _, method := range []string{capabilities.RelayRead, capabilities.RelayPrompt} {
		delete(out, method)
	}
	return out
}

// published is everything of an instance that is told to the world.
func (p *presentation) published() []*capabilities.Capability {
	return slices.Concat(p.tools, p.relays)
}

// offersChanged notes that what the server offers beside tools is another one now, which
// is told when the burst of such notifications is over.
func (s *supervisor) offersChanged(which func(*revisions)) {
	s.presenting.Lock()
	which(&s.revised)
	s.presenting.Unlock()
	select {
	case s.offering <- struct{}{}:
	default: // one is waiting already
	}
}

// offersPace is how much rarer a server is heard that says over and over that its offers
// changed: everybody's registry is made anew each time.
const offersPace = 10

// showOffers publishes the tools as they stand and what goes with them as it is now.
func (s *supervisor) showOffers() {
	s.presenting.Lock()
	defer s.presenting.Unlock()
	if s.withdrawn || s.kept == nil {
		return
	}
	relays := s.relays(s.specNow())
	var now *presentation
	s.set(func() {
		if relayKey(s.shown.relays) == relayKey(relays) {
			return
		}
		kept := *s.shown
		kept.relays = relays
		s.shown, now = &kept, &kept
	})
	if now != nil {
		s.o.Publish(s.key.Seat, s.key.Server, now.published())
	}
}
