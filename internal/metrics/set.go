package metrics

import (
	"slices"
	"strconv"
	"strings"
)

// Set is the values of all metrics at one moment. The zero value is empty.
type Set struct{ samples [count][]Sample }

// Sample is one value of a metric.
type Sample struct {
	Labels []string // the values, in the order of the table
	Value  float64  // of a counter or a gauge
	Times  *Times   // of a histogram
}

// Times are how long things took, by bounds.
type Times struct {
	Counts  []uint64 // one more than [Bounds] has: the last is of what took longer than all
	Seconds float64  // together
}

// Count answers how many there were.
func (t *Times) Count() (n uint64) {
	for _, c := range t.Counts {
		n += c
	}
	return n
}

// Put adds a value with its labels, in the order of the table.
func (s *Set) Put(id ID, value float64, labels ...string) {
	s.samples[id] = append(s.samples[id], Sample{Labels: labels, Value: value})
}

// PutTimes adds the values of a histogram.
func (s *Set) PutTimes(id ID, t *Times, labels ...string) {
	s.samples[id] = append(s.samples[id], Sample{Labels: labels, Times: t})
}

// Of answers the values of a metric, ordered by their labels.
func (s *Set) Of(id ID) []Sample {
	slices.SortStableFunc(s.samples[id], func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
	return s.samples[id]
}

// Bounds are the upper bounds of every histogram, in seconds.
func Bounds() []float64 { return slices.Clone(bounds[:]) }

var bounds = [...]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120} // which nobody changes

// ContentType is that of [Set.Text].
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text answers the set in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). What has no value is
// left out.
func (s *Set) Text() []byte {
	b := make([]byte, 0, 64<<10)
	for id, m := range table() {
		all := s.Of(ID(id))
		if len(all) == 0 {
			continue
		}
		b = append(append(append(append(b, "# HELP "...), m.Name...), ' '), strings.NewReplacer(`\`, `\\`, "\n", `\n`, "`", "").Replace(m.Means)...)
		b = append(append(append(append(append(b, "\n# TYPE "...), m.Name...), ' '), m.Kind...), '\n')
		for _, one := range all {
			if one.Times == nil {
				b = appendSample(b, m.Name, m.Labels, one.Labels, "", one.Value)
				continue
			}
			var below uint64
			for i, n := range one.Times.Counts {
				below += n
				le := "+Inf"
				if i < len(bounds) {
					le = number(bounds[i])
				}
				b = appendSample(b, m.Name+"_bucket", m.Labels, one.Labels, le, float64(below))
			}
			b = appendSample(b, m.Name+"_sum", m.Labels, one.Labels, "", one.Times.Seconds)
			b = appendSample(b, m.Name+"_count", m.Labels, one.Labels, "", float64(below))
		}
	}
	return b
}

func appendSample(b []byte, name string, names, values []string, le string, value float64) []byte {
	b = append(b, name...)
	open := byte('{')
	put := func(name, value string) {
		b = append(append(append(b, open), name...), '=', '"')
		b = append(appendEscaped(b, value), '"')
		open = ','
	}
	for i, n := range names {
		if i < len(values) {
			put(n, values[i])
		}
	}
	if le != "" {
		put("le", le)
	}
	if open == ',' {
		b = append(b, '}')
	}
	return append(append(append(b, ' '), number(value)...), '\n')
}

// appendEscaped writes the value of a label, which is UTF-8 in this format.
func appendEscaped(b []byte, value string) []byte {
	for _, r := range strings.ToValidUTF8(value, "\uFFFD") {
		switch r {
		case '\\', '"':
			b = append(b, '\\', byte(r))
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, string(r)...)
		}
	}
	return b
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
