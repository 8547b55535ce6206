package telemetry

import (
	"math"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/metrics"
)

// cumulative says that values count from the start of the process.
const cumulative = 2

// metrics writes an ExportMetricsServiceRequest: the table under its own names, and the
// two metrics that the conventions have for MCP.
func (e *Exporter) metrics(set *metrics.Set, operations []metrics.Operation) []byte {
	p := make(proto, 0, 16<<10)
	now := uint64(e.o.Now().UnixNano())
	resource := p.open(1)
	e.resource(&p)
	scope := p.open(2)
	e.scope(&p)
	for id, m := range metrics.Table() {
		if all := set.Of(metrics.ID(id)); len(all) > 0 {
			e.metric(&p, &m, all, now)
		}
	}
	e.operations(&p, operations, now)
	e.answers(&p, set.Of(metrics.ServerCallSeconds), now)
	p.close(scope)
	p.close(resource)
	return p
}

func (e *Exporter) metric(p *proto, m *metrics.Metric, all []metrics.Sample, now uint64) {
	at := p.begin(m.Name, m.Means, m.Unit)
	defer p.close(at)
	field := map[metrics.Kind]int{metrics.Gauge: 5, metrics.Counter: 7, metrics.Histogram: 9}[m.Kind]
	data := p.open(field)
	defer p.close(data)
	for i := range all {
		named := func(field int) {
			for n, value := range all[i].Labels {
				p.attribute(field, m.Labels[n], value)
			}
		}
		if m.Kind == metrics.Histogram {
			e.times(p, all[i].Times, now, named)
			continue
		}
		point := p.open(1)
		if m.Kind == metrics.Counter {
			p.fixed64(2, uint64(e.o.Began.UnixNano()))
		}
		p.fixed64(3, now)
		p.double(4, all[i].Value)
		named(7)
		p.close(point)
	}
	if m.Kind != metrics.Gauge {
		p.varint(2, cumulative)
	}
	if m.Kind == metrics.Counter {
		p.varint(3, 1) // it only grows
	}
}

// begin begins a Metric.
func (p *proto) begin(name, means, unit string) int {
	at := p.open(2)
	p.text(1, name)
	p.text(2, means)
	p.text(3, unit)
	return at
}

// times writes a HistogramDataPoint.
func (e *Exporter) times(p *proto, t *metrics.Times, now uint64, named func(field int)) {
	point := p.open(1)
	defer p.close(point)
	p.fixed64(2, uint64(e.o.Began.UnixNano()))
	p.fixed64(3, now)
	p.fixed64(4, t.Count())
	p.double(5, t.Seconds)
	p.packed(6, len(t.Counts), func(i int) uint64 { return t.Counts[i] })
	bounds := metrics.Bounds()
	p.packed(7, len(bounds), func(i int) uint64 { return math.Float64bits(bounds[i]) })
	named(9)
}

// operations writes mcp.server.operation.duration.
func (e *Exporter) operations(p *proto, all []metrics.Operation, now uint64) {
	e.durations(p, "mcp.server.operation.duration", "How long calls over MCP took.", now, len(all), func(i int) (*metrics.Times, func(int)) {
		return all[i].Times, func(field int) {
			p.attribute(field, "gen_ai.tool.name", all[i].Tool)
			if outcome := all[i].Outcome; outcome != capabilities.EndedOK {
				p.attribute(field, "error.type", errorType(outcome, true))
				p.attribute(field, "holotype.outcome", outcome)
			}
		}
	})
}

// answers writes mcp.client.operation.duration.
func (e *Exporter) answers(p *proto, all []metrics.Sample, now uint64) {
	e.durations(p, "mcp.client.operation.duration", "How long bridged servers took to answer calls.", now, len(all), func(i int) (*metrics.Times, func(int)) {
		return all[i].Times, func(field int) {
			p.attribute(field, "holotype.server", all[i].Labels[0])
			if outcome := all[i].Labels[1]; outcome != capabilities.EndedOK {
				p.attribute(field, "error.type", errorType(outcome, false))
			}
		}
	})
}

// durations writes a histogram of calls of tools over MCP, of n points that one answers:
// their times, and what writes their attributes. Without a point nothing is written.
func (e *Exporter) durations(p *proto, name, means string, now uint64, n int, one func(i int) (*metrics.Times, func(field int))) {
	if n == 0 {
		return
	}
	at := p.begin(name, means, "s")
	data := p.open(9)
	for i := range n {
		times, named := one(i)
		e.times(p, times, now, func(field int) {
			p.toolCall(field)
			named(field)
		})
	}
	p.varint(2, cumulative)
	p.close(data)
	p.close(at)
}
