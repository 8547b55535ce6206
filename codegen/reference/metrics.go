package reference

import (
	"strings"

	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/metrics"
)

// metricsPage answers the page of all metrics, from the one table they are written by.
func metricsPage() []byte {
	p := newPage("Metrics")
	p.Para("What `/metrics` answers in the text format of Prometheus, and what is sent to a collector of OpenTelemetry under the same names. " +
		"A counter begins at 0 with the process. A histogram of Prometheus ends in `_bucket`, `_sum` and `_count`. " +
		"Neither what callers send and get nor who they are is in any of them.")
	kinds := []struct {
		kind metrics.Kind
		head string
	}{{metrics.Counter, "Counters"}, {metrics.Histogram, "Histograms"}, {metrics.Gauge, "Gauges"}}
	for _, k := range kinds {
		p.Section(k.head)
		var rows [][]string
		for _, m := range metrics.Table() {
			if m.Kind == k.kind {
				rows = append(rows, []string{markdown.CodeCell(m.Name), sideBySide(m.Labels), markdown.Cell(m.Means)})
			}
		}
		p.Table([]string{"metric", "labels", "is"}, rows)
	}
	p.Section("Labels")
	var rows [][]string
	for _, l := range metrics.Labels() {
		rows = append(rows, []string{markdown.CodeCell(l.Name), markdown.Cell(l.Means)})
	}
	p.Table([]string{"label", "is"}, rows)
	p.Section("By the conventions of OpenTelemetry")
	p.Para("A collector gets two more, which other MCP servers and clients have as well: `mcp.server.operation.duration`, how long calls over MCP took, and " +
		"`mcp.client.operation.duration`, how long bridged servers took to answer them.")
	return p.Bytes()
}

// sideBySide writes names beside each other.
func sideBySide(names []string) string {
	var all []string
	for _, n := range names {
		all = append(all, markdown.CodeCell(n))
	}
	return strings.Join(all, ", ")
}

// MetricNames answers what is counted and what tells it apart, in order.
func MetricNames() []string {
	var names []string
	for _, m := range metrics.Table() {
		names = append(names, m.Name)
	}
	for _, l := range metrics.Labels() {
		names = append(names, l.Name)
	}
	return names
}
