package telemetry

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The kinds of a span and the status of one that failed, of the protocol.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	statusError  = 2
)

// scopeName is who made the spans and the metrics.
const scopeName = "github.com/seed-89b9419b/holotype"

// traces writes an ExportTraceServiceRequest.
func (e *Exporter) traces(all []span) []byte {
	e.encoding.Lock()
	defer e.encoding.Unlock()
	p := make(proto, 0, 1024+e.spanBytes*len(all))
	resource := p.open(1)
	e.resource(&p)
	scope := p.open(2)
	e.scope(&p)
	head := len(p)
	for i := range all {
		at := p.open(2)
		all[i].write(&p, e.templateOf(&all[i]))
		p.close(at)
	}
	if len(all) > 0 {
		e.spanBytes = (len(p)-head)/len(all) + 16
	}
	p.close(scope)
	p.close(resource)
	return p
}

// template is what a span has in common with others.
type template struct {
	c       *capabilities.Capability
	surface capabilities.Surface
	outcome string
	sent    Sent
}

// maxTemplates bounds how many of them are kept written.
const maxTemplates = 4096

// templateOf answers the part of a span that others have too, as it is written. encoding is
// held.
func (e *Exporter) templateOf(s *span) []byte {
	key := template{c: s.c, surface: s.surface, outcome: s.outcome}
	if s.sent != nil {
		key.sent = *s.sent
	}
	if known, ok := e.templates[key]; ok {
		return known
	}
	var p proto
	kind := s.described(&p)
	p.varint(6, uint64(kind))
	p.attribute(9, "holotype.outcome", s.outcome)
	if s.failed() {
		at := p.open(15)
		p.varint(3, statusError)
		p.close(at)
	}
	p.fixed32(16, 1) // sampled
	if len(e.templates) >= maxTemplates {
		clear(e.templates)
	}
	e.templates[key] = p
	return p
}

// resource writes who this is. No attribute may stand there twice, so that what is said of
// the version and the instance takes the place of ours.
func (e *Exporter) resource(p *proto) {
	at := p.open(1)
	for _, own := range [][2]string{{"service.name", e.o.Service}, {"service.version", e.o.Version}, {"service.instance.id", e.o.Instance}} {
		if _, said := e.o.Resource[own[0]]; !said {
			p.attribute(1, own[0], own[1])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.o.Resource)) {
		p.attribute(1, name, e.o.Resource[name])
	}
	p.close(at)
}

func (e *Exporter) scope(p *proto) {
	at := p.open(1)
	p.text(1, scopeName)
	p.text(2, e.o.Version)
	p.close(at)
}

// write writes a Span, most of which is written already.
func (s *span) write(p *proto, template []byte) {
	p.bytes(1, s.trace.ID[:])
	p.bytes(2, s.trace.Span[:])
	p.text(3, s.trace.State)
	if s.parent != [8]byte{} {
		p.bytes(4, s.parent[:])
	}
	p.fixed64(7, uint64(s.start))
	p.fixed64(8, uint64(s.end))
	p.attribute(9, "holotype.request.id", s.requestID)
	*p = append(*p, template...)
}

// failed reports whether the span stands for a failure. A call whose caller went away
// failed for nobody.
func (s *span) failed() bool {
	return s.outcome != capabilities.EndedOK && s.outcome != capabilities.EndedCancelled
}

// described writes the name of a span and what tells it from others, and answers its kind.
func (s *span) described(p *proto) (kind int) {
	switch {
	case s.sent != nil:
		p.text(5, "tools/call "+s.sent.Tool)
		s.tool(p, s.sent.Tool)
		p.attribute(9, "mcp.protocol.version", s.sent.Version)
		network := "tcp"
		if s.sent.Transport == "stdio" {
			network = "pipe"
		}
		p.attribute(9, "network.transport", network)
		p.attribute(9, "holotype.server", s.sent.Server)
		p.attribute(9, "holotype.seat", s.sent.Seat)
		return kindClient
	case s.surface == capabilities.MCP:
		p.text(5, "tools/call "+s.c.Name())
		s.tool(p, s.c.Name())
		kind = kindServer
	case s.surface == capabilities.HTTP:
		method, route := s.route()
		p.text(5, method+" "+route)
		p.attribute(9, "http.request.method", method)
		p.attribute(9, "http.route", route)
		kind = kindServer
	default:
		p.text(5, "call "+s.c.Name())
		kind = kindInternal
	}
	if s.failed() && s.surface != capabilities.MCP {
		p.attribute(9, "error.type", s.outcome)
	}
	p.attribute(9, "holotype.capability", s.c.Name())
	p.attribute(9, "holotype.source", s.c.Group())
	p.attribute(9, "holotype.surface", string(s.surface))
	return kind
}

// tool writes what the conventions have of a call of a tool over MCP.
func (s *span) tool(p *proto, name string) {
	p.toolCall(9)
	p.attribute(9, "gen_ai.tool.name", name)
	if s.failed() {
		p.attribute(9, "error.type", errorType(s.outcome, s.sent == nil))
	}
}

// toolCall writes the attributes that the conventions have for every call of a tool.
func (p *proto) toolCall(field int) {
	p.attribute(field, "mcp.method.name", "tools/call")
	p.attribute(field, "gen_ai.operation.name", "execute_tool")
}

// errorType answers the type of an error by the conventions: what is answered as a result
// that is an error is tool_error, as every refusal over MCP is.
func errorType(outcome string, answered bool) string {
	if answered || outcome == string(capabilities.UpstreamError) {
		return "tool_error"
	}
	return outcome
}

// route answers the method and the path of a capability over HTTP. All bridged tools
// have one.
func (s *span) route() (method, path string) {
	r := s.c.Route()
	if s.c.Bridged() || r.IsZero() {
		return "POST", "/api/v1/servers/{server}/tools/{tool}"
	}
	return strings.ToUpper(r.Method), "/api/v1" + r.Path
}
