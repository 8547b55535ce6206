package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// relaying answers the handler of a method that is relayed. Its arguments are the params
// of the method, in the server's own words.
func (s *supervisor) relaying(method string) capabilities.Handler {
	return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
		l, sp := s.engage()
		if l == nil {
			return nil, s.down()
		}
		ctx, cancel := context.WithTimeout(ctx, sp.relayTime(inv.Capability))
		defer cancel()
		l, sp, leave, over := s.admitted(ctx, l, sp)
		if over != nil {
			return nil, sp.refuseRelay(over, inv.Capability)
		}
		defer leave()
		defer s.calls.Leave()
		if l == nil {
			return nil, s.down()
		}
		var result json.RawMessage
		var err error
		switch method {
		case capabilities.RelayResources, capabilities.RelayTemplates, capabilities.RelayPrompts:
			result, err = s.listed(ctx, l, sp, method)
		case capabilities.RelaySubscribe:
			result, err = json.RawMessage("{}"), s.subscribe(ctx, l, inv.Arguments)
		case capabilities.RelayUnsubscribe:
			result, err = json.RawMessage("{}"), s.unsubscribe(ctx, l, inv.Arguments)
		default:
			result, err = s.relayed(ctx, l, sp, inv, method)
		}
		if err != nil {
			if e, judged := capabilities.AsError(err); judged {
				return nil, e
			}
			return nil, sp.refuseRelay(asFailure(err), inv.Capability)
		}
		return &capabilities.Result{Structured: result}, nil
	}
}

// listTime bounds how long a server may take to list what it offers: the lists of all the
// others wait for it.
const listTime = 10 * time.Second

// relayTime is how long a relayed method may take.
func (sp *spec) relayTime(c *capabilities.Capability) time.Duration {
	if c.Lists() {
		return min(sp.conf.callTimeout(), listTime)
	}
	return sp.conf.callTimeout()
}

// relayed makes one request of a method that is relayed.
func (s *supervisor) relayed(ctx context.Context, l *link, sp *spec, inv *capabilities.Invocation, method string) (json.RawMessage, error) {
	if method == capabilities.RelayPrompt {
		if e := s.lacks(ctx, l, sp, inv.Arguments); e != nil {
			return nil, e
		}
	}
	c := s.courier(ctx, sp, inv)
	defer c.finish()
	m, err := s.converse(ctx, l, request{
		method: method, body: inv.Arguments, label: labelOf(method, inv.Arguments), progress: sp.progress(inv.Progress), courier: c, repeatable: repeatable(inv.Capability),
	})
	if f, ok := errors.AsType[*failure](err); ok && f.said != nil && f.credential == 0 && !f.sessionLost {
		return nil, sp.relayFault(*f.said, method) // since 2026-07-28 an error has a status, too
	}
	if err != nil {
		return nil, err
	}
	s.answered()
	switch {
	case m.fault != nil:
		return nil, sp.relayFault(readFault(m.fault), method)
	case rawjson.Kind(m.result) != '{':
		return nil, broken("answered %s with something that is no object", method)
	case sp.conf.Limits.overLimit(len(m.result), method) != nil:
		return nil, sp.conf.Limits.overLimit(len(m.result), method)
	}
	if kind, _ := rawjson.String(rawjson.Member(m.result, "resultType")); kind != "" && kind != "complete" {
		return nil, broken("answered %s with a result of the type %q, which cannot be given through here", method, bounded(kind, 80))
	}
	return sp.masker().maskJSON(m.result), nil
}

// lacks answers the refusal of a prompt that is asked for without what its server says that
// it needs. Servers say so in words of their library's, or make a prompt of nothing.
func (s *supervisor) lacks(ctx context.Context, l *link, sp *spec, params json.RawMessage) *capabilities.Error {
	list, err := s.listed(ctx, l, sp, capabilities.RelayPrompts)
	if err != nil {
		return nil // the server judges what it is asked for
	}
	name, _ := rawjson.String(rawjson.Member(params, "name"))
	given := rawjson.Member(params, "arguments")
	for _, prompt := range rawjson.Elements(rawjson.Member(list, "prompts")) {
		if own, _ := rawjson.String(rawjson.Member(prompt, "name")); own != name {
			continue
		}
		var missing []string
		for _, arg := range rawjson.Elements(rawjson.Member(prompt, "arguments")) {
			key, _ := rawjson.String(rawjson.Member(arg, "name"))
			required, _ := rawjson.Bool(rawjson.Member(arg, "required"))
			if required && key != "" && rawjson.Member(given, key) == nil {
				missing = append(missing, oneName(key))
			}
		}
		if len(missing) > 0 {
			return capabilities.Refuse(capabilities.Invalid, "the prompt %q of server %q needs the arguments that are missing: %s", oneName(name), sp.conf.Name, strings.Join(missing, ", "))
		}
		return nil
	}
	return nil
}

// labelOf is what a header names a request by (2026-07-28, streamable HTTP).
func labelOf(method string, params json.RawMessage) string {
	key := map[string]string{capabilities.RelayRead: "uri", capabilities.RelayPrompt: "name"}[method]
	if key == "" {
		return ""
	}
	label, _ := rawjson.String(rawjson.Member(params, key))
	return label
}

// admitted waits for the turn of a call as the limits of the server have it. The link and
// the configuration are those of that moment; l is nil where the server is gone by then.
func (s *supervisor) admitted(ctx context.Context, l *link, sp *spec) (_ *link, _ *spec, leave func(), over *failure) {
	if !sp.conf.Limits.counts() {
		return l, sp, func() {}, nil
	}
	s.calls.Leave() // a call that waits for its turn keeps nothing from being stopped
	leave, over = s.limits.enter(ctx, sp.conf.Limits, s.o.Now)
	if over != nil {
		return nil, sp, nil, over
	}
	l, sp = s.engage()
	if l == nil {
		s.calls.Enter() // which the caller takes back
	}
	return l, sp, leave, nil
}

// refuseRelay is refuse for what is no call of a tool.
func (sp *spec) refuseRelay(f *failure, c *capabilities.Capability) *capabilities.Error {
	text := f.text
	if f.code == capabilities.Timeout && f.cause == context.DeadlineExceeded { //nolint:errorlint // it is that very value
		text = fmt.Sprintf("did not answer %s within its time limit of %s", c.Method(), sp.relayTime(c))
	}
	e := capabilities.Refuse(f.code, "server %q %s", sp.conf.Name, oneLine(sp.redact(text))).Because(f.cause)
	e.MaybeApplied, e.RetryAfter = f.mayHaveRun && !c.Lists() && !capabilities.ReadOnlyProven(c), f.retryAfter
	return e
}

// relayFault is the refusal of what a server answered with a JSON-RPC error, which is in
// its chain.
func (sp *spec) relayFault(e rpcError, method string) *capabilities.Error {
	said := &capabilities.ServerError{Code: e.code, Message: sp.masker().mask(bounded(e.text, 2048))}
	if rawjson.Kind(e.data) != 0 && len(e.data) <= maxFaultData && rawjson.Valid(e.data, maxDepth) == nil {
		said.Data = sp.masker().maskJSON(e.data)
	}
	return capabilities.Refuse(capabilities.UpstreamError, "server %q refused %s: %s", sp.conf.Name, method, sp.masker().mask(e.sentence())).Because(said)
}

// The bounds of what a server offers.
const (
	maxOffers     = 10_000
	maxOfferBytes = 8 << 20 // of a list
	maxOffer      = 64 << 10
	// offersFor is how long a list stands of a server that says when it changes, and
	// offersBriefly of one that does not.
	offersFor     = 5 * time.Minute
	offersBriefly = 5 * time.Second
)

// keptOffers is a list that was read, and when it is of no use any more.
type keptOffers struct {
	link  *link
	rev   string
	until time.Time
	list  json.RawMessage
}

// listed answers a whole list of what the server offers, as a result object of one page.
func (s *supervisor) listed(ctx context.Context, l *link, sp *spec, method string) (json.RawMessage, error) {
	s.presenting.Lock()
	rev, o := s.revised.of(method), s.offered
	s.presenting.Unlock()
	s.mu.Lock()
	known, ok := s.offerLists[method]
	s.mu.Unlock()
	if ok && known.link == l && known.rev == rev && s.o.Now().Before(known.until) {
		return known.list, nil
	}
	list, err := s.walk(ctx, l, sp, method)
	if err != nil {
		return nil, err
	}
	stands := offersBriefly
	if method == capabilities.RelayPrompts && o.promptsChange || method != capabilities.RelayPrompts && o.resourcesChange {
		stands = offersFor
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offerLists == nil {
		s.offerLists = map[string]keptOffers{}
	}
	s.offerLists[method] = keptOffers{link: l, rev: rev, until: s.o.Now().Add(stands), list: list}
	return list, nil
}

// walk reads every page of a list. What is no entry costs itself, and the walk ends at a
// cursor that was seen and at a bound; what came until then counts.
func (s *supervisor) walk(ctx context.Context, l *link, sp *spec, method string) (json.RawMessage, error) {
	member, name := listOf(method)
	out := append([]byte(nil), '{')
	out = append(rawjson.AppendQuoted(out, member), ":["...)
	seen := map[string]bool{}
	var cursor json.RawMessage
	entries := 0
	for page := range maxPages {
		m, err := s.send(ctx, l, request{method: method, cursor: cursor, repeatable: true})
		if page == 0 && lacksMethod(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		if m.fault != nil {
			if e := readFault(m.fault); page == 0 && e.code == codeMethodNotFound {
				break // it has none of these
			} else if page == 0 {
				return nil, sp.relayFault(e, method)
			}
			break
		}
		s.answered()
		for _, raw := range rawjson.Elements(rawjson.Member(m.result, member)) {
			if id, ok := rawjson.String(rawjson.Member(raw, name)); !ok || id == "" || len(raw) > maxOffer || rawjson.Valid(raw, maxToolDepth) != nil {
				continue
			}
			if entries == maxOffers || len(out)+len(raw) > maxOfferBytes {
				return sp.masker().maskJSON(append(out, "]}"...)), nil
			}
			if entries++; entries > 1 {
				out = append(out, ',')
			}
			out = append(out, bytes.TrimSpace(raw)...)
		}
		next := rawjson.Member(m.result, "nextCursor")
		if text, ok := rawjson.String(next); !ok || text == "" || seen[text] || len(next) > maxCursor {
			break
		}
		seen[rawjson.Unquote(next)] = true
		cursor = next
	}
	return sp.masker().maskJSON(append(out, "]}"...)), nil
}

// listOf answers the member that a list stands in, and what names an entry of it.
func listOf(method string) (member, name string) {
	switch method {
	case capabilities.RelayResources:
		return "resources", "uri"
	case capabilities.RelayTemplates:
		return "resourceTemplates", "uriTemplate"
	}
	return "prompts", "name"
}
